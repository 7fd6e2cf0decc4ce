import { strFromU8, strToU8, unzipSync, zipSync } from "fflate";
import { expect, it } from "vitest";
import { pandocEngine } from "#services/conversion/engines/documents/pandoc.ts";
import { docx, line, renamed, revised, text } from "#test/contract/word-file.ts";
import { converting } from "#test/services/conversion/engines/shared/converting.ts";

const convert = converting(pandocEngine);
const styled = (style: string, content: string) => line(content, `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`);
const courier = '<w:rPr><w:rFonts w:ascii="Courier New" w:hAnsi="Courier New"/></w:rPr>';
const fixed = (content: string) => `<w:r>${courier}${text(content)}</w:r>`;
const style = (id: string, name: string) => `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/></w:style>`;
const cell = (blocks: string, more = "") => `<w:tc><w:tcPr>${more}</w:tcPr>${blocks}</w:tc>`;

it("accepts, rejects or shows tracked changes, and notes what is left out", async () => {
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
  const book = await convert(revised, "docx", "rst");
  expect(book.messages.get("METADATA_DROPPED")).toBe("Tracked changes were accepted and one comment was left out.");
});

it("keeps title, author, date, language, keywords and description of the properties where the target has a place for them", async () => {
  const core =
    '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/"><dc:title>Salt &amp; pepper</dc:title><dc:creator>Ada</dc:creator><cp:keywords>salt, pepper</cp:keywords><dc:description>Of a kitchen</dc:description><dcterms:created>2019-05-06T07:08:09Z</dcterms:created></cp:coreProperties>';
  const language = '<w:docDefaults><w:rPrDefault><w:rPr><w:lang w:val="fr-CA"/></w:rPr></w:rPrDefault></w:docDefaults>';
  const given = Buffer.from(zipSync({ ...unzipSync(docx(line("Text."), language)), "docProps/core.xml": strToU8(core) }));
  expect((await convert(given, "docx", "md")).text).toBe("---\nauthor: Ada\ntitle: Salt & pepper\n---\n\nText.\n");
  const { text: page } = await convert(given, "docx", "html");
  expect(page).toContain('lang="fr-CA"');
  expect(page).toContain("<title>Salt &amp; pepper</title>");
  expect(page).toMatch(/<meta name="author" content="Ada" \/>\s*<meta name="dcterms.date" content="2019-05-06" \/>/);
  expect(page).toMatch(/<meta name="keywords" content="salt, pepper" \/>\s*<meta name="description" content="Of a kitchen" \/>/);
  expect(
    page
      .replace(/<style>[\s\S]*?<\/style>/, "")
      .replace(/^[\s\S]*<body>/, "")
      .replace(/<[^>]*>/g, "")
      .trim(),
  ).toBe("Text.");
  const book = unzipSync((await convert(given, "docx", "epub")).bytes);
  const about = strFromU8(book["EPUB/content.opf"] ?? new Uint8Array());
  expect(about).toMatch(/<dc:subject[^>]*>salt, pepper<[\s\S]*<dc:description[^>]*>Of a kitchen</);
  expect(about).toMatch(
    /<dc:title[^>]*>Salt &amp; pepper<[\s\S]*<dc:date[^>]*>2019-05-06<[\s\S]*<dc:language>fr-CA<[\s\S]*<dc:creator[^>]*>Ada</,
  );
  const { messages } = await convert(given, "docx", "rst");
  expect(messages.get("TEXT_LEFT_OUT")).toBe("Properties of the document were left out: title, author, keywords, description.");
});

it("keeps the cells of a table without a column grid", async () => {
  const table = `<w:tbl><w:tblPr/><w:tr>${cell(line("zebra"))}${cell(line("42"))}</w:tr><w:tr>${cell(line("llama"))}${cell(line("7"))}</w:tr></w:tbl>`;
  const { text: made } = await convert(docx(line("Before.") + table), "docx", "md");
  expect(made.replace(/[ -]+/g, "")).toContain("|zebra|42|\n|||\n|llama|7|");
});

