import { expect, it } from "vitest";
import { chosenIn, MAX_FILES, walk } from "#client/many/walk.ts";

type Tree = { readonly [name: string]: Tree | string | Error };

/** Like Chromium: batches of a hundred entries, then an empty one. */
function entryOf(name: string, content: Tree | string | Error): FileSystemEntry {
  if (typeof content === "string" || content instanceof Error) {
    const file = (told: (file: File) => void, failed: (error: Error) => void): void =>
      content instanceof Error ? failed(content) : told(new File([content], name));
    return { name, isFile: true, isDirectory: false, file } as unknown as FileSystemEntry;
  }
  const createReader = () => {
    const rest = Object.entries(content).map((each) => entryOf(...each));
    return { readEntries: (told: (part: FileSystemEntry[]) => void): void => told(rest.splice(0, 100)) };
  };
  return { name, isFile: false, isDirectory: true, createReader } as unknown as FileSystemEntry;
}

const pathsOf = (chosen: readonly { folder: string; file: File }[]) => chosen.map(({ folder, file }) => `${folder}:${file.name}`);

it("takes files from folders and subfolders in natural order, with their paths", async () => {
  const trip = entryOf("trip", { "b 10.jpg": "x", "b 2.jpg": "x", lake: { "a.jpg": "x", empty: {} }, ".DS_Store": "x", "Thumbs.db": "x" });
  const { chosen, unreadable, cut } = await walk([trip, new File(["y"], "alone.txt")]);
  expect(pathsOf(chosen)).toEqual(["trip:b 2.jpg", "trip:b 10.jpg", "trip/lake:a.jpg", ":alone.txt"]);
  expect([unreadable, cut]).toEqual([[], false]);
});

it("reads a directory until it returns no more entries", async () => {
  const names = Array.from({ length: 250 }, (_, n) => `${n}.png`);
  const { chosen } = await walk([entryOf("all", Object.fromEntries(names.map((name) => [name, "x"])))]);
  expect(chosen.map(({ file }) => file.name)).toEqual(names);
});

it("lists unreadable files and continues", async () => {
  const { chosen, unreadable } = await walk([entryOf("trip", { "a.jpg": new Error("gone"), "b.jpg": "x" })]);
  expect([pathsOf(chosen), unreadable]).toEqual([["trip:b.jpg"], ["trip/a.jpg"]]);
});

it("reports that it stopped at the maximum number of files", async () => {
  const many = (count: number) => entryOf("all", Object.fromEntries(Array.from({ length: count }, (_, n) => [`${n}.png`, "x"])));
  const full = await walk([many(MAX_FILES)]);
  expect([full.chosen.length, full.cut]).toEqual([MAX_FILES, false]);
  const over = await walk([many(MAX_FILES + 1)]);
  expect([over.chosen.length, over.cut]).toEqual([MAX_FILES, true]);
});

it("keeps the paths of a chosen folder, and the given order of chosen files", () => {
  const at = (path: string) => Object.assign(new File(["x"], path.split("/").at(-1) ?? ""), { webkitRelativePath: path });
  const folder = [at("trip/lake/b 10.jpg"), at("trip/lake/b 2.jpg"), at("trip/.DS_Store"), at("trip/a.jpg")];
  expect(pathsOf(chosenIn(folder).chosen)).toEqual(["trip:a.jpg", "trip/lake:b 2.jpg", "trip/lake:b 10.jpg"]);
  const single = ["b", "a"].map((name) => Object.assign(new File(["x"], name), { webkitRelativePath: "" }));
  expect(pathsOf(chosenIn(single).chosen)).toEqual([":b", ":a"]);
});
