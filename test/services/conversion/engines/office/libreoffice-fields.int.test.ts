/** Field results in Word documents, some of which LibreOffice would recompute from data that it does not have. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { strFromU8, strToU8, unzipSync, zipSync } from "fflate";
import { expect, it } from "vitest";
import { libreofficeEngine } from "#services/conversion/engines/office/libreoffice.ts";
import { docx, renamed, text } from "#test/contract/word-file.ts";
import { converting } from "#test/services/conversion/engines/shared/converting.ts";

const office = converting(libreofficeEngine);

const run = (content: string) => `<w:r>${content}</w:r>`;
const mark = (type: string) => run(`<w:fldChar w:fldCharType="${type}"/>`);
const code = (content: string) => run(`<w:instrText>${content}</w:instrText>`);
const field = (codes: string, result: string) => mark("begin") + codes + mark("separate") + run(text(result)) + mark("end");
/** The paragraphs of a page. */
const linesOf = (made: string) =>
  [...made.matchAll(/<p[^>]*>(.*?)<\/p>/gs)].map(([, line = ""]) =>
    line
      .replace(/<[^>]*>/g, "")
      .replace(/\s+/g, " ")
      .trim(),
  );

it("keeps field results that need the file name, a missing bookmark, the save date or a condition", async () => {
  const lines = [
    `<w:bookmarkStart w:id="1" w:name="Here"/>${run(text("place"))}<w:bookmarkEnd w:id="1"/>`,
    field(code(" FILENAME \\p "), "letter.docx"),
    // As LibreOffice writes it.
    field(code(" FILENAME "), "own.docx").replace('begin"/>', 'begin"></w:fldChar>'),
    `<w:fldSimple w:instr=" FILENAME ">${run(text("simple.docx"))}</w:fldSimple>`,
    field(code(" REF Gone \\h "), "gone"),
    field(code(" REF Here \\h "), "place before"),
    field(code(" SAVEDATE "), "1999-02-02"),
    field(code(' IF "a" = "a" "yes" "no" '), "yes"),
    field(code(" IF ") + field(code(" FILENAME "), "code.docx") + code(' = "x" "p" "q" '), "outer"),
    field(code(" IF ") + field(code(" MERGEFIELD Sex "), "M") + code(' = "M" "Sir" "Madam" '), "Sir"),
    field(code(" = ") + field(code(" MERGEFIELD Price "), "2") + code(" * 3 "), "6"),
  ];
  const { text: made } = await office(docx(lines.map((line) => `<w:p>${line}</w:p>`).join("")), "docx", "html");
  expect(linesOf(made)).toEqual([
    "place",
    "letter.docx",
    "own.docx",
    "simple.docx",
    "gone",
    "place before",
    "1999-02-02",
    "yes",
    "outer",
    "Sir",
    "6",
  ]);
});

it("keeps the shown title where the document has another or none, in a target with fields", async () => {
  const lines = [field(code(" TITLE "), "Draft &amp; more"), `<w:fldSimple w:instr=" SUBJECT ">${run(text("Rivers"))}</w:fldSimple>`];
  const live = await office(docx(lines.map((line) => `<w:p>${line}</w:p>`).join("")), "docx", "fodt");
  expect(live.text).toMatch(/<text:p[^>]*>Draft &amp; more<\/text:p>\s*<text:p[^>]*>Rivers<\/text:p>/);
});

it("keeps dates and numbers as the reader saw them where the target has no fields", async () => {
  const lines = [
    field(code(" DATE "), "3 March 2019"),
    field(code(" SEQ Figure "), "5"),
    field(code(" TITLE "), "Old title"),
    `<w:bookmarkStart w:id="1" w:name="Here"/><w:bookmarkEnd w:id="1"/>${field(code(" REF Here \\r \\h "), "3.2")}`,
  ];
  const letter = docx(lines.map((line) => `<w:p>${line}</w:p>`).join(""));
  const fixed = await office(letter, "docx", "html");
  expect(linesOf(fixed.text)).toEqual(["3 March 2019", "5", "Old title", "3.2"]);
  expect(fixed.notes).toEqual([]);
  const live = await office(letter, "docx", "fodt");
  expect(live.text).toContain("<text:date");
  expect(live.messages.get("TEXT_LEFT_OUT")).toBe("Fields of today's date or time show those of the conversion.");
});

