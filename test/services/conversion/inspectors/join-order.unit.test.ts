import { expect, test } from "vitest";
import { isSite, orderedNames } from "#services/conversion/inspectors/inside/join-order.ts";

const files = (...names: readonly string[]) => names.map((name) => ({ name, sort: "file" }));

test("joins files in natural order, folder by folder, without system files", () => {
  const members = [
    ...files("10.png", "2.png", "b/1.txt", "B.txt", "a 9/x", "a 10/x", "1.png"),
    ...files(".DS_Store", "__MACOSX/._1.png", "b/Thumbs.db", "desktop.ini", "b/.hidden/x"),
    { name: "b", sort: "dir" },
    { name: "link", sort: "link" },
  ];
  const names = ["1.png", "2.png", "10.png", "a 9/x", "a 10/x", "b/1.txt", "B.txt"];
  expect(orderedNames(members, "\n")).toEqual({ names, left: 0 });
});

test("a list selects files and their order, with repeats", () => {
  const members = files("a.pdf", "b.pdf", "order.txt");
  expect(orderedNames(members, "\uFEFF# mine\r\nb.pdf\r\n\r\n./a.pdf\r\nb.pdf")).toEqual({
    names: ["b.pdf", "a.pdf", "b.pdf"],
    left: 0,
  });
  expect(orderedNames(members, "b.pdf")).toEqual({ names: ["b.pdf"], left: 1 });
  expect(() => orderedNames(members, "c.pdf")).toThrow(
    expect.objectContaining({ code: "INVALID_INPUT", message: expect.stringContaining("c.pdf") }),
  );
});

test("rejects an empty selection and too many files", () => {
  expect(() => orderedNames(files(".DS_Store"), "")).toThrow(expect.objectContaining({ code: "INVALID_INPUT" }));
  const many = files(...Array.from({ length: 501 }, (_, index) => `${index}.png`));
  expect(() => orderedNames(many, "")).toThrow(expect.objectContaining({ code: "INPUT_TOO_COMPLEX" }));
});

test("detects a website at the top level or in its only folder", () => {
  const ofFiles = (...names: readonly string[]) => isSite(names.map((name) => ({ name, sort: "file" as const })));
  expect(ofFiles("index.html", "a/b.png")).toBe(true);
  expect(ofFiles("site/a.css", "site/index.htm", "__MACOSX/site/._a.css")).toBe(true);
  expect(ofFiles("site/a/index.html", "site/b.html")).toBe(false);
  expect(ofFiles("one/index.html", "two/index.html")).toBe(false);
  expect(ofFiles("a.html")).toBe(false);
});
