import { execFileSync } from "node:child_process";
import { copyFile, link, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createVerdicts } from "#services/conversion/inspectors/verdicts.ts";
import { opened } from "#test/harness/opened.ts";
import { writeTone } from "#test/services/conversion/engines/media/tone.ts";
import { openTestInspectors } from "./test-inspectors.ts";

const corpus = join(import.meta.dirname, "../../../corpus");
const refused = { code: "CONVERSION_FAILED" };
const inspectors = opened(openTestInspectors);
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "filemill-check-"));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

const checkResult = (path: string, format: string): Promise<void> => createVerdicts(inspectors.inspector).checkResult(path, format);

async function put(name: string, content: string | Buffer): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

it.each([
  ["office/text.docx", "docx"],
  ["office/sheet.ods", "ods"],
  ["office/sheet.xls", "xls"],
  ["markup/book.epub", "epub"],
])("accepts a complete %s, but not half of it or a different format", async (name, format) => {
  const path = join(corpus, name);
  await checkResult(path, format);
  await expect(checkResult(path, "pdf")).rejects.toMatchObject(refused);
  await expect(checkResult(path, "odp")).rejects.toMatchObject(refused);
  if (format === "xls") return;
  const bytes = await readFile(path);
  await expect(checkResult(await put("half", bytes.subarray(0, bytes.length / 2)), format)).rejects.toMatchObject(refused);
});

it("accepts complete audio and text", async () => {
  const tone = join(folder, "tone.wav");
  await writeTone(tone);
  await checkResult(tone, "wav");
  await expect(checkResult(tone, "mp3")).rejects.toMatchObject(refused);
  await checkResult(await put("a.txt", "Ünïcødé"), "txt");
  await expect(checkResult(await put("b.txt", Buffer.from("Müller", "latin1")), "txt")).rejects.toMatchObject(refused);
  await expect(checkResult(await put("c.txt", "a\0b"), "txt")).rejects.toMatchObject(refused);
  await checkResult(await put("glyphs.txt", "Quokka heading \x03 and a glyph without a character"), "txt");
  await expect(checkResult(await put("noise.txt", "\x01\x02\x03 ab \x04\x05"), "txt")).rejects.toMatchObject(refused);
  for (const value of ["null", "true", "false", "-1", '"x"']) await checkResult(await put("value.json", `${value}\n`), "json");
  await expect(checkResult(await put("blank.txt", "\ufeff\r\n \n"), "txt")).rejects.toMatchObject({
    message: "The document has no text in its body.",
  });
  await checkResult(await put("long.txt", `${"a".repeat(4095)}ü and more`), "txt");
});

it("accepts an OBJ that starts with a normal", async () => {
  await checkResult(await put("normal.obj", "vn 0 0 1\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1//1 2//1 3//1\n"), "obj");
});

it("rejects empty, missing, linked and non-regular files, and does not wait for a pipe", async () => {
  const path = await put("d.txt", "text");
  await symlink(path, join(folder, "symbolic"));
  await copyFile(path, join(folder, "one"));
  await link(join(folder, "one"), join(folder, "two"));
  execFileSync("mkfifo", [join(folder, "pipe")]);
  await put("empty", "");
  for (const name of ["symbolic", "one", "pipe", "empty", "missing", "."]) {
    await expect(checkResult(join(folder, name), "txt"), name).rejects.toMatchObject(refused);
  }
});

it("rejects a file too short for its format", async () => {
  for (const format of ["wav", "webp", "docx", "png", "mp4", "ts", "aac", "json"]) {
    await expect(checkResult(await put("short", "RI"), format), format).rejects.toMatchObject(refused);
  }
});

it("accepts tables in the encoding that was asked for, and no bytes that are not text", async () => {
  const table = "a,b\nMüller,1\n";
  await checkResult(await put("latin.csv", Buffer.from(table, "latin1")), "csv");
  await checkResult(await put("wide.tsv", Buffer.from(`\ufeff${table}`, "utf16le")), "tsv");
  await expect(checkResult(await put("noise.csv", Buffer.from("a\0b\xff", "latin1")), "csv")).rejects.toMatchObject(refused);
  await expect(checkResult(await put("blank.csv", " \n"), "csv")).rejects.toMatchObject({
    message: "The document has no text in its body.",
  });
});
