/** PDFs that are joined keep what belongs to their pages and to the documents. Read by qpdf and Poppler. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { joinPdfEngine } from "#services/conversion/engines/archives/join-pdf.ts";
import { useBench } from "#test/contract/engine.ts";
import { zipFile } from "#test/harness/zip-file.ts";
import { textFrom } from "#test/prove/readers/program.ts";
import { pdfOf } from "#test/services/conversion/engines/pdf/pdf-by-hand.ts";

const maker = join(import.meta.dirname, "../pdf/rich-pdf.py");
/** Hides a layer with text. */
const layered = `
import sys, pikepdf
from pikepdf import Array, Dictionary, Name, String
with pikepdf.open(sys.argv[1]) as pdf:
    off = pdf.make_indirect(Dictionary(Type=Name.OCG, Name=String("Draft")))
    pdf.Root.OCProperties = Dictionary(OCGs=Array([off]), D=Dictionary(OFF=Array([off])))
    pdf.pages[2].obj.Resources.Properties = Dictionary(off=off)
    pdf.pages[2].contents_add(b"/OC /off BDC BT /F1 24 Tf 40 320 Td (Hidden draft) Tj ET EMC")
    pdf.Root.PageLabels = Dictionary(Nums=Array([0, Dictionary(S=Name.r)]))
    pdf.save(sys.argv[2])
`;

describe("joined PDFs", () => {
  const bench = useBench(joinPdfEngine);
  let path: string;
  let said: string | undefined;
  let objects: string;
  beforeAll(async () => {
    const [rich, whole, source] = ["rich.pdf", "whole.pdf", "in.zip"].map((name) => join(bench.folder, name)) as [string, string, string];
    await textFrom("/usr/bin/python3", maker, rich, "named");
    await textFrom("/usr/bin/python3", "-c", layered, rich, whole);
    const content = await readFile(whole);
    const parts = [
      { name: "1.pdf", content: pdfOf(["Cover"]) },
      { name: "2.pdf", content },
      { name: "3.pdf", content },
    ];
    await writeFile(source, zipFile(parts));
    const made = await bench.convert(source, "zip", "pdf");
    path = made.path;
    said = made.notes.get("ENTRIES_CHANGED");
    objects = await textFrom("qpdf", "--qdf", "--object-streams=disable", path, "-");
  });
  afterAll(async () => await bench[Symbol.asyncDispose]());

  it("show filled form fields, comments and all links", async () => {
    expect((await textFrom("pdftotext", path, "-")).match(/Numbat/g)).toHaveLength(2);
    expect(objects.match(/\(Wombat remark\)/g)).toHaveLength(2);
    expect(objects.match(/\/Subtype \/Link/g)).toHaveLength(12);
  });

  it("lead to the page of their own file, also by name", async () => {
    const pages = [...objects.matchAll(/%% Page (\d+)\n%%[^\n]*\n(\d+) 0 obj/g)];
    const numbers = new Map(pages.map(([, page, id]) => [id, Number(page)]));
    const goals = [...objects.matchAll(/\/(?:D|Dest) \[\n\s*(\d+) 0 R/g)].map(([, id]) => numbers.get(id));
    // Page 1 is the cover; each file has two links by page, four by name, and its bookmarks.
    for (const page of [3, 4, 6, 7]) expect(goals.filter((goal) => goal === page).length, `page ${page}`).toBeGreaterThan(3);
    expect(goals).not.toContain(undefined);
  });

  it("keep hidden layers hidden", async () => {
    expect(await textFrom("pdftotext", path, "-")).not.toContain("Hidden draft");
    expect(objects.match(/\(Draft\)/g)).toHaveLength(2);
  });

  it("keep page labels and attached files, and name what cannot be kept", async () => {
    expect(objects).toContain("/PageLabels");
    expect(await textFrom("pdfdetach", "-list", path)).toMatch(/^2 embedded files/);
    expect(said).toContain("2.pdf: The structure for screen readers is left out.");
    expect(said).toContain("3.pdf: Form fields were renamed, as other files have fields of the same names: name.");
  });
});
