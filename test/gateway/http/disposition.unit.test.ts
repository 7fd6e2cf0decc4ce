import { parse } from "content-disposition";
import fc from "fast-check";
import { expect, it } from "vitest";
import { dispositionOf } from "#gateway/http/disposition.ts";

it.each([
  ["photo.jpg", "photo.webp"],
  ["archive.tar.gz", "archive.tar.webp"],
  ["no extension", "no extension.webp"],
  ["a.b c.png", "a.b c.webp"],
  ["Grüße 世界.docx", "Grüße 世界.webp"],
  ['100% "sure".png', "100% _sure_.webp"],
  ["../../etc/passwd", "passwd.webp"],
  ["C:\\Users\\me\\x.png", "x.webp"],
  [".htaccess", "result.webp"],
  ["...", "result.webp"],
  ["", "result.webp"],
  ["\u202egnp.exe", "gnp.webp"],
  ["a\r\nSet-Cookie: x=1.png", "aSet-Cookie_ x=1.webp"],
  ["nul\0l.png", "null.webp"],
  ["\ud800.png", "result.webp"],
  ["نامه\u200cها.docx", "نامه\u200cها.webp"],
  ["\u200d\u200c.png", "result.webp"],
])("names the result of %j", (source, name) => {
  const header = dispositionOf(source, "webp");
  expect(header).toMatch(/^[\x20-\x7e]+$/);
  expect(parse(header)).toMatchObject({ type: "attachment", parameters: { filename: name } });
});

it("produces a valid header for any file name", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), (source) => {
      const header = dispositionOf(source, "png");
      expect(header).toMatch(/^attachment; filename[\x20-\x7e]+$/);
      expect(parse(header).parameters.filename).toMatch(/^[^/\\\p{Cc}]+\.png$/u);
    }),
  );
});