it("keeps all that content controls contain", async () => {
  const control = (content: string, kind = "") =>
    `<w:sdt><w:sdtPr><w:id w:val="7"/>${kind}</w:sdtPr><w:sdtContent>${content}</w:sdtContent></w:sdt>`;
  const paragraph = (content: string) => `<w:p>${content}</w:p>`;
  const letter = docx(
    [
      control(paragraph(run(text("Page ")) + field(code(" PAGE "), "1")) + paragraph(run(`<w:rPr><w:b/></w:rPr>${text("bold")}`))),
      paragraph(control(run(text("Street")) + run("<w:br/>") + run(text("Town")), "<w:text/>")),
      control(control(paragraph(run(text("inner"))), "<w:text/>")),
      paragraph(control(run(text("two")), '<w:dropDownList><w:listItem w:displayText="two" w:value="2"/></w:dropDownList>')),
    ].join(""),
  );
  const page = await office(letter, "docx", "html");
  expect([linesOf(page.text), page.notes]).toEqual([["Page 1", "bold", "Street Town", "inner", "two"], []]);
  expect(page.text).toMatch(/<b>bold<\/b>/);
  const live = await office(letter, "docx", "fodt");
  expect(live.text).toContain(`display-text="two"`);
  expect(live.messages.get("TEXT_LEFT_OUT")).toBe("Content controls around paragraphs, line breaks or comments became their content.");
});

it("keeps the label of a bibliography entry in DOCX, which would show the title of the book", async () => {
  const names = ["office", "text"].map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`).join(" ");
  const mark =
    '<text:bibliography-mark text:identifier="Ade71" text:bibliography-type="book" text:title="Rivers">[Ade71]</text:bibliography-mark>';
  const root = `<office:document ${names} office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.text">`;
  const letter = `${root}<office:body><office:text><text:p>See ${mark}.</text:p></office:text></office:body></office:document>`;
  const { bytes } = await office(letter, "fodt", "docx");
  const document = strFromU8(unzipSync(bytes)["word/document.xml"] ?? new Uint8Array());
  expect(document.replace(/<[^>]*>/g, "").trim()).toBe("See [Ade71].");
});

it("keeps dates and file names of OpenDocument text", async () => {
  const names = ["office", "text"].map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`).join(" ");
  const body = "<text:p><text:date>3 March</text:date>, <text:file-name>letter.odt</text:file-name></text:p>";
  const odt = zipSync({
    mimetype: strToU8("application/vnd.oasis.opendocument.text"),
    "content.xml": strToU8(
      `<office:document-content ${names} office:version="1.2"><office:body><office:text>${body}</office:text></office:body></office:document-content>`,
    ),
    "META-INF/manifest.xml": strToU8(
      '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.text"/><manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>',
    ),
  });
  expect(linesOf((await office(Buffer.from(odt), "odt", "html")).text)).toEqual(["3 March, letter.odt"]);
});

it("says what fields without a result and parts elsewhere would show", async () => {
  const { messages } = await office(
    docx(`<w:p>${mark("begin")}${code(" EQ \\f(1,2) ")}${mark("end")}${run(text("x"))}</w:p><w:altChunk/>`),
    "docx",
    "html",
  );
  expect(messages.get("TEXT_LEFT_OUT")).toBe(
    "Formulas, numbers and buttons that fields show without a result were left out. Documents that are embedded or linked as parts of the text were left out.",
  );
});

it("keeps lines of text that end as on a Mac or a mainframe", async () => {
  const { text: made } = await office("one\rtwo\u0085three\u2028four\r\nfive\n", "txt", "html");
  expect(made).toMatch(/one\s*\ntwo\s*\nthree\s*\nfour\s*\nfive/);
});

const nameless = "The name of the file was left out where a field shows it.";

it("keeps the file name that an OpenDocument shows", async () => {
  const names = ["office", "text"].map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`).join(" ");
  const field = '<text:file-name text:display="full">/home/me/letter.odt</text:file-name>';
  const given = `<office:document ${names} office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.text"><office:body><office:text><text:p>in ${field}</text:p></office:text></office:body></office:document>`;
  const { text: made, messages } = await office(given, "fodt", "html");
  expect([linesOf(made), messages.size]).toEqual([["in /home/me/letter.odt"], 0]);
});

