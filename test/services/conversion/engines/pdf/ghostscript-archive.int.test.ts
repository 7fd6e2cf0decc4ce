/** A PDF/A keeps what the standard allows, and a note names the rest. Read by Poppler and qpdf. */
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { OptionValues } from "#services/conversion/domain/engine.ts";
import { ghostscriptEngine } from "#services/conversion/engines/pdf/ghostscript.ts";
import { useBench } from "#test/contract/engine.ts";
import { textFrom } from "#test/prove/readers/program.ts";

const maker = join(import.meta.dirname, "rich-pdf.py");
/** Adds what programs other than ours write: a title beyond ASCII, a rotated page with upright text, links that do not say that they are printed. */
const changes = `
import sys, pikepdf
from pikepdf import Array, Dictionary, Name, String
with pikepdf.open(sys.argv[1]) as pdf:
    pdf.pages[1].obj.Rotate = 90
    pdf.docinfo["/Title"], pdf.docinfo["/CreationDate"] = "\\u00dcber Gr\\u00f6\\u00dfen", "D:20200102030405+02'00'"
    page = pdf.pages[0].obj
    page.Annots.append(pdf.make_indirect(Dictionary(Type=Name.Annot, Subtype=Name.Link, Rect=Array([10, 10, 50, 50]), A=Dictionary(S=Name.URI, URI=String("https://example.org/")))))
    pdf.save(sys.argv[2])
`;

describe("a PDF/A", () => {
  const bench = useBench(ghostscriptEngine);
  let source: string;
  beforeAll(async () => {
    const rich = join(bench.folder, "rich.pdf");
    source = join(bench.folder, "source.pdf");
    await textFrom("/usr/bin/python3", maker, rich, "named");
    await textFrom("/usr/bin/python3", "-c", changes, rich, source);
  });
  const archived = async (options: OptionValues = {}) => await bench.convert(source, "pdf", "pdfa", options);
  const linksOf = async (path: string) =>
    (await textFrom("qpdf", "--qdf", "--object-streams=disable", path, "-")).match(/\/Subtype \/Link/g)?.length;

  it("keeps title, creation date, language, links and bookmarks, and names what it cannot have", async () => {
    const { path, notes } = await archived();
    const info = await textFrom("pdfinfo", "-isodates", path);
    expect(info).toMatch(/^Title: +Über Größen$/m);
    expect(info).toMatch(/^CreationDate: +2020-01-02T0[13]:04:05/m);
    expect(await linksOf(path)).toBe(await linksOf(source));
    const objects = await textFrom("qpdf", "--qdf", "--object-streams=disable", path, "-");
    expect(objects).toContain("/Lang (en)");
    expect(objects).toContain("/Title (Chapter 1)");
    expect(notes.get("STRUCTURE_DROPPED")).toBe("Left out of the PDF/A: tags for screen readers, form fields, comments, attached files.");
  });

  it("keeps attached files in part 3, which allows them", async () => {
    const { path, notes } = await archived({ part: "3" });
    expect(await textFrom("pdfdetach", "-list", path)).toContain("notes.txt");
    expect(notes.get("STRUCTURE_DROPPED")).not.toContain("attached");
  });

  it("shows a page as rotated as in the source, whatever the direction of its text", async () => {
    const { path } = await archived();
    // From top to bottom, as the page is turned.
    const words = async (file: string) =>
      (await textFrom("pdftotext", "-f", "2", "-l", "2", "-bbox", file, "-")).match(/yM(?:in|ax)="[^"]*"/g);
    const sizes = async (file: string) => (await textFrom("pdfinfo", "-f", "1", "-l", "3", file)).match(/^Page +\d+ (?:size|rot):.*$/gm);
    expect(await words(path)).toEqual(await words(source));
    expect((await sizes(path))?.[2]).toContain("500 x 400");
  });

  it("has only the pages asked for, and refuses pages that there are not", async () => {
    const { path } = await archived({ pages: "2-3" });
    expect(await textFrom("pdftotext", path, "-")).not.toContain("first");
    await expect(archived({ pages: "2-4" })).rejects.toMatchObject({ code: "INVALID_OPTION" });
  });
});
