import { expect, it } from "vitest";
import { withChoices } from "#services/conversion/inspectors/inside/docx-choices.ts";

const alternative = (choice: string, fallback: string): string =>
  `<mc:AlternateContent><mc:Choice Requires="w16se">${choice}</mc:Choice><mc:Fallback>${fallback}</mc:Fallback></mc:AlternateContent>`;

it("keeps an emoji, which Word writes as a sign with a fallback", () => {
  const sign = '<w16se:symEx w16se:font="Segoe UI Emoji" w16se:char="1F680"/>';
  const run = `<w:r><w:rPr>${alternative("", "<w:rFonts/>")}</w:rPr>${alternative(sign, "<w:t>🚀</w:t>")}</w:r>`;
  expect(withChoices(run)).toBe(`<w:r><w:rPr>${alternative("", "<w:rFonts/>")}</w:rPr><w:t>🚀</w:t></w:r>`);
});

it("prefers the text of the choice, in a run and around paragraphs", () => {
  expect(withChoices(`<w:r>${alternative("<w:t>new</w:t>", "<w:t>old</w:t>")}</w:r>`)).toBe("<w:r><w:t>new</w:t></w:r>");
  const [fresh, old] = ["<w:p><w:r><w:t>new</w:t></w:r></w:p>", "<w:p/>"];
  expect(withChoices(`${alternative(fresh, old)}<w:p/>`)).toBe(`${fresh}<w:p/>`);
});

it("leaves alternatives of drawings as they are, with what is inside", () => {
  const drawing = `<w:drawing>${alternative("<wps:wsp/>", "<w:t>x</w:t>")}</w:drawing>`;
  const boxes = `<w:r>${alternative("<w:drawing ><w:p>a</w:p></w:drawing>", "<w:pict><w:p>a</w:p></w:pict>")}</w:r>`;
  expect(withChoices(boxes)).toBe(boxes);
  expect(withChoices(drawing)).toBe("<w:drawing><w:t>x</w:t></w:drawing>");
  expect(withChoices("<mc:AlternateContent><mc:Choice>")).toBe("<mc:AlternateContent><mc:Choice>");
});
