import { withSource } from "#formats/sniff/source.ts";
import type { FileRef } from "../domain/engine.ts";
import { inspectBytes } from "../domain/guards/inspect.ts";

/** Looks at a bounded part of a file before any engine does. Rejects with INVALID_INPUT, PASSWORD_REQUIRED or INPUT_TOO_COMPLEX. */
export function inspectInput(input: FileRef): Promise<void> {
  return withSource(input.path, (source) => inspectBytes(source, input.format));
}
