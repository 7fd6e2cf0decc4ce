import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { filePairsOf } from "#gateway/cli/input-files.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "filemill-input-"));
  for (const name of [
    "a.docx",
    "in/b.docx",
    "in/deep/c.docx",
    "in/.hidden/d.docx",
    "in/.e.docx",
    "in/out/old.pdf",
    "twin/a.odt",
    "twin/a.docx",
  ]) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), name);
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const placesOf = async (paths: readonly string[], outDir: string) =>
  (
    await filePairsOf(
      paths.map((path) => join(folder, path)),
      join(folder, outDir),
      "pdf",
    )
  ).map(({ inputPath, outputPath }) => [inputPath.slice(folder.length + 1), outputPath.slice(folder.length + 1)]);

test("keeps the folder structure of input folders and skips hidden files", async () => {
  expect(await placesOf(["a.docx", "in"], "results")).toEqual([
    ["a.docx", "results/a.pdf"],
    ["in/b.docx", "results/b.pdf"],
    ["in/deep/c.docx", "results/deep/c.pdf"],
    ["in/out/old.pdf", "results/out/old.pdf"],
  ]);
});

test("skips the results of an earlier run", async () => {
  expect((await placesOf(["in"], "in/out")).map(([input]) => input)).toEqual(["in/b.docx", "in/deep/c.docx"]);
});

test.each([
  ["in/deep", "in", [["in/deep/c.docx", "in/c.pdf"]]],
  ["in/deep", "in/deep", [["in/deep/c.docx", "in/deep/c.pdf"]]],
  ["in/deep", "in/..out", [["in/deep/c.docx", "in/..out/c.pdf"]]],
])("skips nothing if the output folder is not inside the input folder: %s to %s", async (folder, outDir, places) => {
  expect(await placesOf([folder], outDir)).toEqual(places);
});

test("keeps the extension of files that differ only in it", async () => {
  expect(await placesOf(["a.docx", "twin/a.odt", "in/b.docx"], "results")).toEqual([
    ["a.docx", "results/a.docx.pdf"],
    ["twin/a.odt", "results/a.odt.pdf"],
    ["in/b.docx", "results/b.pdf"],
  ]);
});

test("rejects two files with the same output path, and a missing file", async () => {
  await expect(placesOf(["a.docx", "twin/a.docx"], "results")).rejects.toMatchObject({ code: "BAD_REQUEST" });
  await expect(placesOf(["nothing.docx"], "results")).rejects.toMatchObject({
    code: "BAD_REQUEST",
    message: expect.stringContaining("does not exist"),
  });
});
