/** How engines ask the inspector about tool output, and for files that it writes. */
import { closeSync } from "node:fs";
import { open } from "node:fs/promises";
import { FilemillError } from "#contract/errors.ts";
import type { Asked, Inspector } from "#services/conversion/domain/inspector.ts";
import type { Answer, QuestionKind } from "#services/conversion/domain/questions.ts";
import { openOutputNow } from "./tool-run.ts";

/**
 * Asks about files that a sandboxed program left, which may be anything.
 *
 * @throws FilemillError CONVERSION_FAILED unless each is a regular, non-empty file with a single link.
 */
export async function askMade<K extends QuestionKind>(
  inspector: Inspector,
  kind: K,
  paths: readonly string[],
  asked: Asked,
): Promise<Answer<K>> {
  using stack = new DisposableStack();
  const opened = paths.map((path) => {
    const file = openOutputNow(path);
    stack.defer(() => closeSync(file.descriptor));
    return file;
  });
  return await inspector.ask(kind, opened, asked);
}

/** Writes the inspector's output to a new, world-readable file at `made`. */
export async function askForFile<K extends QuestionKind>(
  inspector: Inspector,
  kind: K,
  paths: readonly string[],
  made: string,
  { maxBytes, ...asked }: Omit<Asked, "write"> & { readonly maxBytes: number },
): Promise<Answer<K>> {
  await using file = await open(made, "wx", 0o644);
  let length = 0;
  return await inspector.ask(kind, paths, {
    ...asked,
    async write(bytes) {
      length += bytes.length;
      if (length > maxBytes) throw new FilemillError("INPUT_TOO_COMPLEX", "The file becomes too large when its text is decoded.");
      await file.appendFile(bytes);
    },
  });
}

/** The answer when a tool wrote no text. Rethrows every other failure. */
export function noLetters(error: unknown): Answer<"letters"> {
  if (error instanceof FilemillError && error.code === "CONVERSION_FAILED") return { all: 0, unknown: 0 };
  throw error;
}
