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

test("comments left out of a PDF and deletions shown in it are noted", async () => {
  await using bench = await openBench(libreofficeEngine);
  const source = join(bench.folder, "revised.docx");
  await writeFile(source, revised);
  const noteOf = async () => (await bench.convert(source, "docx", "pdf")).notes.get("TEXT_LEFT_OUT");
  expect(await noteOf()).toBe("Comments were left out. Deleted text that is still tracked is shown struck through.");
  await writeFile(source, docx(line("Quokka")));
  expect(await noteOf()).toBeUndefined();
});
