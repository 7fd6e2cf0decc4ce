import { expect, test } from "vitest";
import { bookmarksIn, levelledBy } from "#services/conversion/engines/inside/pdf/outline.ts";
import type { Block } from "#services/conversion/engines/inside/pdf/tree.ts";

const heading = (level: number, text: string): Block => ({ kind: "heading", level, inlines: [{ text }] });
const line = (text: string): Block => ({ kind: "paragraph", inlines: [{ text }] });
const said = (pages: readonly Block[][]) =>
  pages.flat().map((block) => `${block.kind === "heading" ? block.level : "p"} ${"inlines" in block ? block.inlines[0]?.text : ""}`);

const bookmarks = bookmarksIn([
  {
    title: "1 Quokkas",
    items: [
      { title: "1.1  Diet", items: [] },
      { title: "Where they live", items: [{ title: "Islands", items: [] }] },
    ],
  },
  { title: "2 Numbats", items: [] },
]);

test("bookmarks set the levels of headings, plain lines and headings that no bookmark names", () => {
  const pages = [
    [heading(1, "1 Quokkas"), line("Text."), heading(1, "1.1 Diet"), line("Where they live"), heading(2, "Islands")],
    [heading(2, "Shores"), heading(1, "2 NUMBATS"), line("Text.")],
  ];
  expect(said(levelledBy(bookmarks, pages))).toEqual([
    ...["1 1 Quokkas", "p Text.", "2 1.1 Diet", "2 Where they live", "3 Islands"],
    ...["3 Shores", "1 2 NUMBATS", "p Text."],
  ]);
});

test("a title that no bookmark names ranks above all, and a repeated line stays a line", () => {
  const pages = [[heading(1, "Marsupials"), line("Islands"), heading(2, "1 Quokkas"), line("Islands"), heading(3, "1.1 Diet")]];
  expect(said(levelledBy(bookmarks, pages))).toEqual(["1 Marsupials", "p Islands", "2 1 Quokkas", "p Islands", "3 1.1 Diet"]);
});

test("nothing changes without valid bookmarks", () => {
  const pages = [[heading(2, "1 Quokkas"), line("Diet")]];
  expect(said(levelledBy(bookmarksIn([{ title: 7 }, { items: "x" }, { title: " – " }]), pages))).toEqual(["2 1 Quokkas", "p Diet"]);
  expect(bookmarksIn(null)).toEqual([]);
});
