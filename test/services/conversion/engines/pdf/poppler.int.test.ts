import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { popplerEngine } from "#services/conversion/engines/pdf/poppler.ts";
import { testEngine, useBench } from "#test/contract/engine.ts";
import { readingOf } from "#test/contract/readers.ts";
import { converting } from "#test/services/conversion/engines/shared/converting.ts";
import { numberedFont, pdfOf } from "./pdf-by-hand.ts";

const run = promisify(execFile);

testEngine(popplerEngine, {
  async sample(format, folder) {
    const path = join(folder, `sample.${format}`);
    await writeFile(path, pdfOf(["Quokka"]));
    return path;
  },
  async check(hop, reading, path) {
    if (["png", "jpg", "webp", "tiff", "ppm"].includes(hop.to)) expect([reading.width, reading.height]).toEqual([417, 208]);
    if (hop.to === "txt") expect(await readFile(path, "utf8")).toContain("Quokka");
  },
});

describe("engine poppler, in detail", () => {
  const bench = useBench(popplerEngine);
  let two: string;
  beforeAll(async () => {
    two = await bench.put("two.pdf", pdfOf(["Quokka", "zebra"]));
  });

  it("converts the requested page and notes what it left out", async () => {
    const first = await bench.convert(two, "pdf", "png");
    expect(first.notes.get("PAGES_LEFT_OUT")).toBe("Only page 1 of 2 was converted.");
    const second = await bench.convert(two, "pdf", "png", { page: 2 });
    expect((await readFile(second.path)).equals(await readFile(first.path))).toBe(false);
    await expect(bench.convert(two, "pdf", "png", { page: 3 })).rejects.toMatchObject({ code: "INVALID_OPTION" });
  });

  it.each([
    ["a page", ""],
    // By default, pdftoppm rotates it only after sizing.
    ["a rotated page", "/Rotate 90 "],
    // By default, it is squashed, with the cropped part beside it.
    ["a cropped page", "/CropBox [0 0 100 100] "],
    ["a rotated and cropped page", "/CropBox [0 0 100 100] /Rotate 270 "],
  ])("renders like other readers: %s", async (_name, more) => {
    const source = await bench.put("shown.pdf", pdfOf(["Quokka"], "0 0 200 100", more));
    const { path } = await bench.convert(source, "pdf", "png", { dpi: 72 });
    await run("pdftocairo", ["-png", "-cropbox", "-r", "72", "-singlefile", source, join(bench.folder, "other")]);
    const likeness = "[0]format=rgb24[a];[1]format=rgb24[b];[a][b]ssim";
    const asked = ["-nostdin", "-i", path, "-i", join(bench.folder, "other.png"), "-lavfi", likeness, "-f", "null", "-"];
    const { stdout, stderr } = await run("ffmpeg", asked);
    expect(Number(/All:([\d.]+)/.exec(stdout + stderr)?.[1])).toBeGreaterThan(0.9);
  });

  it("applies its options", async () => {
    expect(await readingOf((await bench.convert(two, "pdf", "png", { width: 100 })).path)).toMatchObject({ width: 100, height: 50 });
    expect(await readingOf((await bench.convert(two, "pdf", "jpg", { dpi: 72 })).path)).toMatchObject({ width: 200, height: 100 });
    expect((await readingOf((await bench.convert(two, "pdf", "png", { grayscale: true })).path)).pixelFormat).toBe("gray");
    const coarse = await readFile((await bench.convert(two, "pdf", "jpg", { quality: 10 })).path);
    const fine = await readFile((await bench.convert(two, "pdf", "jpg", { quality: 95 })).path);
    expect(coarse.length).toBeLessThan(fine.length);
    const text = await readFile((await bench.convert(two, "pdf", "txt", { firstPage: 2 })).path, "utf8");
    expect(text).toContain("zebra");
    expect(text).not.toContain("Quokka");
    const side = await bench.put("columns.pdf", pdfOf(["left) Tj 100 0 Td (right"]));
    expect(await readFile((await bench.convert(side, "pdf", "txt", { layout: "page" })).path, "utf8")).toMatch(/left {3,}right/);
    expect(await readFile((await bench.convert(side, "pdf", "txt")).path, "utf8")).not.toMatch(/left {3,}right/);
  });

  it("rejects oversized, missing or cyclic pages and truncated files", async () => {
    const huge = await bench.put("huge.pdf", pdfOf(["Quokka"], "0 0 14400000 14400000"));
    await expect(bench.convert(huge, "pdf", "png")).rejects.toMatchObject({ code: "INPUT_TOO_COMPLEX" });
    const none = await bench.put("none.pdf", pdfOf([]));
    await expect(bench.convert(none, "pdf", "png")).rejects.toMatchObject({ code: "INVALID_INPUT" });
    const loop = await bench.put("loop.pdf", pdfOf(["Quokka"]).toString("latin1").replace("/Kids [4 0 R]", "/Kids [2 0 R]"));
    await expect(bench.convert(loop, "pdf", "png")).rejects.toMatchObject({ code: "INVALID_INPUT" });
    const cut = await bench.put("cut.pdf", pdfOf(["Quokka"]).subarray(0, 60));
    await expect(bench.convert(cut, "pdf", "txt")).rejects.toMatchObject({ code: "INVALID_INPUT" });
  });

  it("asks for a password, and notes pages without text", async () => {
    const locked =
      "/V 1 /R 2 /Length 40 /P -4 /Filter /Standard /O <2055c756c72e1ad702608e8196acad447ad32d17cff583235f6dd15fed7dab67> /U <1111111111111111111111111111111111111111111111111111111111111111>";
    const bytes = pdfOf(["Quokka"]).toString("latin1").replace("/Root 1 0 R", `/Root 1 0 R /Encrypt << ${locked} >> /ID [<00> <00>]`);
    await expect(bench.convert(await bench.put("locked.pdf", Buffer.from(bytes, "latin1")), "pdf", "png")).rejects.toMatchObject({
      code: "PASSWORD_REQUIRED",
    });
    expect([...(await bench.convert(await bench.put("blank.pdf", pdfOf([""])), "pdf", "txt")).notes.keys()]).toEqual(["PAGES_EMPTY"]);
  });

  it("notes fonts that number their glyphs without saying which characters they are", async () => {
    const { notes } = await bench.convert(await bench.put("numbered.pdf", pdfOf(["9ROXPHV"], undefined, "", numberedFont)), "pdf", "txt");
    expect([...notes]).toEqual([
      ["TEXT_NOT_RECOGNISED", "These fonts do not say which characters they show, so that text in them may be wrong: Arial."],
    ]);
  });

  it("writes bullets of symbol fonts as bullets, and notes other signs without a character", async () => {
    const signs = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding << /Differences [97 /uniF0B7 /uniF061] >> >>";
    const input = await bench.put("signs.pdf", pdfOf(["aX) Tj 0 -20 Td (b"], undefined, "", signs));
    const { path, notes } = await bench.convert(input, "pdf", "txt");
    const text = await readFile(path, "utf8");
    expect([text.includes("•X"), text.includes("\uf061"), text.includes("\uf0b7")]).toEqual([true, true, false]);
    expect(notes.get("TEXT_NOT_RECOGNISED")).toMatch(/^Fonts do not say which characters some signs are/);
  });
});

