import { describe, expect, it } from "vitest";
import { formatOf, formatOfFileName, formats, formatsOfFileName, kinds, parseFormatId } from "#formats/index.ts";
import { sharedExtensions } from "#formats/table/lookup.ts";

describe("the format table", () => {
  it("has valid rows of every kind with unique ids", () => {
    expect(formats.length).toBeGreaterThan(500);
    expect(new Set(formats.map((row) => row.id)).size).toBe(formats.length);
    for (const kind of kinds) expect(formats.some((row) => row.kind === kind)).toBe(true);
    for (const row of formats) {
      expect(row.id).toMatch(/^[a-z0-9]{1,16}$/);
      expect(row.label).not.toBe("");
      expect(row.mime).toMatch(/^[\w.+-]+\/[\w.+-]+(; ?[\w-]+="?[\w.-]+"?)*$/);
      expect(row.extensions.length).toBeGreaterThan(0);
      for (const extension of row.extensions) expect(extension).toMatch(/^[a-z0-9]+(\.[a-z0-9]+)?$/);
      expect(parseFormatId(row.id)).toBe(row);
    }
  });

  it("resolves every shared extension", () => {
    const counts = new Map<string, number>();
    for (const extension of formats.flatMap((row) => row.extensions)) counts.set(extension, (counts.get(extension) ?? 0) + 1);
    const shared = [...counts].filter(([, count]) => count > 1).map(([extension]) => extension);
    expect(shared.filter((extension) => sharedExtensions[extension] === undefined)).toEqual([]);
    for (const [extension, id] of Object.entries(sharedExtensions)) {
      expect(counts.get(extension), extension).toBeGreaterThan(1);
      expect(formatOfFileName(`a.${extension}`)?.id).toBe(id);
    }
  });
});

describe("parseFormatId", () => {
  it.each([
    ["jpg", "jpg"],
    ["JPEG", "jpg"],
    ["mpo", "jpg"],
    [".jpg", "jpg"],
    [".TIF", "tiff"],
    ["tar.gz", "tgz"],
    ["TAR.GZ", "tgz"],
    ["htm", "html"],
    ["7z", "7z"],
    ["3gp", "3gp"],
  ])("reads %s as %s", (text, id) => expect(parseFormatId(text)?.id).toBe(id));

  it.each([
    "",
    ".",
    "..",
    "jpg ",
    "../jpg",
    "jpg\n",
    "x".repeat(17),
    "evil.lua",
    "/etc/passwd",
    "__proto__",
    "constructor",
    "jpg\0",
    "ｊｐｇ",
  ])("rejects %j", (text) => expect(parseFormatId(text)).toBeUndefined());
});

describe("formatOfFileName", () => {
  it.each([
    ["photo.JPG", "jpg"],
    ["a.b.c.tar.gz", "tgz"],
    ["archive.tar.unknown.gz", "gz"],
    ["données.docx", "docx"],
    [".gitignore.md", "md"],
    ["graph.dot", "dot"],
    ["prices.csv ", "csv"],
    [`${"x".repeat(5000)}.png`, "png"],
  ])("detects %s as %s", (name, id) => expect(formatOfFileName(name)?.id).toBe(id));

  it.each(["jpg", "noextension", "", "a.", "x.exe", "a.png/", "a.__proto__"])("returns undefined for %j", (name) => {
    expect(formatOfFileName(name)).toBeUndefined();
  });

  it("returns every format of a shared extension", () => {
    expect(formatsOfFileName("a.dot").map((row) => row.id)).toEqual(["dot", "gv"]);
  });
});

it("ignores inherited Object properties", () => {
  expect(formatOf("toString")).toBeUndefined();
});
