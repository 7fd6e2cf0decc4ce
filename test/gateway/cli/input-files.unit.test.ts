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

test("files go by their names, files of folders as they lie there, hidden ones not at all", async () => {
  expect(await placesOf(["a.docx", "in"], "results")).toEqual([
    ["a.docx", "results/a.pdf"],
    ["in/b.docx", "results/b.pdf"],
    ["in/deep/c.docx", "results/deep/c.pdf"],
    ["in/out/old.pdf", "results/out/old.pdf"],
  ]);
});

test("the results of an earlier run are no input", async () => {
  expect((await placesOf(["in"], "in/out")).map(([input]) => input)).toEqual(["in/b.docx", "in/deep/c.docx"]);
});

test.each([
  ["in/deep", "in", [["in/deep/c.docx", "in/c.pdf"]]],
  ["in/deep", "in/deep", [["in/deep/c.docx", "in/deep/c.pdf"]]],
  ["in/deep", "in/..out", [["in/deep/c.docx", "in/..out/c.pdf"]]],
])("a result folder that is not inside a folder skips nothing of it: %s to %s", async (folder, outDir, places) => {
  expect(await placesOf([folder], outDir)).toEqual(places);
});

test("files that differ in their extension alone keep it", async () => {
  expect(await placesOf(["a.docx", "twin/a.odt", "in/b.docx"], "results")).toEqual([
    ["a.docx", "results/a.docx.pdf"],
    ["twin/a.odt", "results/a.odt.pdf"],
    ["in/b.docx", "results/b.pdf"],
  ]);
});

test("two files that would become one are refused, and so is one that is not there", async () => {
  await expect(placesOf(["a.docx", "twin/a.docx"], "results")).rejects.toMatchObject({ code: "BAD_REQUEST" });
  await expect(placesOf(["nothing.docx"], "results")).rejects.toMatchObject({
    code: "BAD_REQUEST",
    message: expect.stringContaining("ENOENT"),
  });
});
