import { expect, test } from "vitest";
import { hasOwnLabels, withoutHiddenLabels } from "#services/conversion/inspectors/inside/docx-labels.ts";

const level = (place: number, format: string, text: string) =>
  `<w:lvl w:ilvl="${place}"><w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/></w:lvl>`;
const numbering = (...levels: readonly string[]) =>
  `<w:numbering><w:abstractNum w:abstractNumId="0">${levels.join("")}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>`;
const item = (place: number) => `<w:p><w:pPr><w:numPr><w:ilvl w:val="${place}"/><w:numId w:val="1"/></w:numPr></w:pPr></w:p>`;
const heading =
  '<w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>';

test("detects list labels that are more than a number where they are used", () => {
  const list = numbering(level(0, "decimal", "%1."), level(1, "decimal", "%1.%2"), level(2, "bullet", "§"));
  expect(hasOwnLabels(item(0), "", list)).toBe(false);
  expect(hasOwnLabels(item(1), "", list)).toBe(true);
  expect(hasOwnLabels(item(2), "", list)).toBe(false);
  expect(hasOwnLabels(item(0), "", "")).toBe(false);
});

test("detects heading numbers that come from the style", () => {
  const list = numbering(level(0, "decimal", "%1"));
  expect(hasOwnLabels('<w:p><w:pPr><w:pStyle w:val="H1"/></w:pPr></w:p>', heading, list)).toBe(true);
  expect(hasOwnLabels("<w:p/>", heading, list)).toBe(false);
});

test("detects numbers in words and other scripts", () => {
  expect(hasOwnLabels(item(0), "", numbering(level(0, "japaneseCounting", "%1.")))).toBe(true);
  expect(hasOwnLabels(item(0), "", numbering(level(0, "lowerRoman", "(%1)")))).toBe(false);
});

test("makes paragraphs of items that show no label", () => {
  const list = numbering(level(0, "none", ""), level(1, "decimal", "%1."));
  expect(withoutHiddenLabels(item(0) + item(1), list)).toBe(`<w:p><w:pPr></w:pPr></w:p>${item(1)}`);
});
