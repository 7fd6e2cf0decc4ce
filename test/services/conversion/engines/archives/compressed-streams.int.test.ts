/** Single compressed files: one layer is removed, and damage is detected. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { archiveEngine } from "#services/conversion/engines/archives/archive.ts";
import { useBench } from "#test/contract/engine.ts";

const run = promisify(execFile);
const bench = useBench(archiveEngine);

/** `body`: a Python expression for the content of the file. */
async function fileOf(format: string, body: string): Promise<string> {
  const path = join(bench.folder, `source.${format}`);
  const writer =
    "import bz2, gzip, io, lzma, subprocess, sys, tarfile\ndef by(tool, data): return subprocess.run([tool, '-c'], input=data, capture_output=True).stdout\n" +
    "def tar():\n s = io.BytesIO()\n with tarfile.open(fileobj=s, mode='w') as t: t.addfile(tarfile.TarInfo('a'))\n return s.getvalue()\n" +
    "def wrong(data): return data[:-6] + bytes([data[-6] ^ 1]) + data[-5:]\nopen(sys.argv[1], 'wb').write(eval(sys.argv[2]))";
  await run("/usr/bin/python3", ["-I", "-c", writer, path, body]);
  return path;
}
const uuencoded = "begin 644 x\n#86)C\n`\nend\n";

it.each([
  ["gz", "gzip.compress(b'one ', mtime=0) + gzip.compress(b'two', mtime=0)", "one two", []],
  ["xz", "lzma.compress(b'one ') + lzma.compress(b'two')", "one two", []],
  ["zst", "by('zstd', b'one ') + by('zstd', b'two')", "one two", []],
  ["lz4", "by('lz4', b'one ') + by('lz4', b'two')", "one two", []],
  ["lz", "by('lzip', b'one ') + by('lzip', b'two')", "one two", []],
  ["lzma", "lzma.compress(b'one', lzma.FORMAT_ALONE)", "one", []],
  // What is inside stays as it is, even if it is compressed or encoded in turn.
  ["gz", "gzip.compress(bz2.compress(b'one'), mtime=0)", undefined, []],
  ["gz", `gzip.compress(${JSON.stringify(uuencoded)}.encode(), mtime=0)`, uuencoded, []],
  ["gz", "gzip.compress(b'one', mtime=0) + b'more' * 9", "one", ["INPUT_DAMAGED"]],
  ["gz", "gzip.compress(b'one', mtime=1600000001)", "one", ["METADATA_DROPPED"]],
])("removes one layer of %s: %s", async (from, body, content, notes) => {
  const made = await bench.convert(await fileOf(from, body), from, "bz2");
  const { stdout } = await run("bzip2", ["-dc", made.path], { encoding: "latin1" });
  if (content === undefined) expect(stdout).toMatch(/^BZh9/);
  else expect(stdout).toBe(content);
  expect([...made.notes.keys()]).toEqual(notes);
});

it.each([
  ["gz", "wrong(gzip.compress(b'one' * 99))", "bz2"],
  ["tgz", "wrong(gzip.compress(tar()))", "zip"],
  ["gz", "gzip.compress(b'one' * 99)[:-9]", "bz2"],
  ["xz", "lzma.compress(b'one' * 99)[:-9]", "bz2"],
  ["zst", "by('zstd', b'one' * 99)[:-5]", "bz2"],
  ["lz4", "by('lz4', b'one' * 99)[:-9]", "bz2"],
  ["lz", "by('lzip', b'one' * 99)[:-9]", "bz2"],
  ["bz2", "bz2.compress(b'one' * 99)[:-9]", "gz"],
])("refuses damaged %s: %s", async (from, body, to) => {
  await expect(bench.convert(await fileOf(from, body), from, to)).rejects.toMatchObject({ code: "INVALID_INPUT" });
});
