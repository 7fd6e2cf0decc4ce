import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { libreofficeEngine } from "#services/conversion/engines/office/libreoffice.ts";
import { openBench } from "#test/contract/engine.ts";
import { readingOf } from "#test/contract/readers.ts";
import { docx, line, revised, text } from "#test/contract/word-file.ts";

const commented = docx(
  line("Quokka")
    .replace("<w:r>", '<w:commentRangeStart w:id="0"/><w:r>')
    .replace("</w:p>", '<w:commentRangeEnd w:id="0"/><w:r><w:commentReference w:id="0"/></w:r></w:p>'),
  "",
  `<w:comment w:id="0" w:author="Ada" w:date="2024-01-01T00:00:00Z"><w:p><w:r>${text("A remark")}</w:r></w:p></w:comment>`,
);

test("converts a document with comments to PDF and ODT, even though LibreOffice opens a window for each comment", async () => {
  await using bench = await openBench(libreofficeEngine);
  const source = join(bench.folder, "commented.docx");
  await writeFile(source, commented);
  const { path: odt } = await bench.convert(source, "docx", "odt");
  await writeFile(join(bench.folder, "commented.odt"), await readFile(odt));
  for (const format of ["docx", "odt"] as const) {
    const { path } = await bench.convert(join(bench.folder, `commented.${format}`), format, "pdf");
    expect(await readingOf(path)).toMatchObject({ mime: "application/pdf", pages: 1 });
  }
});

test("comments stay in a PDF, and deletions shown in it are noted", async () => {
  await using bench = await openBench(libreofficeEngine);
  const source = join(bench.folder, "revised.docx");
  await writeFile(source, revised);
  const noteOf = async () => (await bench.convert(source, "docx", "pdf")).notes.get("TEXT_LEFT_OUT");
  expect(await noteOf()).toBe("Deleted text that is still tracked is shown struck through.");
  await writeFile(source, docx(line("Quokka")));
  expect(await noteOf()).toBeUndefined();
});

test.each(["odt", "doc", "rtf"])("HTML of %s has accepted changes and no hidden comments, with a note", async (from) => {
  await using bench = await openBench(libreofficeEngine);
  const word = join(bench.folder, "revised.docx");
  await writeFile(word, revised);
  const source = join(bench.folder, `revised.${from}`);
  await writeFile(source, await readFile((await bench.convert(word, "docx", from)).path));
  const { path, notes } = await bench.convert(source, from, "html");
  const page = await readFile(path, "utf8");
  expect(notes.get("TEXT_LEFT_OUT")).toBe("Comments were left out. Tracked changes were accepted.");
  expect(page).not.toMatch(/<!--|deleted/);
});

const open = ["office", "table", "text"].map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`).join(" ");
const flat = (kind: string, body: string) =>
  `<office:document ${open} xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" xmlns:dc="http://purl.org/dc/elements/1.1/" office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.${kind}"><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document>`;
const remark =
  '<office:annotation svg:x="1cm" svg:y="1cm"><dc:creator>Ada</dc:creator><dc:date>2024-01-01T00:00:00</dc:date><text:p>A remark</text:p></office:annotation>';

test.each([
  [
    "fods",
    flat(
      "spreadsheet",
      `<table:table table:name="A"><table:table-row><table:table-cell office:value-type="float" office:value="5">${remark}</table:table-cell></table:table-row></table:table>`,
    ),
  ],
  ["fodp", flat("presentation", `<draw:page draw:name="A">${remark}</draw:page>`)],
] as const)("comments of %s stay in PDF, and HTML leaves them out with a note", async (from, content) => {
  await using bench = await openBench(libreofficeEngine);
  const source = join(bench.folder, `commented.${from}`);
  await writeFile(source, content);
  const pdf = await bench.convert(source, from, "pdf");
  expect(pdf.notes.get("TEXT_LEFT_OUT")).toBeUndefined();
  expect(await readFile(pdf.path, "latin1")).toMatch(/\/Subtype ?\/Text\b/);
  expect((await bench.convert(source, from, "html")).notes.get("TEXT_LEFT_OUT")).toBe("Comments were left out.");
});
