/** Field results in Word documents, some of which LibreOffice would recompute from data that it does not have. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { unzipSync, zipSync } from "fflate";
import { expect, it } from "vitest";
import { libreofficeEngine } from "#services/conversion/engines/office/libreoffice.ts";
import { docx, text } from "#test/contract/word-file.ts";
import { converting } from "#test/services/conversion/engines/shared/converting.ts";

const office = converting(libreofficeEngine);

it("keeps field results that need the file name, a missing bookmark, the save date or a condition", async () => {
  const run = (content: string) => `<w:r>${content}</w:r>`;
  const mark = (type: string) => run(`<w:fldChar w:fldCharType="${type}"/>`);
  const code = (content: string) => run(`<w:instrText>${content}</w:instrText>`);
  const field = (codes: string, result: string) => mark("begin") + codes + mark("separate") + run(text(result)) + mark("end");
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
  ];
  const { text: made } = await office(docx(lines.map((line) => `<w:p>${line}</w:p>`).join("")), "docx", "txt");
  expect(made.trim().split(/\r?\n/)).toEqual([
    "place",
    "letter.docx",
    "own.docx",
    "simple.docx",
    "gone",
    "place",
    "1999-02-02",
    "yes",
    "outer",
  ]);
});

const nameless = "The name of the file was left out where a field shows it.";

it("keeps the file name that an OpenDocument shows", async () => {
  const names = ["office", "text"].map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`).join(" ");
  const field = '<text:file-name text:display="full">/home/me/letter.odt</text:file-name>';
  const given = `<office:document ${names} office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.text"><office:body><office:text><text:p>in ${field}</text:p></office:text></office:body></office:document>`;
  const { text: made, messages } = await office(given, "fodt", "txt");
  expect([made.trim(), messages.size]).toEqual(["in /home/me/letter.odt", 0]);
});

it("leaves out the name of our file, with a note, where RTF asks for the name", async () => {
  const { text: made, messages } = await office(
    "{\\rtf1 in {\\field{\\*\\fldinst FILENAME \\\\p}{\\fldrslt a.rtf}} here\\par}",
    "rtf",
    "txt",
  );
  expect([made.trim(), messages.get("TEXT_LEFT_OUT")]).toEqual(["in  here", nameless]);
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
