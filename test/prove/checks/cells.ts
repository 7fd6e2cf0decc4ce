/** Tables: the values of their cells. Data: names and values as they were. */
import type { Case, Evidence } from "#test/prove/evidence.ts";
import { cellRecallOf, cellsOf } from "#test/prove/readers/tables.ts";
import { pagesOf } from "#test/prove/readers/words.ts";

export async function checkCells({ sample, result, writer }: Case): Promise<Evidence> {
  const { reader, cells } = await cellsOf(result, writer);
  const figures = { cells: cellRecallOf(sample.contents, cells) };
  return { reader, figures: result.format === "pdf" ? { ...figures, pages: Math.min(1, await pagesOf(result.path)) } : figures };
}

export async function checkValues({ sample, result, writer }: Case): Promise<Evidence> {
  const { reader, cells } = await cellsOf(result, writer);
  return { reader, figures: { values: cellRecallOf(sample.contents, cells) } };
}
