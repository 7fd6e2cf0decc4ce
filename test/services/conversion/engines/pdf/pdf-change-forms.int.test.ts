/** Redrawn pages show what viewers show, and the document still says what it said: read by Poppler and qpdf. */
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { pdfChangeEngine } from "#services/conversion/engines/pdf/pdf-change.ts";
import { useBench } from "#test/contract/engine.ts";
import { textFrom } from "#test/prove/readers/program.ts";

const maker = join(import.meta.dirname, "form-pdf.py");

describe("a PDF form", () => {
  const bench = useBench(pdfChangeEngine);
  let form: string;
  beforeAll(async () => {
    form = join(bench.folder, "form.pdf");
    await textFrom("/usr/bin/python3", maker, form);
  });
  const textOf = (path: string) => textFrom("pdftotext", "-layout", path, "-");
  const rootOf = async (path: string) => await textFrom("qpdf", "--qdf", "--object-streams=disable", path, "-");

  it("that leaves drawing to viewers keeps its values when it is flattened, and what cannot show is noted", async () => {
    const { path, notes } = await bench.convert(form, "pdf", "pdf", { flatten: true });
    const text = await textOf(path);
    for (const value of ["Zoë", "Жук", "One line", "and another", "Beta"]) expect(text).toContain(value);
    expect(text).not.toContain("hunter2");
    expect([...notes]).toEqual([["TEXT_LEFT_OUT", "Form fields that could not be drawn: pin, agree. The text of a comment was left out."]]);
  });

  it("with restrictions is not called damaged", async () => {
    const locked = join(bench.folder, "locked.pdf");
    await textFrom("qpdf", "--encrypt", "", "owner", "256", "--print=none", "--", form, locked);
    const { path, notes } = await bench.convert(locked, "pdf", "pdf", { flatten: true });
    expect(await textOf(path)).toMatch(/Zoë/);
    expect([...notes.keys()]).toEqual(["TEXT_LEFT_OUT", "METADATA_DROPPED"]);
  });

  it("shows its values on a sheet of several pages, and its hidden layer stays hidden", async () => {
    const { path, notes } = await bench.convert(form, "pdf", "pdf", { nUp: "2" });
    expect(await textOf(path)).toMatch(/Zoë/);
    expect(await rootOf(path)).toMatch(/\/OFF \[/);
    expect(notes.get("STRUCTURE_DROPPED")).toMatch(/form fields, comments, scripts, transitions between pages\.$/);
  });

  it("in grayscale still says what it said of itself, but not that it is PDF/A", async () => {
    const { path, notes } = await bench.convert(form, "pdf", "pdf", { grayscale: true });
    expect(notes.get("STRUCTURE_DROPPED")).toMatch(/form fields, layers, scripts, transitions between pages\.$/);
    const written = await rootOf(path);
    for (const kept of [/\/Lang \(de-CH\)/, /\/DisplayDocTitle true/, /\/OpenAction \[/, /\/Custom \(Wert\)/, /CC BY/])
      expect(written).toMatch(kept);
    expect(written).not.toContain("pdfaid:part");
    expect(await textOf(path)).toMatch(/Ж ?ук/);
    expect(await textOf(path)).not.toMatch(/Unseen/);
  });
});
