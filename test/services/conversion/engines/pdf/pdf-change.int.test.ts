/** Requested changes to a PDF are made, everything else stays, and every result is valid: read by qpdf, Poppler and MuPDF. */
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { beforeAll, describe, expect, it } from "vitest";
import type { OptionValues } from "#services/conversion/domain/engine.ts";
import { pdfChangeEngine } from "#services/conversion/engines/pdf/pdf-change.ts";
import { defaultsOf, hopOf, testEngine, useBench } from "#test/contract/engine.ts";
import { halfScannedPdf } from "#test/contract/scanned-pdf.ts";
import { ssimOf } from "#test/prove/readers/likeness.ts";
import { bytesFrom, textFrom } from "#test/prove/readers/program.ts";
import { pdfOf } from "./pdf-by-hand.ts";

const maker = join(import.meta.dirname, "rich-pdf.py");

testEngine(pdfChangeEngine, {
  async sample(_format, folder) {
    const path = join(folder, "plain.pdf");
    await writeFile(path, pdfOf(["Quokka"]));
    return path;
  },
});

describe("a PDF", () => {
  const bench = useBench(pdfChangeEngine);
  let rich: string;
  beforeAll(async () => {
    rich = join(bench.folder, "rich.pdf");
    await textFrom("/usr/bin/python3", maker, rich);
  });

  /** Converts, and expects that qpdf finds no errors in the result. */
  async function changed(input: string, options: OptionValues) {
    const result = await bench.convert(input, "pdf", "pdf", options);
    expect(await textFrom("qpdf", "--check", result.path)).toContain("No syntax or stream encoding errors");
    return result;
  }
  const file = (bytes: Buffer | string, name: string) => bench.put(name, bytes);
  const textOf = (path: string) => textFrom("pdftotext", path, "-");
  const infoOf = (path: string) => textFrom("pdfinfo", path);
  const sizeOf = async (path: string) => (await stat(path)).size;

  /** SSIM of the first pages, at 72 dpi. */
  async function likeness(one: string, other: string): Promise<number> {
    const drawn = await Promise.all([one, other].map((path) => bytesFrom("pdftoppm", "-r", "72", "-png", "-singlefile", path)));
    const [a, b] = await Promise.all(
      drawn.map((png) => sharp(png).flatten({ background: "#fff" }).removeAlpha().raw().toBuffer({ resolveWithObject: true })),
    );
    if (a === undefined || b === undefined) throw new Error("two pages are compared");
    expect([b.info.width, b.info.height]).toEqual([a.info.width, a.info.height]);
    return ssimOf(a.data, b.data, a.info.width, a.info.height);
  }

  /** Expects everything that rich-pdf.py adds, as other programs read it. */
  async function expectWhole(path: string): Promise<void> {
    const info = await infoOf(path);
    expect(info).toMatch(/Tagged: +yes/);
    expect(info).toMatch(/Form: +AcroForm/);
    expect(info).toMatch(/Pages: +3/);
    expect(info).toMatch(/Title: +Rich/);
    expect(await textFrom("mutool", "show", path, "outline")).toMatch(/Chapter 1[\s\S]*Chapter 3/);
    expect(await textFrom("pdfdetach", "-list", path)).toContain("notes.txt");
    const objects = await textFrom("qpdf", "--json", "--json-key=qpdf", path);
    expect(objects.match(/"\/Subtype": "\/Link"/g)?.length).toBe(2);
    expect(objects).toMatch(/Wombat remark/);
    expect(await textOf(path)).toMatch(/first[\s\S]*second[\s\S]*third/);
  }

  it("is rewritten without losing anything", async () => {
    const { path, notes } = await changed(rich, {});
    await expectWhole(path);
    expect([...notes.keys()]).toEqual([]);
    expect(await likeness(rich, path)).toBeGreaterThan(0.999);
  });

  it.each([
    ["screen", 0.03, 0.95],
    ["ebook", 0.05, 0.95],
    ["print", 0.3, 0.98],
  ])("shrinks for %s below %d of its size, with an SSIM above %d and without losing anything", async (optimise, share, alike) => {
    const { path, notes } = await changed(rich, { optimise });
    const weight = (await sizeOf(path)) / (await sizeOf(rich));
    const ssim = await likeness(rich, path);
    expect(weight, `weight ${weight}, ssim ${ssim}`).toBeLessThan(share);
    expect(ssim).toBeGreaterThan(alike);
    await expectWhole(path);
    expect([...notes.keys()]).toEqual([]);
  });

  it("is returned unchanged, with a note, if it would not get smaller", async () => {
    const small = (await changed(rich, { optimise: "screen" })).path;
    const { path, notes } = await bench.convert(small, "pdf", "pdf", { optimise: "screen" });
    expect([...notes.keys()]).toEqual(["SOURCE_KEPT"]);
    expect((await readFile(path)).equals(await readFile(small))).toBe(true);
  });

  it("keeps the requested pages, in order, and nothing of the others", async () => {
    const named = join(bench.folder, "named.pdf");
    await textFrom("/usr/bin/python3", maker, named, "named");
    const { path } = await changed(named, { pages: "3,1", rotate: "90", rotatePages: "1,1" });
    expect(await textOf(path)).toMatch(/third[\s\S]*first/);
    expect(await infoOf(path)).toMatch(/Pages: +2/);
    expect((await textFrom("pdfinfo", "-f", "1", "-l", "2", path)).match(/\d+ rot: +\d+/g)).toEqual(["1 rot:   90", "2 rot:   0"]);
    const unpacked = await bytesFrom("qpdf", "--qdf", "--object-streams=disable", path, "-");
    const kept = ["Quokka third", "Chapter 1", "Chapter 3", "Numbered third", "heading-third", "old-third", "heading-first"];
    kept.push("Spoken first", "Spoken third", "id-third");
    const gone = ["Quokka second", "Chapter 2", "Numbered second", "By name", "Part without", "Alone", "heading-second", "old-second"];
    gone.push("Spoken second", "id-second", "Empty second", "Section second", "Inner second");
    expect([...kept, ...gone].filter((text) => unpacked.includes(text))).toEqual(kept);
    expect((await textFrom("mutool", "show", path, "outline")).match(/Chapter 1|Chapter 3|Numbered third/g)).toHaveLength(3);
    // To the third page: one by position and two by name.
    expect(unpacked.toString("latin1").match(/\/Subtype \/Link/g)).toHaveLength(3);
    const without = await changed(rich, { remove: "2-" });
    expect(await textOf(without.path)).not.toMatch(/second|third/);
  });

  it.each([
    [{ pages: "4" }, "pages"],
    [{ remove: "1-3" }, "remove"],
    [{ rotate: "90", rotatePages: "9" }, "rotatePages"],
    [{ pages: "1-2", rotate: "90", rotatePages: "3" }, "rotatePages"],
    [{ permissions: "read", pdfVersion: "1.4" }, "pdfVersion"],
  ])("rejects invalid options: %j", async (options, option) => {
    await expect(bench.convert(rich, "pdf", "pdf", options)).rejects.toMatchObject({ code: "INVALID_OPTION", details: { option } });
  });

  it("can be stamped in any script, put n-up and flattened, with a note for lost structure", async () => {
    const stamped = await changed(rich, { stamp: "Entwurf für Jürgen 中文" });
    expect((await textOf(stamped.path)).replaceAll(/\s/g, "")).toContain("Jürgen");
    await expectWhole(stamped.path);
    const sheets = await changed(rich, { nUp: "4" });
    expect(await infoOf(sheets.path)).toMatch(/Pages: +1/);
    expect((await textOf(sheets.path)).match(/first|second|third/g)?.length).toBe(3);
    expect(sheets.notes.get("STRUCTURE_DROPPED")).toMatch(
      /tags for screen readers, form fields, links, comments, bookmarks, attached files/,
    );
    const flat = await changed(rich, { flatten: true });
    expect(await infoOf(flat.path)).toMatch(/Form: +none/);
    expect(await textOf(flat.path)).toContain("Numbat");
    expect([...flat.notes]).toEqual([["TEXT_LEFT_OUT", "The text of a comment was left out."]]);
  });

  it("keeps the rotation of its pages in grayscale, whatever the direction of their text", async () => {
    const rotated = (await changed(rich, { rotate: "90" })).path;
    const { path } = await changed(rotated, { grayscale: true });
    expect(await likeness(path, (await changed(rotated, { flatten: true })).path)).toBeGreaterThan(0.5);
  });

  it("is converted to grayscale, with a note for lost structure", async () => {
    const { path, notes } = await changed(rich, { grayscale: true });
    const { channels } = await sharp(await bytesFrom("pdftoppm", "-r", "40", "-png", "-singlefile", path)).stats();
    expect(Math.abs((channels[0]?.mean ?? 0) - (channels[2]?.mean ?? 9))).toBeLessThan(0.5);
    expect(notes.get("STRUCTURE_DROPPED")).toContain("tags for screen readers");
  });

  it("gets new metadata or none", async () => {
    const told = await changed(rich, { title: "Größe", author: "Bo", subject: "S", keywords: "a, b" });
    expect(await infoOf(told.path)).toMatch(/Title: +Größe[\s\S]*Subject: +S[\s\S]*Keywords: +a, b[\s\S]*Author: +Bo/);
    const stripped = await changed(rich, { metadata: "strip", title: "Only" });
    expect(await infoOf(stripped.path)).toMatch(/Title: +Only/);
    expect(await infoOf(stripped.path)).not.toMatch(/Ada Zebra/);
  });

  it("is protected with the task's password, never without one", async () => {
    await expect(bench.convert(rich, "pdf", "pdf", { protect: true })).rejects.toMatchObject({ code: "PASSWORD_REQUIRED" });
    const hop = hopOf(pdfChangeEngine, "pdf", "pdf");
    const outputPath = join(bench.folder, "protected.pdf");
    const protect = async (outputPassword: string) =>
      bench.engine.run({
        ...{ hop, input: { path: rich, format: "pdf", sizeBytes: await sizeOf(rich) }, outputPath, outputPassword },
        ...{
          options: { ...defaultsOf(hop), protect: true, permissions: "print" },
          timeoutMs: 60_000,
          signal: new AbortController().signal,
        },
        ...{ note: () => undefined, progress: () => undefined },
      });
    await expect(protect("")).rejects.toMatchObject({ code: "PASSWORD_REQUIRED" });
    await protect("grün 7!");
    await expect(textFrom("pdfinfo", outputPath)).rejects.toThrow();
    expect(await textFrom("pdfinfo", "-upw", "grün 7!", outputPath)).toMatch(/print:yes copy:no change:no addNotes:no algorithm:AES-256/);
    await expect(bench.convert(outputPath, "pdf", "pdf")).rejects.toMatchObject({ code: "PASSWORD_REQUIRED" });
  });

  it("becomes searchable by OCR, with its pictures unchanged", async () => {
    const half = join(bench.folder, "half.pdf");
    await halfScannedPdf(half, bench.folder);
    const { path, notes } = await changed(half, { ocr: "auto", language: "deu" });
    expect(await textOf(path)).toMatch(/Übergröße der Straßenbäume/);
    expect(notes.get("TEXT_RECOGNISED")).toMatch(/page 2 /);
    const pictures = async (from: string) =>
      (await textFrom("pdfimages", "-list", from))
        .split("\n")
        .slice(2)
        .map((row) => row.split(/\s+/).slice(3, 11).join());
    expect(await pictures(path)).toEqual(await pictures(half));
  });

  it("notes how many scans there was no time for, apart from pages without text", async () => {
    const blank = await file(pdfOf(Array(20).fill(") Tj ("), "0 0 72 72"), "blank.pdf");
    const { notes } = await bench.convert(blank, "pdf", "pdf", { ocr: "auto" }, 90_000);
    expect(notes.get("TEXT_NOT_RECOGNISED")).toMatch(
      /^No text could be recognised on the pages that were tried. There was no time to recognise the text of \d+ more pages\.$/,
    );
  });

  it("notes restrictions of the owner that the result no longer has", async () => {
    const restricted = join(bench.folder, "restricted.pdf");
    await textFrom("qpdf", rich, "--encrypt", "", "owner", "256", "--extract=n", "--", restricted);
    const left = "The owner's restrictions on printing, copying and changing the PDF were left out.";
    expect((await changed(restricted, { rotate: "90" })).notes.get("METADATA_DROPPED")).toBe(left);
    expect((await changed(restricted, { permissions: "print" })).notes.has("METADATA_DROPPED")).toBe(false);
    expect((await changed(rich, { rotate: "90" })).notes.has("METADATA_DROPPED")).toBe(false);
  });

  it("notes a void signature whose field is on no page", async () => {
    const signature = "<< /Type /Sig /Filter /Adobe.PPKLite /ByteRange [0 10 20 30] /Contents <00> >>";
    const signed = await file(pdfOf([""], "0 0 72 72", "", signature), "invisible.pdf");
    expect((await changed(signed, {})).notes.has("SIGNATURES_VOID")).toBe(true);
  });

  it("notes void signatures and repaired damage", async () => {
    const signed = join(bench.folder, "signed.pdf");
    await textFrom("/usr/bin/python3", maker, signed, "signed");
    expect((await changed(signed, {})).notes.has("SIGNATURES_VOID")).toBe(true);
    const bytes = await readFile(rich);
    const broken = await file(bytes.subarray(0, bytes.lastIndexOf("startxref")), "broken.pdf");
    const repaired = await changed(broken, {});
    expect(repaired.notes.has("INPUT_DAMAGED")).toBe(true);
    expect(await textOf(repaired.path)).toMatch(/first[\s\S]*third/);
    const plain = pdfOf(["first", "second"]);
    const unread = await file(plain.subarray(0, plain.lastIndexOf("xref\n0")), "unread.pdf");
    const turned = await changed(unread, { rotate: "90", rotatePages: "2" });
    expect((await textFrom("pdfinfo", "-f", "1", "-l", "2", turned.path)).match(/\d+ rot: +\d+/g)).toEqual(["1 rot:   0", "2 rot:   90"]);
  });
});
