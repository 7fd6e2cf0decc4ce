import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { libreofficeEngine } from "#services/conversion/engines/office/libreoffice.ts";
import { openBench } from "#test/contract/engine.ts";
import { docx } from "#test/contract/word-file.ts";

test("renders the formulas of a document in its PDF", async () => {
  const letter = (name: string) => `<m:r><m:t>${name}</m:t></m:r>`;
  const fraction = `<m:f><m:num>${letter("q")}</m:num><m:den>${letter("z")}</m:den></m:f>`;
  const math = `<m:oMath xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math">${fraction}</m:oMath>`;
  await using bench = await openBench(libreofficeEngine);
  const source = join(bench.folder, "formula.docx");
  await writeFile(source, docx(`<w:p>${math}</w:p>`));
  const { path } = await bench.convert(source, "docx", "pdf");
  expect((await promisify(execFile)("pdftotext", [path, "-"])).stdout).toMatch(/q\s+z/);
});
