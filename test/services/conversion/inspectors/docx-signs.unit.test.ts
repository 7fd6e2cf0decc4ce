import { describe, expect, it } from "vitest";
import { hiddenStylesIn, withSigns } from "#services/conversion/inspectors/inside/docx-signs.ts";

const made = (document: string) => withSigns(document).document;

describe("withSigns", () => {
  it("leaves a document without unreadable symbols unchanged", () => {
    const document =
      '<w:p><w:r><w:rPr><w:vanish w:val="0"/></w:rPr><w:t>a</w:t></w:r><w:r><w:sym w:font="Symbol" w:char="F061"/></w:r></w:p>';
    expect(withSigns(document)).toEqual({ document, hasHidden: false });
  });

  it("keeps text around hidden text, and fields that start in it", () => {
    const hidden = (content: string) => `<w:r><w:rPr><w:b/><w:vanish/></w:rPr>${content}</w:r>`;
    const field = '<w:fldChar w:fldCharType="begin"/>';
    expect(withSigns(`<w:p>${hidden(`<w:t>x</w:t>${field}`)}<w:r><w:t>y</w:t></w:r></w:p>`)).toEqual({
      document: `<w:p>${hidden(field)}<w:r><w:t>y</w:t></w:r></w:p>`,
      hasHidden: true,
    });
  });

  it("removes text that is hidden by a style or by the one below it", () => {
    const style = (id: string, base: string, more = "") =>
      `<w:style w:styleId="${id}"><w:basedOn w:val="${base}"/><w:rPr>${more}</w:rPr></w:style>`;
    const hidden = hiddenStylesIn(style("A", "", "<w:vanish/>") + style("B", "A") + style("C", "", '<w:vanish w:val="0"/>'));
    expect([...hidden]).toEqual(["A", "B"]);
    const run = (text: string, more = "") => `<w:r><w:rPr>${more}</w:rPr><w:t>${text}</w:t></w:r>`;
    const paragraph = (style: string, runs: string) => `<w:p><w:pPr><w:pStyle w:val="${style}"/></w:pPr>${runs}</w:p>`;
    const given = paragraph("B", run("x")) + paragraph("C", run("y") + run("z", '<w:rStyle w:val="A"/>'));
    expect(withSigns(given, hidden)).toEqual({
      document: paragraph("B", "<w:r><w:rPr></w:rPr></w:r>") + paragraph("C", `${run("y")}<w:r><w:rPr><w:rStyle w:val="A"/></w:rPr></w:r>`),
      hasHidden: true,
    });
  });

  it("separates text from a picture, a note and a field in the same run", () => {
    const run = (content: string, more = "<w:b/>") => `<w:r><w:rPr>${more}</w:rPr>${content}</w:r>`;
    const either = (content: string) => `<mc:AlternateContent><mc:Choice>${content}</mc:Choice></mc:AlternateContent>`;
    const [text, note] = ["<w:t>$1</w:t>", '<w:footnoteReference w:id="2"/>'];
    const drawing = `<w:drawing>${either("<wp:positionH/>")}${either("<wp:positionV/>")}</w:drawing>`;
    for (const each of [drawing, note, "<w:pict/>", '<w:fldChar w:fldCharType="end"/>', either(drawing)])
      expect(made(run(text + each + each + text))).toBe(run(text) + run(each) + run(each) + run(text));
    expect(made(run(`\n${text}\n${note}\n`))).toBe(run(`\n${text}`) + run(`\n${note}\n`));
    const object = '<w:object><w:drawing></w:drawing><w:objectEmbed r:id="r"/></w:object>';
    expect(made(run(object + text))).toBe(run(object) + run(text));
    const font = `${either("<w:rFonts/>")}<w:b/>`;
    expect(made(run(drawing + text, font))).toBe(run(drawing, font) + run(text, font));
    const change = "<w:rPrChange><w:rPr></w:rPr></w:rPrChange>";
    expect(made(run(drawing + text, change))).toBe(`${run(drawing, change)}<w:r>${text}</w:r>`);
  });

  it("escapes symbols that are XML markup and replaces unknown ones", () => {
    const run = (text: string) => `<w:r><w:rPr><w:rFonts w:ascii="Symbol"/></w:rPr><w:t>${text}</w:t></w:r>`;
    expect(made(run("\uf03c\uf026a"))).toBe(run("&lt;&amp;α"));
    expect(made('<w:r><w:sym w:font="Wingdings" w:char="F0FF"/></w:r>')).toBe("<w:r><w:t>\uFFFD</w:t></w:r>");
  });

  it("shows unchecked boxes and default states", () => {
    const box = (state: string) =>
      `<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:checkBox>${state}</w:checkBox></w:ffData></w:fldChar></w:r>`;
    expect(made(box('<w:default w:val="1"/><w:checked w:val="0"/>'))).toContain("<w:t>☐</w:t>");
    expect(made(box('<w:default w:val="1"/>'))).toContain("<w:t>☒</w:t>");
    expect(made(box("<w:sizeAuto/>"))).toContain("<w:t>☐</w:t>");
  });
});