const convert = converting(popplerEngine);

it("leaves what a cropped page does not show out of its text, turned or not", async () => {
  const lines = pdfOf(["Quokka) Tj 0 -40 Td (Numbat"], "0 0 200 100", "/CropBox [10 30 190 90] ");
  const turned = pdfOf(["Quokka) Tj 0 -40 Td (Numbat"], "0 0 200 100", "/CropBox [10 30 190 90] /Rotate 180 ");
  expect((await convert(lines, "pdf", "txt")).text.trim()).toBe("Quokka");
  expect((await convert(turned, "pdf", "txt")).text.trim()).toBe("Quokka");
});

it("crops pages by a box of the tree above them, and survives a tree that leads back to itself", async () => {
  const lines = pdfOf(["Quokka) Tj 0 -40 Td (Numbat"], "0 0 200 100").toString("latin1");
  const above = lines.replace("/Type /Pages", "/Type /Pages /CropBox [10 30 190 90]");
  const [, pages = ""] = /(\d+) 0 obj\s*<< \/Type \/Pages/.exec(lines) ?? [];
  const looped = lines.replace("/Kids [", `/Kids [${pages} 0 R `);
  expect([above === lines, looped === lines, pages]).toEqual([false, false, expect.stringMatching(/^\d+$/)]);
  expect((await convert(Buffer.from(above, "latin1"), "pdf", "txt")).text.trim()).toBe("Quokka");
  expect((await convert(Buffer.from(looped, "latin1"), "pdf", "txt")).text).toContain("Quokka");
});

it.each([
  ["a side below one", "/CropBox [.5 30 190.25 90] ", "Quokka"],
  ["other corners", "/CropBox [190 90 10 30] ", "Quokka"],
  ["a part beyond the page", "/CropBox [-50 30 800 120] ", "Quokka"],
  ["no area, which readers ignore", "/CropBox [0 0 0 0] ", "Quokka Numbat"],
])("reads a crop box with %s like other readers", async (_name, more, shown) => {
  const lines = pdfOf(["Quokka) Tj 800 -40 Td (Numbat"], "0 0 900 100", more);
  expect((await convert(lines, "pdf", "txt")).text.split(/\s+/).join(" ").trim()).toBe(shown);
});