it("recognises code and quotations by other programs' styles and fonts, and keeps indentation", async () => {
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

it("recognises headings by their outline level, whatever their style, but not long paragraphs", async () => {
  const outlined = (level: number, content: string, more = "") => line(content, `<w:pPr>${more}<w:outlineLvl w:val="${level}"/></w:pPr>`);
  const chapter = style("C", "Chapter").replace("</w:style>", '<w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style>');
  const body = [
    `<w:p><w:pPr><w:outlineLvl w:val="0"/></w:pPr><w:r><w:rPr><w:b/></w:rPr>${text("First")}</w:r></w:p>`,
    styled("C", "Second"),
    outlined(8, "Deep"),
    outlined(9, "Text."),
    styled("C", "Clause ".repeat(40).trim()),
    outlined(3, "Known", '<w:pStyle w:val="H"/>'),
    `<w:tbl><w:tblPr/><w:tr>${cell(outlined(0, "zebra"))}${cell(line("42"))}</w:tr></w:tbl>`,
  ].join("");
  const { text: made } = await convert(docx(body, chapter + style("H", "heading 2")), "docx", "md");
  const [table = "", ...texts] = made.trim().split("\n\n").reverse();
  expect(texts.reverse()).toEqual(["# First", "## Second", "###### Deep", "Text.", "Clause ".repeat(40).trim(), "## Known"]);
  expect(table).toMatch(/^\| zebra +\| 42 +\|\n/);
});

it("recognises code by its character style if the paragraph style is undefined", async () => {
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

it("writes merged cells, multi-line cells and rows without a header as a Markdown table", async () => {
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

it("writes formulas as GitHub reads them, and keeps dollar signs as text", async () => {
  const formula = (name: string) => `<m:oMath xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math">${name}</m:oMath>`;
  const letter = (content: string) => `<m:r><m:t>${content}</m:t></m:r>`;
  const sum = formula(`<m:sSub><m:e>${letter("x")}</m:e><m:sub>${letter("1")}</m:sub></m:sSub>${letter("+")}${letter("y")}`);
  const body = `<w:p><w:r>${text("See ")}</w:r>${sum}<w:r>${text(" of $5 and $x$ here.")}</w:r></w:p>`;
  const { text: made } = await convert(docx(body), "docx", "md");
  expect(made.trim()).toBe("See $x_{1} + y$ of $5 and $x\\$ here.");
});

it("escapes entity names and a paragraph of dashes", async () => {
  const body = ["&amp;nbsp; R&amp;D &amp;#65;", "---"].map((each) => `<w:p><w:r>${text(each)}</w:r></w:p>`).join("");
  expect((await convert(docx(body), "docx", "md")).text.trim().split("\n\n")).toEqual(["\\&nbsp; R&D \\&\\#65;", "\\---"]);
  expect((await convert(docx(body), "docx", "md", { dialect: "commonmark" })).text).toContain("\\&nbsp; R&D");
});

it("keeps ruby, symbols, right-to-left text, line breaks, checkboxes and drop-down choices, and notes hidden text", async () => {
  const run = (content: string, properties = "") => `<w:r>${properties}${content}</w:r>`;
  const field = (data: string, code: string) =>
    run(`<w:fldChar w:fldCharType="begin"><w:ffData>${data}</w:ffData></w:fldChar>`) +
    run(`<w:instrText>${code}</w:instrText>`) +
    run('<w:fldChar w:fldCharType="end"/>');
  const body = [
    `<w:p>${run(`<w:ruby><w:rubyPr/><w:rt>${run(text("かんじ"))}</w:rt><w:rubyBase>${run(text("漢字"))}</w:rubyBase></w:ruby>`)}</w:p>`,
    `<w:p>${run('<w:sym w:font="Wingdings" w:char="F0FC"/>')}${run(text(" done "))}${run(text("\uf0e0"), '<w:rPr><w:rFonts w:ascii="Wingdings"/></w:rPr>')}</w:p>`,
    `<w:p>${run('<w:sym w:font="Wingdings 3" w:char="F08A"/>')}${run('<w:sym w:font="Arial" w:char="2192"/>')}</w:p>`,
    `<w:p><w:bdo w:val="rtl">${run(text("one"))}</w:bdo><w:dir w:val="rtl">${run(text("two"))}</w:dir></w:p>`,
    `<w:p>${run(`${text("one")}<w:cr/>${text("two")}`)}</w:p>`,
    `<w:p>${field('<w:checkBox><w:default w:val="0"/><w:checked/></w:checkBox>', "FORMCHECKBOX")}${run(text(" agreed"))}</w:p>`,
    `<w:p>${field('<w:ddList><w:result w:val="1"/><w:listEntry w:val="red"/><w:listEntry w:val="blue"/></w:ddList>', "FORMDROPDOWN")}</w:p>`,
    `<w:p>${run(text("shown"))}${run(text("secret"), "<w:rPr><w:vanish/></w:rPr>")}</w:p>`,
  ];
  const { text: made, messages } = await convert(docx(body.join("")), "docx", "md");
  expect(made.trim().split("\n\n")).toEqual(["漢字(かんじ)", "✓ done →", "\uFFFD→", "onetwo", "one  \ntwo", "☒ agreed", "blue", "shown"]);
  expect(messages.get("TEXT_LEFT_OUT")).toBe("Hidden text was left out. Signs of fonts without known characters became \uFFFD.");
});

it("says what it left out of parts, fields and pictures that are elsewhere", async () => {
  const field = (code: string) =>
    `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>${code}</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>`;
  const linked =
    '<w:r><w:drawing><a:blip xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" r:link="rId9"/></w:drawing></w:r>';
  const body = `<w:p><w:r>${text("Quokka ")}</w:r>${field(" AUTONUM ")}${field(" MACROBUTTON x Press")}${linked}</w:p><w:altChunk r:id="rId8"/>`;
  const { text: made, messages } = await convert(docx(body), "docx", "md");
  expect(made.trim()).toBe("Quokka Press");
  expect(messages.get("TEXT_LEFT_OUT")).toBe(
    "Automatic numbers and formulas that fields show were left out. Documents that are embedded or linked as parts of the text were left out.",
  );
  expect(messages.get("IMAGES_REMOVED")).toBe("One picture was left out.");
});

it("counts pictures that are embedded by their address among those that are elsewhere", async () => {
  const blip = '<w:r><w:drawing><a:blip xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" r:embed="rId9"/></w:drawing></w:r>';
  const type = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/image";
  const link = `<Relationship Id="rId9" Type="${type}" Target="https://example.com/quokka.png" TargetMode="External"/>`;
  const relations = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${link}</Relationships>`;
  const parts = unzipSync(docx(`<w:p><w:r>${text("Quokka")}</w:r>${blip}</w:p>`));
  const given = Buffer.from(zipSync({ ...parts, "word/_rels/document.xml.rels": strToU8(relations) }));
  expect((await convert(given, "docx", "md")).messages.get("IMAGES_REMOVED")).toBe("One picture was left out.");
});

it.each([
  ["mediawiki", '<span id="title"></span>\n= Salt =\n\nand pepper\n\nText.\n'],
  ["txt", "Salt\n\nand pepper\n\nText.\n"],
  ["dokuwiki", "====== Salt ======\n\nand pepper\n\nText.\n"],
])("keeps title and subtitle in %s, which has no place of its own for both", async (to, expected) => {
  expect(
    (
      await convert(
        docx(
          styled("Title", "Salt") + styled("Subtitle", "and pepper") + line("Text."),
          style("Title", "Title") + style("Subtitle", "Subtitle"),
        ),
        "docx",
        to,
      )
    ).text,
  ).toBe(expected);
});

it("names charts, diagrams and embedded files, of which nothing is read", async () => {
  const more = { "word/charts/chart1.xml": strToU8("<c/>"), "word/embeddings/oleObject1.bin": strToU8("x") };
  const given = Buffer.from(zipSync({ ...unzipSync(docx(line("Text."))), ...more }));
  const { messages } = await convert(given, "docx", "md");
  expect(messages.get("TEXT_LEFT_OUT")).toBe("Charts and embedded files were left out.");
});

it("reads a document whose parts have other names than those of Word", async () => {
  const { text: made, messages } = await convert(renamed(revised), "docx", "md");
  expect(made.trim()).toBe("kept new end");
  expect(messages.get("METADATA_DROPPED")).toMatch(/^Tracked changes were accepted and one comment was left out/);
  const hidden = `<w:r>${text("a ")}</w:r><w:r><w:rPr><w:vanish/></w:rPr>${text("unseen")}</w:r>`;
  const shown = await convert(renamed(docx(`<w:p>${hidden}</w:p>`)), "docx", "txt");
  expect(shown.text).not.toContain("unseen");
  expect(shown.messages.get("TEXT_LEFT_OUT")).toBe("Hidden text was left out.");
});
