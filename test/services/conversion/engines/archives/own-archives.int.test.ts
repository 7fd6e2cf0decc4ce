/** Archives in their own format: smaller on request, and unchanged if nothing is gained. */
import { execFile } from "node:child_process";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { archiveEngine } from "#services/conversion/engines/archives/archive.ts";
import { openBench } from "#test/contract/engine.ts";

const run = promisify(execFile);
const python = async (...args: readonly string[]) => (await run("/usr/bin/python3", ["-I", ...args])).stdout;

test("recompresses an archive on request, and returns it unchanged if nothing is gained", async () => {
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

test("rewrites an archive with names in a code page even if nothing is gained", async () => {
  await using bench = await openBench(archiveEngine);
  const legacy = join(bench.folder, "legacy.zip");
  const writer =
    "import sys, zipfile\nz = zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED)\nfor n in 'xy':\n i = zipfile.ZipInfo(n * 12 + '.txt')\n z.writestr(i, n)\nz.close()\n" +
    "b = open(sys.argv[1], 'rb').read().replace(b'x' * 12, 'Größe größer'.encode('cp437')).replace(b'y' * 12, 'Übergrößen ä'.encode('cp437'))\nopen(sys.argv[1], 'wb').write(b)";
  await python("-c", writer, legacy);
  const { path, notes } = await bench.convert(legacy, "zip", "zip");
  expect([...notes.keys()]).toEqual(["ENCODING_GUESSED"]);
  const names = "import sys, zipfile\nprint(*sorted(zipfile.ZipFile(sys.argv[1]).namelist()), sep='|', end='')";
  expect(await python("-c", names, path)).toBe("Größe größer.txt|Übergrößen ä.txt");
});

test("keeps decomposed accents in names, in ZIP and from ZIP to TAR", async () => {
  await using bench = await openBench(archiveEngine);
  const source = join(bench.folder, "apart.zip");
  const names = ["Zoe\u0308/", "Zoe\u0308/cafe\u0301 #1 \\.txt", "Zo\u00eb.txt", "plain.txt"];
  const writer =
    "import json, sys, zipfile\nz = zipfile.ZipFile(sys.argv[1], 'w')\nfor n in json.loads(sys.argv[2]): z.writestr(n, '' if n.endswith('/') else 'x' * 999)";
  await python("-c", writer, source, JSON.stringify(names));
  const readers = {
    zip: "import sys, zipfile, json\nprint(json.dumps(sorted(zipfile.ZipFile(sys.argv[1]).namelist())))",
    tar: "import sys, tarfile, json\nprint(json.dumps(sorted(m.name + ('/' if m.isdir() else '') for m in tarfile.open(sys.argv[1]))))",
  };
  for (const [format, reader] of Object.entries(readers)) {
    const { path, notes } = await bench.convert(source, "zip", format, format === "zip" ? { level: 9 } : {});
    expect([JSON.parse(await python("-c", reader, path)), [...notes.keys()]], format).toEqual([names.toSorted(), []]);
  }
});
