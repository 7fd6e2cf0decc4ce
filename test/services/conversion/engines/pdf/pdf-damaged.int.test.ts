import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { pdfEngine } from "#services/conversion/engines/pdf/pdf.ts";
import { useBench } from "#test/contract/engine.ts";
import { numberedFont, pdfOf } from "./pdf-by-hand.ts";

const bench = useBench(pdfEngine);

async function converted(pdf: string | Buffer) {
  const path = join(bench.folder, "damaged.pdf");
  await writeFile(path, pdf, "latin1");
  return await bench.convert(path, "pdf", "html");
}

it("keeps the pages beside a damaged one, which is named", async () => {
  const { path, notes } = await converted(pdfOf(["Quokka", "Numbat"]).toString("latin1").replace("[4 0 R 6 0 R]", "[4 0 R 2 0 R]"));
  expect(await readFile(path, "utf8")).toContain("Quokka");
  expect(notes.get("INPUT_DAMAGED")).toBe("These pages are damaged and were left out: 2.");
});

it("rejects a PDF if all of its pages are damaged", async () => {
  const pages = pdfOf(["Quokka"]).toString("latin1").replace("[4 0 R]", "[2 0 R]");
  await expect(converted(pages)).rejects.toMatchObject({ code: "INVALID_INPUT" });
});

it("notes fonts that number their glyphs without saying which characters they are", async () => {
  const { notes } = await converted(pdfOf(["Sum 1"], undefined, "", numberedFont));
  expect(notes.get("TEXT_NOT_RECOGNISED")).toBe(
    "These fonts do not say which characters they show, so that text in them may be wrong: Arial.",
  );
});
