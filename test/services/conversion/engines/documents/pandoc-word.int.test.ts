import { expect, it } from "vitest";
import { pandocEngine } from "#services/conversion/engines/documents/pandoc.ts";
import { docx, line, revised, text } from "#test/contract/word-file.ts";
import { converting } from "#test/services/conversion/engines/shared/converting.ts";

const convert = converting(pandocEngine);
const styled = (style: string, content: string) => line(content, `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`);
const courier = '<w:rPr><w:rFonts w:ascii="Courier New" w:hAnsi="Courier New"/></w:rPr>';
const fixed = (content: string) => `<w:r>${courier}${text(content)}</w:r>`;
const style = (id: string, name: string) => `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/></w:style>`;
const cell = (blocks: string, more = "") => `<w:tc><w:tcPr>${more}</w:tcPr>${blocks}</w:tc>`;

it("accepts, rejects or shows tracked changes, and says what it left out", async () => {
  const accepted = await convert(revised, "docx", "md");
  expect(accepted.text.trim()).toBe("kept new end");
  expect(accepted.messages.get("METADATA_DROPPED")).toBe(
    "Tracked changes were accepted and one comment was left out; `changes=all` keeps them.",
  );
  const rejected = await convert(revised, "docx", "md", { changes: "reject" });
  expect(rejected.text.trim()).toBe("kept old end");
  expect(rejected.messages.get("METADATA_DROPPED")).toMatch(/^Tracked changes were rejected/);
  const all = await convert(revised, "docx", "md", { changes: "all" });
  expect(all.text).toContain("kept <ins>new</ins>~~old~~");
  expect(all.text).toMatch(/\[\^1\]: \*\*Ada\*\*: Why\?/);
  expect(all.notes).toEqual([]);
});

it("knows code and quotations by the styles and letters of other programs, with the blanks before a line", async () => {
  const body = [
    line("Text before."),
    styled("P", "def f(a):"),
    styled("P", "    return a"),
    styled("Q", "Said by somebody."),
    `<w:p>${fixed("for x in y:")}</w:p><w:p>${fixed("    print(x)")}</w:p>`,
    `<w:p><w:r>${text("Call ")}</w:r>${fixed("f(1)")}<w:r>${text(" now.")}</w:r></w:p>`,
    ...["More text.", "And more.", "To the end."].map((each) => line(each)),
  ].join("");
  const { text: made } = await convert(docx(body, style("P", "HTML Preformatted") + style("Q", "Quotations")), "docx", "md");
  expect(made).toContain("    def f(a):\n        return a\n");
  expect(made).toContain("> Said by somebody.");
  expect(made).toContain("    for x in y:\n        print(x)\n");
  expect(made).toContain("Call `f(1)` now.");
});

it("knows code by its letters where the style of its paragraph is nowhere defined", async () => {
  const letters = '<w:style w:type="character" w:styleId="V"><w:name w:val="Verbatim Char"/></w:style>';
  const verbatim = (content: string) => `<w:r><w:rPr><w:rStyle w:val="V"/></w:rPr>${text(content)}</w:r>`;
  const body = [
    `<w:p><w:pPr><w:pStyle w:val="Lost"/></w:pPr>${verbatim("if a:")}</w:p><w:p><w:pPr><w:pStyle w:val="Lost"/></w:pPr>${verbatim("    b()")}</w:p>`,
    `<w:p>${verbatim("npm start")}</w:p>`,
    line("More text."),
  ].join("");
  const { text: made } = await convert(docx(body, letters), "docx", "md");
  expect(made).toContain("    if a:\n        b()\n");
  expect(made).toContain("`npm start`");
});

it("makes a table of Markdown of merged cells, cells of several lines and rows without a head", async () => {
  const rows = [
    `<w:tr>${cell(line("wide"), '<w:gridSpan w:val="2"/>')}${cell(line("c"))}</w:tr>`,
    `<w:tr>${cell(line("tall"), '<w:vMerge w:val="restart"/>')}${cell(line("one") + line("two"))}${cell(line("3"))}</w:tr>`,
    `<w:tr>${cell("<w:p/>", "<w:vMerge/>")}${cell(line("4"))}${cell(line("5"))}</w:tr>`,
  ];
  const grid = `<w:tblGrid>${'<w:gridCol w:w="1000"/>'.repeat(3)}</w:tblGrid>`;
  const { text: made } = await convert(docx(`<w:tbl><w:tblPr/>${grid}${rows.join("")}</w:tbl><w:p/>`), "docx", "md");
  const cells = made
    .trim()
    .split("\n")
    .map((row) =>
      row
        .split("|")
        .slice(1, -1)
        .map((each) => each.trim()),
    );
  expect(cells.toSpliced(1, 1)).toEqual([
    ["wide", "", "c"],
    ["tall", "one<br>two", "3"],
    ["", "4", "5"],
  ]);
});
