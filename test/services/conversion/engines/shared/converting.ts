/** Content in, content out: for tests that compare values. */
import { readFile } from "node:fs/promises";
import type { Engine, OptionValues } from "#services/conversion/domain/engine.ts";
import { useBench } from "#test/contract/engine.ts";

/** A bench for this file's tests, and a function that converts content on it. */
export function converting(engine: Engine) {
  const bench = useBench(engine);
  return async (content: string | Buffer, from: string, to: string, options: OptionValues = {}) => {
    const made = await bench.convert(await bench.given(content, from), from, to, options);
    const bytes = await readFile(made.path);
    return { path: made.path, bytes, text: bytes.toString(), notes: [...made.notes.keys()], messages: made.notes };
  };
}
