/** Content in, content out: for tests that compare values. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import type { Engine, OptionValues } from "#services/conversion/domain/engine.ts";
import { type Bench, openBench } from "#test/contract/engine.ts";

/** A bench for this file's tests, and a function that converts content on it. */
export function converting(engine: Engine) {
  let bench: Bench;
  beforeAll(async () => {
    bench = await openBench(engine);
  });
  afterAll(() => bench[Symbol.asyncDispose]());
  let count = 0;
  return async (content: string | Buffer, from: string, to: string, options: OptionValues = {}) => {
    count += 1;
    const path = join(bench.folder, `given-${count}.${from}`);
    await writeFile(path, content);
    const made = await bench.convert(path, from, to, options);
    const bytes = await readFile(made.path);
    return { path: made.path, bytes, text: bytes.toString(), notes: [...made.notes.keys()], messages: made.notes };
  };
}
