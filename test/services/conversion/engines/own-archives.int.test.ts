/** Archives in their own format: smaller where that is asked for, and as they were where nothing is gained. */
import { execFile } from "node:child_process";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { archiveEngine } from "#services/conversion/engines/archive.ts";
import { openBench } from "#test/contract/engine.ts";

const run = promisify(execFile);
const python = async (...args: readonly string[]) => (await run("/usr/bin/python3", ["-I", ...args])).stdout;

test("packs an archive anew in its own format, smaller when asked to, and gives it back where nothing is gained", async () => {
  await using bench = await openBench(archiveEngine);
  const text = "Quokka ".repeat(5000);
  const loose = join(bench.folder, "loose.zip");
  await python("-c", "import sys, zipfile\nzipfile.ZipFile(sys.argv[1], 'w').writestr('a.txt', sys.argv[2])", loose, text);
  const small = await bench.convert(loose, "zip", "zip", { level: 9 });
  expect((await stat(small.path)).size).toBeLessThan((await stat(loose)).size / 10);
  const read = "import sys, zipfile\nz = zipfile.ZipFile(sys.argv[1])\nassert z.testzip() is None\nprint(z.read('a.txt').decode(), end='')";
  expect(await python("-c", read, small.path)).toBe(text);
  expect([...small.notes]).toEqual([]);
  const again = await bench.convert(small.path, "zip", "zip", { level: 1 });
  expect([...again.notes.keys()]).toEqual(["SOURCE_KEPT"]);
  expect((await readFile(again.path)).equals(await readFile(small.path))).toBe(true);
});
