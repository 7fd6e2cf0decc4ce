import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { formatOf, formats, parseFormatId } from "#formats/index.ts";
import { encodingOf as textEncodingOf } from "#formats/sniff/encoding.ts";
import { sniff } from "#formats/sniff/sniff.ts";
import { sourceOf } from "#formats/sniff/source.ts";
import { adtsFrames, bytes, compoundOf, id3Of, isoMediaOf, mp3Frames, oggOf, packageOf, pngOf, tiffOf, zipOf } from "./fixtures.ts";

let path: string;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "filemill-fuzz-"));
  path = join(folder, "file");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const seeds = [
  packageOf("openxmlformats-officedocument.wordprocessingml.document.main+xml"),
  zipOf({ "META-INF/manifest.xml": "<x/>" }),
  compoundOf("WordDocument"),
  isoMediaOf("isom", "iso2mp41"),
  oggOf("OpusHead"),
  Buffer.concat([id3Of(40), mp3Frames()]),
  adtsFrames(),
  pngOf("IDAT"),
  tiffOf(20, 256, 50_706),
  bytes("3026b2758e66cf11a6d900aa0062ce6c"),
  bytes("1f8b080800000000"),
  bytes("1a45dfa38b4282847765626d"),
  Buffer.from("<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b 'c'>]><svg/>"),
  Buffer.from('[{"a":1}]'),
];

/** A known file that is truncated, extended and has some bytes changed. */
const mutated = fc
  .tuple(
    fc.constantFrom(...seeds),
    fc.array(fc.tuple(fc.nat(1200), fc.nat(255)), { maxLength: 12 }),
    fc.nat(1200),
    fc.uint8Array({ maxLength: 200 }),
  )
  .map(([seed, changes, end, tail]) => {
    const copy = Buffer.concat([seed.subarray(0, end), tail]);
    for (const [at, value] of changes) if (at < copy.length) copy[at] = value;
    return copy;
  });
const content = fc.oneof(
  mutated,
  fc.uint8Array({ maxLength: 3000 }),
  fc.string({ unit: "binary", maxLength: 500 }).map((text) => Buffer.from(text)),
);
const fileName = fc.oneof(
  fc.constantFrom(...formats.flatMap((row) => row.extensions)).map((extension) => `a.${extension}`),
  fc.string({ unit: "binary", maxLength: 300 }),
);

it("returns a known format or none for any content", async () => {
  await fc.assert(
    fc.asyncProperty(content, fileName, async (bytesOfFile, name) => {
      await writeFile(path, bytesOfFile);
      const { format, sizeBytes } = await sniff(path, name);
      expect(format === undefined || formatOf(format)?.id === format).toBe(true);
      expect(sizeBytes).toBe(bytesOfFile.length);
    }),
    { numRuns: 600 },
  );
});

it("never reads more than its limits, whatever size a file claims", async () => {
  await fc.assert(
    fc.asyncProperty(mutated, async (bytesOfFile) => {
      let requested = 0;
      const handle = {
        stat: async () => ({ size: 2 ** 45 }),
        read: async (buffer: Buffer, _offset: number, length: number, position: number) => {
          requested += length;
          const part = bytesOfFile.subarray(position, position + length);
          part.copy(buffer);
          return { buffer, bytesRead: part.length };
        },
      };
      const source = await sourceOf(handle);
      await expect(source.read(0, Number.MAX_SAFE_INTEGER)).resolves.toHaveLength(Math.min(bytesOfFile.length, 262_144));
      expect(requested).toBeLessThanOrEqual(65_536 + 262_144);
    }),
    { numRuns: 50 },
  );
});

it("parses or rejects any text as a format id", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 40 }), (text) => {
      const row = parseFormatId(text);
      expect(row === undefined || formatOf(row.id) === row).toBe(true);
    }),
  );
});

it("recognizes text in any encoding it supports", () => {
  const printable = fc.string({ unit: "grapheme", maxLength: 200 }).filter((text) => /^[^\p{Cc}\p{Cs}\p{Cn}]*$/u.test(text));
  fc.assert(
    fc.property(printable, (text) => {
      expect(["ascii", "utf-8"]).toContain(textEncodingOf(Buffer.from(text)));
      expect(textEncodingOf(Buffer.from(`\ufeff${text}`, "utf16le"))).toBe("utf-16le");
    }),
  );
});

it.each([
  ["ascii", Buffer.from("hello\r\n\tworld")],
  ["utf-8", Buffer.from("naïve 日本語")],
  ["utf-8", Buffer.from("cut off 日").subarray(0, -1)],
  ["utf-16be", Buffer.from("feff00680069", "hex")],
  ["utf-16le", Buffer.from("without a mark", "utf16le")],
  ["legacy", Buffer.from("na\xefve caf\xe9", "latin1")],
  ["utf-16le", Buffer.from("\ufeffa \ufffd that the author wrote", "utf16le")],
  [undefined, Buffer.from("\ufeffhalf a pair: \ud83d.", "utf16le")],
  [undefined, Buffer.from("a\0b")],
  [undefined, Buffer.from("89504e470d0a1a0a0000", "hex")],
] as const)("detects %s", (encoding, head) => {
  expect(textEncodingOf(head)).toBe(encoding);
});

it("is fast on repeated opening delimiters", async () => {
  for (const unit of ["<", "<!--", "<?", "[", "{", "<!DOCTYPE [", "0\n", "[ti:a]", "#"]) {
    await writeFile(path, unit.repeat(70_000 / unit.length));
    expect((await sniff(path, "a")).format).toBeDefined();
  }
});
