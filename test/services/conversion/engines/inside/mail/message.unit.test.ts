import { expect, test } from "vitest";
import { dateOf } from "#services/conversion/engines/inside/mail/headers.ts";
import { richTextIn } from "#services/conversion/engines/inside/mail/rich-text.ts";

test.each([
  ["Tue, 31 Dec 2024 23:00:00 -0800 (PST)", "2024-12-31T23:00:00-08:00"],
  ["29 Feb 2024 23:59:59 +0530", "2024-02-29T23:59:59+05:30"],
  ["Thu, 29 Feb 2024 10:00:00 +0000", "2024-02-29T10:00:00.000Z"],
  ["Thu, 29 Feb 2024 10:00:00 GMT", "2024-02-29T10:00:00.000Z"],
  ["1 Jan 2024 10:00 EST", "2024-01-01T15:00:00.000Z"],
  ["1 Jan 70 10:00:00 +0000 (UTC)", "1970-01-01T10:00:00.000Z"],
  ["Tue, 5 Mar 2024 10:00:00", "2024-03-05T10:00:00"],
  [undefined, ""],
])("the date %s is told by the clock of the sender", (header, told) => {
  expect(dateOf(header)).toBe(told);
});

test.each([
  "30 Feb 2024 10:00:00 +0100",
  "5 Mar 2024 23:59:60 +0100",
  "05/03/2024 10:00:00",
  "5 Mar 2024 10:00:00 CET",
  "5 Mar 2024 10:00:00 +0060",
  "5 Mar 124 10:00:00 +0100",
  "Tue Mar  5 10:00:00 2024",
])("the date %s, whose time is not certain, stays as it is", (header) => {
  expect(dateOf(header)).toBe(header);
});

function shown(rtf: string) {
  const head = Buffer.alloc(16);
  head.writeInt32LE(rtf.length + 12, 0);
  head.writeInt32LE(rtf.length, 4);
  head.write("MELA", 8);
  return richTextIn(Buffer.concat([head, Buffer.from(rtf, "latin1")]), (bytes) => Buffer.from(bytes).toString("latin1"));
}

test.each([
  ["names that objects have", "\\constructor \\toString {\\*\\htmltag <p>}a", "<p>a"],
  ["fewer substitutes than none", "\\uc-2 \\u233 abc", "éabc"],
  ["substitutes without a number", "\\uc \\u233 ?abc", "éabc"],
  ["a sign as a substitute", "\\u233\\bullet abc", "éabc"],
  ["a brace too many", "a}b", "ab"],
])("the page in rich text with odd words is read: %s", (_what, body, html) => {
  expect(shown(`{\\rtf1\\ansi\\fromhtml1 ${body}`)).toEqual({ html, isPlain: false });
});

test("rich text that is no page becomes text, without fonts, pictures and codes of fields", () => {
  const field = '{\\field{\\*\\fldinst HYPERLINK "x"}{\\fldrslt link}}';
  const body = `{\\fonttbl{\\f0 Arial;}}\\ldblquote a\\rdblquote  <b>\\par ${field}{\\pict 00}\\par\\trowd c\\cell d\\cell\\row}`;
  expect(shown(`{\\rtf1\\ansi${body}`)).toEqual({ text: "“a” <b>\r\nlink\r\nc\td", isPlain: false });
  expect(shown("{\\rtf1\\ansi a\\emspace b\\page c\\nestcell d}")?.text).toBe("a\u2003b\r\nc\td");
  expect(shown("{\\rtf1\\ansi\\fromtext a}")).toEqual({ text: "a", isPlain: true });
});
