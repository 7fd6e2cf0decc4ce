import { expect, it } from "vitest";
import { withFormulas } from "#services/conversion/inspectors/inside/docx-formulas.ts";

const names = ' xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"';
const formula = "<m:oMath><m:r><m:t>x</m:t></m:r></m:oMath>";
const line = (content: string, more = "") => `<m:oMathPara${more}>${content}</m:oMathPara>`;
const documentOf = (...paragraphs: readonly string[]) => paragraphs.map((each) => `<w:p>${each}</w:p>`).join("");

it("names the vocabulary of formulas at the root of a document", () => {
  const body = documentOf(line(formula, names));
  const made = `<w:document xmlns:w="w"${names}>${body}`;
  expect(withFormulas(`<w:document xmlns:w="w">${body}`)).toBe(made);
  expect(withFormulas(made)).toBe(made);
});

it.each(["<w:t>text</w:t>", '<w:sym w:font="Wingdings" w:char="F0FC"/>', '<w:footnoteReference w:id="2"/>'])(
  "keeps %s and other formulas beside a formula on a line of its own",
  (content) => {
    const text = `<w:r>${content}</w:r>`;
    const given = documentOf(text, line(formula), text + line(formula), line(formula) + line(formula));
    expect(withFormulas(given)).toBe(documentOf(text, line(formula), text + formula, formula + formula));
  },
);
