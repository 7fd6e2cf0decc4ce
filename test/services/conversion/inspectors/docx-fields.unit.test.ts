import { expect, it } from "vitest";
import { withShownFields } from "#services/conversion/inspectors/inside/docx-fields.ts";
import { expectLinearTime } from "#test/harness/linear-growth.ts";

const mark = (kind: string): string => `<w:r><w:fldChar w:fldCharType="${kind}"/></w:r>`;
const coded = (...codes: readonly string[]): string =>
  mark("begin") + codes.map((code) => `<w:r><w:instrText xml:space="preserve">${code}</w:instrText></w:r>`).join("");
const textIn = (document: string): string => [...document.matchAll(/<w:t(?: [^<>]*)?>([^<]*)/g)].map(([, text]) => text).join("");
const codeIn = (document: string): string => [...document.matchAll(/<w:instrText[^<>]*>([^<]*)/g)].map(([, code]) => code).join("");

it.each([
  [' SYMBOL 182 \\f "Symbol" \\s 12 ', "∂"],
  [" SYMBOL 169 ", "©"],
  [" SYMBOL 9733 \\u ", "★"],
  [" MACROBUTTON NoMacro [Type here] ", "[Type here] ".trim()],
  [" GOTOBUTTON place Go there ", "Go there"],
  [' XE "term" ', ""],
])("shows what the code of a field without a result says: %s", (code, wanted) => {
  expect(withShownFields(coded(code) + mark("end"))).toEqual({ document: expect.any(String), lost: 0 });
  expect(textIn(withShownFields(coded(code) + mark("end")).document)).toBe(wanted);
});

it.each([" EQ \\f(1,2) ", " AUTONUM ", " LISTNUM "])("counts what only Word shows: %s", (code) => {
  expect(withShownFields(coded(code) + mark("end")).lost).toBe(1);
  expect(withShownFields(`${coded(code) + mark("separate")}<w:r><w:t>1</w:t></w:r>${mark("end")}`).lost).toBe(0);
});

it.each([
  [[' HYPERLINK "https://e.org/a?b&amp;c" \\o "tip" \\t "_blank"'], ' HYPERLINK "https://e.org/a?b&amp;c" '],
  [[' HYPERLINK \\l "place" '], ' HYPERLINK "#place" '],
  [[" HYPER", 'LINK "https://e.org/', 'a" \\l "b"'], ' HYPERLINK "https://e.org/a#b" '],
  [[" PAGEREF x \\h "], " PAGEREF x \\h "],
])("makes links plain: %s", (codes, wanted) => {
  expect(codeIn(withShownFields(`${coded(...codes)}${mark("separate")}<w:r><w:t>1</w:t></w:r>${mark("end")}`).document)).toBe(wanted);
});

it("takes linear time", () => {
  expectLinearTime((times) => withShownFields(coded(' HYPERLINK "').repeat(times)), 60_000);
});
