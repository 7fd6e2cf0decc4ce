import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { moveFile } from "#gateway/cli/move-file.ts";

const memory = "/dev/shm";
const folders: string[] = [];
const folderIn = async (parent: string): Promise<string> => {
  const folder = await mkdtemp(join(parent, "filemill-move-"));
  folders.push(folder);
  return folder;
};
let inbox: string;
beforeAll(async () => {
  inbox = await folderIn(tmpdir());
});
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

async function arrive(content: string, name = "a.png"): Promise<string> {
  await writeFile(join(inbox, name), content);
  return join(inbox, name);
}

test("keeps every file of the same name", async () => {
  const done = join(inbox, "done/deep");
  for (const content of ["1", "2", "3"]) await moveFile(await arrive(content), join(done, "a.png"));
  const names = ["a (2).png", "a (3).png", "a.png"];
  expect((await readdir(done)).toSorted()).toEqual(names);
  expect(await Promise.all(names.map((name) => readFile(join(done, name), "utf8")))).toEqual(["2", "3", "1"]);
  expect(await readdir(inbox)).toEqual(["done"]);
});

test("leaves nothing behind if a file cannot be moved", async () => {
  const done = await folderIn(tmpdir());
  await expect(moveFile(join(inbox, "gone.png"), join(done, "gone.png"))).rejects.toMatchObject({ code: "ENOENT" });
  expect(await readdir(done)).toEqual([]);
});

const otherFilesystem = await Promise.all([stat(tmpdir()), stat(memory)]).then(
  ([here, there]) => here.dev !== there.dev,
  () => false,
);

test.runIf(otherFilesystem)("moves a file to another filesystem with its modification time, without overwriting", async () => {
  const done = await folderIn(memory);
  await writeFile(join(done, "a.png"), "earlier");
  const path = await arrive("later");
  await utimes(path, 1000, 2000);
  expect(await moveFile(path, join(done, "a.png"))).toBe(join(done, "a (2).png"));
  expect(await readFile(join(done, "a.png"), "utf8")).toBe("earlier");
  expect(await readFile(join(done, "a (2).png"), "utf8")).toBe("later");
  expect((await stat(join(done, "a (2).png"))).mtimeMs).toBe(2_000_000);
  await expect(stat(path)).rejects.toMatchObject({ code: "ENOENT" });
});
