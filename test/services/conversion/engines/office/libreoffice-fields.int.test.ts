/** Field results in Word documents, some of which LibreOffice would recompute from data that it does not have. */
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
    `<w:fldSimple w:instr=" FILENAME ">${run(text("simple.docx"))}</w:fldSimple>`,
    field(code(" REF Gone \\h "), "gone"),
    field(code(" REF Here \\h "), "place before"),
    field(code(" SAVEDATE "), "1999-02-02"),
    field(code(' IF "a" = "a" "yes" "no" '), "yes"),
    field(code(" IF ") + field(code(" FILENAME "), "code.docx") + code(' = "x" "p" "q" '), "outer"),
  ];
  const { text: made } = await office(docx(lines.map((line) => `<w:p>${line}</w:p>`).join("")), "docx", "txt");
  expect(made.trim().split(/\r?\n/)).toEqual(["place", "letter.docx", "simple.docx", "gone", "place", "1999-02-02", "yes", "outer"]);
});
