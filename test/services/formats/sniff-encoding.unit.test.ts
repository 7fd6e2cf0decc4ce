import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { sniff } from "#formats/sniff/sniff.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "filemill-sniff-"));
});
afterAll(() => rm(folder, { recursive: true }));

const russian = Buffer.from("имя;город\nИван;Москва\n", "utf16le");
const japanese = Buffer.from("名前,市\n太郎,東京\n", "utf16le").swap16();
const numbers = Buffer.from(Uint16Array.from({ length: 200 }, (_, index) => index * 321).buffer);

it.each([
  ["Russian", russian, "a.csv", "csv"],
  ["Japanese", japanese, "a.srt", "srt"],
  ["Japanese", japanese, "a.txt", undefined],
  ["numbers", numbers, "a.csv", undefined],
  ["text with a NUL", Buffer.from("Grüße\0 dort"), "a.csv", undefined],
  ["audio samples", russian, "a.pcm", "pcm"],
])("sniffs UTF-16 without a BOM (%s): %#", async (_name, content, name, format) => {
  const path = join(folder, name);
  await writeFile(path, content);
  expect((await sniff(path, name)).format).toBe(format);
});