it("leaves out the name of our file, with a note, where RTF asks for the name", async () => {
  const { text: made, messages } = await office(
    "{\\rtf1 in {\\field{\\*\\fldinst FILENAME \\\\p}{\\fldrslt a.rtf}} here\\par}",
    "rtf",
    "html",
  );
  expect([linesOf(made), messages.get("TEXT_LEFT_OUT")]).toEqual([["in here"], nameless]);
});

it("leaves out the name of our file, with a note, where the header of a sheet asks for the name", async () => {
  const parts = unzipSync((await office("1\n", "csv", "xlsx")).bytes);
  const sheet = Buffer.from(parts["xl/worksheets/sheet1.xml"] ?? "").toString();
  parts["xl/worksheets/sheet1.xml"] = Buffer.from(
    sheet.replace(/<oddHeader>[^<]*/, "<oddHeader>&amp;L&amp;F&amp;CMiddle&amp;R&amp;Z&amp;F"),
  );
  const { path, messages } = await office(Buffer.from(zipSync(parts)), "xlsx", "pdf");
  expect(messages.get("TEXT_LEFT_OUT")).toBe(nameless);
  const shown = (await promisify(execFile)("pdftotext", [path, "-"])).stdout;
  expect([shown.includes("Middle"), /job|\.in/.test(shown)]).toEqual([true, false]);
});

it("keeps hidden sections of an OpenDocument text hidden in Word documents and pages", async () => {
  const names = ["office", "text", "table"].map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`).join(" ");
  const table =
    "<table:table><table:table-column/><table:table-row><table:table-cell><text:p>cell</text:p></table:table-cell></table:table-row></table:table>";
  const section = `<text:section text:name="S" text:display="none"><text:p>secret</text:p>${table}<text:p/></text:section>`;
  const given = `<office:document ${names} office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.text"><office:body><office:text><text:p>shown</text:p>${section}</office:text></office:body></office:document>`;
  const word = strFromU8(unzipSync((await office(given, "fodt", "docx")).bytes)["word/document.xml"] ?? new Uint8Array());
  expect(
    [...word.matchAll(/<w:r>(?:(?!<\/w:r>).)*?<w:t[^>]*>([^<]+)</g)].map(([run, said]) => [said, run.includes("<w:vanish/>")]),
  ).toEqual([
    ["shown", false],
    ["secret", true],
    ["cell", true],
  ]);
  expect((await office(given, "fodt", "html")).text).toMatch(/display: none[^<>]*>\s*secret/);
});

it("keeps what an old Word document shows in sections of several columns", async () => {
  const names = ["office", "style", "text", "fo"]
    .map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name === "fo" ? "xsl-fo-compatible" : name}:1.0"`)
    .join(" ");
  const columns =
    '<style:style style:name="C" style:family="section"><style:section-properties><style:columns fo:column-count="2"/></style:section-properties></style:style>';
  const given = `<office:document ${names} office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.text"><office:automatic-styles>${columns}</office:automatic-styles><office:body><office:text><text:p>before</text:p><text:section text:name="S" text:style-name="C"><text:p>inside</text:p></text:section></office:text></office:body></office:document>`;
  const old = await office(given, "fodt", "doc");
  const word = strFromU8(unzipSync((await office(old.bytes, "doc", "docx")).bytes)["word/document.xml"] ?? new Uint8Array());
  expect([word.includes("inside"), word.includes("<w:vanish/>")]).toEqual([true, false]);
});

it("keeps field results of a document whose parts have other names than those of Word", async () => {
  const given = docx(`<w:p>${field(code(" REF Gone \\h "), "gone")}</w:p>`);
  const { text: made } = await office(renamed(given), "docx", "html");
  expect(linesOf(made)).toContain("gone");
});
