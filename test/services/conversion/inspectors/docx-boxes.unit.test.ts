import { describe, expect, it } from "vitest";
import { hasDrawings, withBoxes } from "#services/conversion/inspectors/inside/docx-boxes.ts";

const run = (text: string): string => `<w:r><w:t>${text}</w:t></w:r>`;
const paragraph = (...runs: readonly string[]): string => `<w:p w:rsidR="1">${runs.join("")}</w:p>`;
const box = (inside: string): string =>
  `<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><w:txbxContent>${inside}</w:txbxContent></w:drawing></mc:Choice>` +
  `<mc:Fallback><w:pict><w:txbxContent>${inside}</w:txbxContent></w:pict></mc:Fallback></mc:AlternateContent></w:r>`;
const empty = '<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing></w:drawing></mc:Choice></mc:AlternateContent></w:r>';

describe("text that Pandoc leaves out", () => {
  it("in boxes is moved behind their paragraph, once", () => {
    const document = `${paragraph(run("a"), box(paragraph(run("b")) + paragraph(run("c"))), run("d"))}<w:p/>${paragraph(run("e"))}`;
    const wanted = [paragraph(run("a"), empty, run("d")), paragraph(run("b")), paragraph(run("c")), "<w:p/>", paragraph(run("e"))];
    expect(withBoxes(document)).toBe(wanted.join(""));
  });

  it("in nested boxes is moved as well", () => {
    const inner = paragraph(run("b"), box(paragraph(run("c"))));
    expect(withBoxes(paragraph(run("a"), box(inner)))).toBe(paragraph(run("a"), empty) + paragraph(run("b"), empty) + paragraph(run("c")));
  });

  it("in simple fields and custom tags stays in place", () => {
    const field = `<w:fldSimple w:instr=" AUTHOR ">${run("Ann")}</w:fldSimple>`;
    const marked = `<w:customXml w:element="x">${paragraph(field, `<w:smartTag w:uri="u">${run("b")}</w:smartTag>`)}</w:customXml>`;
    expect(withBoxes(marked)).toBe(paragraph(run("Ann"), run("b")));
  });

  it("is not looked for in a document without any, or with mismatched tags", () => {
    expect(withBoxes(paragraph(run("a")))).toBeUndefined();
    for (const broken of ["<w:txbxContent>", "</w:p><w:txbxContent>", "<w:p><w:txbxContent></w:p></mc:Fallback>"])
      expect(withBoxes(broken)).toBeUndefined();
  });

  it("moves drawn text after its paragraph, as text", () => {
    const drawn = (box: string) =>
      paragraph(run("a"), `<w:r><w:pict><v:shape><v:textpath style="x" string="Sale &amp; more"/>${box}</v:shape></w:pict></w:r>`);
    expect(withBoxes(drawn(""))).toBe(`${drawn("")}<w:p><w:r><w:t xml:space="preserve">Sale &amp; more</w:t></w:r></w:p>`);
  });
});

it("finds drawings without text, but no boxes, pictures or rules", () => {
  const shape = (inside: string) => run(`<w:drawing><wps:wsp>${inside}</wps:wsp></w:drawing>`);
  const old = (kind: string, inside: string) => run(`<w:pict><v:${kind}>${inside}</v:${kind.split(" ")[0]}></w:pict>`);
  expect(hasDrawings(paragraph(shape("<wps:cNvCnPr/>")))).toBe(true);
  expect(hasDrawings(paragraph(old("line from='0,0'", "")))).toBe(true);
  const others = [old('rect o:hr="t"', ""), old("shape id='a'", '<v:imagedata r:id="b"/>'), run("x")];
  expect([box(paragraph(run("b"))), ...others].map((each) => hasDrawings(paragraph(each)))).toEqual([false, false, false, false]);
});
