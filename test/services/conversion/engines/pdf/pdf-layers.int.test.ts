/** What is not seen on the page of a PDF stays out of documents made from it, with a note. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { unseenForm } from "#services/conversion/engines/inside/unseen-form.ts";
import { pdfEngine } from "#services/conversion/engines/pdf/pdf.ts";
import { popplerEngine } from "#services/conversion/engines/pdf/poppler.ts";
import { useBench } from "#test/contract/engine.ts";
import { textFrom } from "#test/prove/readers/program.ts";
import { pdfOf } from "./pdf-by-hand.ts";

/** Two languages in the same place, a hidden form and a nested group; with pikepdf, as other programs do. */
const layered = `
import sys, pikepdf
from pikepdf import Array, Dictionary, Name, String
with pikepdf.open(sys.argv[1]) as pdf:
    page = pdf.pages[0].obj
    on, off = (pdf.make_indirect(Dictionary(Type=Name.OCG, Name=String(name))) for name in ("English", "Deutsch"))
    pdf.Root.OCProperties = Dictionary(OCGs=Array([on, off]), D=Dictionary(OFF=Array([off])))
    form = pdf.make_stream(b"BT /F 12 Tf 20 20 Td (Stamped) Tj ET", Type=Name.XObject, Subtype=Name.Form, BBox=Array([0, 0, 200, 100]), Resources=page.Resources, OC=off)
    page.Resources.Properties = Dictionary(on=on, off=off)
    page.Resources.XObject = Dictionary(X=form)
    text = lambda layer, words, y: f"/OC /{layer} BDC BT /F 12 Tf 20 {y} Td ({words}) Tj ET EMC"
    page.Contents = pdf.make_stream(" ".join([text("off", "Guten Tag", 50), text("on", "Hello", 50), "/OC /off BDC", text("on", "Nested", 70), "EMC /X Do BT /F 12 Tf 20 85 Td (Always) Tj ET"]).encode())
    page.Annots = Array([pdf.make_indirect(Dictionary(Type=Name.Annot, Subtype=Name.Text, Rect=Array([150, 80, 160, 90]), Contents=String("Check this")))])
    pdf.attachments["data.csv"] = pikepdf.AttachedFileSpec(pdf, b"a,b")
    pdf.save(sys.argv[2])
`;

/** As Adobe's programs make it: the page asks to wait for them. */
const dynamicForm = `
import sys, pikepdf
with pikepdf.open(sys.argv[1]) as pdf:
    pdf.Root.AcroForm = pikepdf.Dictionary(Fields=pikepdf.Array(), XFA=pdf.make_stream(b"<xdp:xdp xmlns:xdp='http://ns.adobe.com/xdp/'/>"))
    pdf.Root.NeedsRendering = True
    pdf.save(sys.argv[2])
`;

const bench = useBench(pdfEngine);
const poppler = useBench(popplerEngine);
let source: string;
beforeAll(async () => {
  const plain = join(bench.folder, "plain.pdf");
  source = join(bench.folder, "layers.pdf");
  await writeFile(plain, pdfOf(["Quokka"]));
  await textFrom("/usr/bin/python3", "-c", layered, plain, source);
});

it.each(["html", "json"])("hidden layers stay out of %s", async (to) => {
  const { path, notes } = await bench.convert(source, "pdf", to);
  const made = await readFile(path, "utf8");
  expect(made).toContain("Hello");
  expect(made).toContain("Always");
  for (const hidden of ["Guten", "Nested", "Stamped"]) expect(made).not.toContain(hidden);
  expect(notes.get("TEXT_LEFT_OUT")).toBe(
    "Comments on these pages were left out: 1. Text in hidden layers of these pages was left out: 1.",
  );
  expect(notes.get("STRUCTURE_DROPPED")).toBe("Attached files were left out: data.csv.");
});

it("a form that only Adobe's programs display is named, where its page asks to wait", async () => {
  const form = join(bench.folder, "form.pdf");
  await textFrom("/usr/bin/python3", "-c", dynamicForm, join(bench.folder, "plain.pdf"), form);
  for (const [engine, to] of [
    [bench, "docx"],
    [poppler, "txt"],
    [poppler, "png"],
  ] as const)
    expect((await engine.convert(form, "pdf", to)).notes.get("TEXT_LEFT_OUT"), to).toBe(unseenForm);
  const plain = await poppler.convert(source, "pdf", "txt");
  expect([...plain.notes]).toEqual([["STRUCTURE_DROPPED", "Attached files were left out: data.csv."]]);
});
