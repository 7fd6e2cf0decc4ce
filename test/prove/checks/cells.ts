/** Tables: their cell values. Data: names and values unchanged. */
import type { Case, Evidence } from "#test/prove/evidence.ts";
import { type Cells, cellRecallOf, cellsOf, throughOffice } from "#test/prove/readers/tables.ts";
import { pagesOf } from "#test/prove/readers/words.ts";

function read({ result, writer, readAs }: Case): Promise<Cells> {
  if (writer !== "data" || !throughOffice.has(result.format)) return cellsOf(result, writer);
  return readAs("libreoffice", "csv", async (file) => ({ ...(await cellsOf(file)), reader: "libreoffice" }));
}

export async function checkCells(given: Case): Promise<Evidence> {
  const { sample, result } = given;
  const { reader, cells } = await read(given);
  const figures = { cells: cellRecallOf(sample.contents, cells) };
  return { reader, figures: result.format === "pdf" ? { ...figures, pages: Math.min(1, await pagesOf(result.path)) } : figures };
}

export async function checkValues(given: Case): Promise<Evidence> {
  const { sample } = given;
  const { reader, cells } = await read(given);
  return { reader, figures: { values: cellRecallOf(sample.contents, cells) } };
}
