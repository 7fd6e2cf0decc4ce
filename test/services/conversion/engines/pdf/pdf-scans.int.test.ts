import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { chromium } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { pdfEngine } from "#services/conversion/engines/pdf/pdf.ts";
import { popplerEngine } from "#services/conversion/engines/pdf/poppler.ts";
import { openBench, useBench } from "#test/contract/engine.ts";

const run = promisify(execFile);
const filler = "The quick brown fox jumps over the lazy dog while the others look on and say nothing at all. ";
const scan = `<body style="font:28px/1.5 serif;margin:120px;background:white"><h1>Minutes</h1><p>${filler.repeat(4)}</p><p>Agreed and signed.</p>`;

/** Widely spaced words next to a picture, as in a narrow justified column. */
const sparse = [
  "come tip toeing down and stood",
  "right between us and could have",
  "touched him nearly for it was",
  "minutes and minutes that there",
  "never was a sound and we were",
];
const beside = `<body style="font:28px/1.5 serif;margin:120px;background:white"><div style="float:left;width:520px;height:380px;border:2px solid"></div>
  ${sparse.map((line) => `<div style="margin-left:560px;width:440px;text-align-last:justify">${line}</div>`).join("")}`;

describe("scanned pages of a PDF", () => {
  const bench = useBench(pdfEngine);
  const files: Record<string, string> = {};
  beforeAll(async () => {
    const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
    const sheet = await browser.newPage();
    await sheet.setViewportSize({ width: 1240, height: 1754 });
    await sheet.setContent(scan);
    const shot = join(bench.folder, "shot.png");
    const picture = (await sheet.screenshot({ path: shot })).toString("base64");
    files["scan"] = join(bench.folder, "scan.pdf");
    const shown = `<img style="width:100%;transform:rotate(1deg)" src="data:image/png;base64,${picture}">`;
    await sheet.setContent(
      `<style>body{margin:0}</style><p style="font:12pt serif;margin:2cm">A cover sheet with a few words of its own.</p><div style="break-before:page">${shown}</div>`,
    );
    await sheet.pdf({ path: files["scan"] ?? "", tagged: false, format: "A4", pageRanges: "1-2" });
    for (const kind of ["strips", "masks"]) {
      files[kind] = join(bench.folder, `${kind}.pdf`);
      const scanned = join(bench.folder, "scanned.pdf");
      await run("/usr/bin/python3", [join(import.meta.dirname, "scanned-pdf.py"), scanned, kind, "1", "0", shot]);
      await run("qpdf", ["--empty", "--pages", files["scan"] ?? "", "1", scanned, "--", files[kind] ?? ""]);
    }
    files["crooked"] = join(bench.folder, "crooked.pdf");
    await run("/usr/bin/python3", [join(import.meta.dirname, "scanned-pdf.py"), files["crooked"], "plain", "4", "0", shot]);
    await sheet.setViewportSize({ width: 1240, height: 620 });
    await sheet.setContent(beside);
    await sheet.screenshot({ path: shot });
    files["beside"] = join(bench.folder, "beside.pdf");
    const short = join(bench.folder, "short.pdf");
    await run("/usr/bin/python3", [join(import.meta.dirname, "scanned-pdf.py"), short, "plain", "0.4", "0", shot]);
    await run("qpdf", ["--empty", "--pages", files["scan"] ?? "", "1", short, "--", files["beside"]]);
    await browser.close();
  }, 120_000);

  it("are recognised even if slightly crooked, with pages and confidence in a note", async () => {
    const { path, notes } = await bench.convert(files["scan"] ?? "", "pdf", "html");
    const html = await readFile(path, "utf8");
    expect(html).toContain("A cover sheet with a few words of its own.");
    expect(html).toContain("The quick brown fox jumps over the lazy dog");
    expect(html).toContain("Agreed and signed.");
    expect(html).not.toContain("<img");
    expect(notes.get("TEXT_RECOGNISED")).toMatch(/^The text of page 2 was recognised in pictures, with a mean confidence of [89]\d %\.$/);
    expect(notes.has("TEXT_NOT_RECOGNISED")).toBe(false);
  });

  it.each(["strips", "masks"])("are recognised when stored as %s with a line of text from the registry", async (kind) => {
    const { path, notes } = await bench.convert(files[kind] ?? "", "pdf", "html");
    expect((await readFile(path, "utf8")).replace(/\s+/g, " ")).toContain("Agreed and signed.");
    expect(notes.get("TEXT_RECOGNISED")).toMatch(/^The text of page 2 was recognised/);
    const bare = await bench.convert(files[kind] ?? "", "pdf", "html", { ocr: "never" });
    expect((await readFile(bare.path, "utf8")).match(/<img/g)).toHaveLength(1);
  });

  it("are recognised for plain text too, next to pages with text", async () => {
    await using plain = await openBench(popplerEngine);
    const { path, notes } = await plain.convert(files["masks"] ?? "", "pdf", "txt");
    const text = (await readFile(path, "utf8")).replace(/\s+/g, " ");
    expect([text.includes("A cover sheet with a few words"), text.includes("Agreed and signed.")]).toEqual([true, true]);
    expect(text.match(/Scanned and filed by the registry/g)).toHaveLength(1);
    expect(notes.get("TEXT_RECOGNISED")).toMatch(/^The text of page 2 was recognised/);
  });

  it("are read line by line, even if crooked", async () => {
    await using plain = await openBench(popplerEngine);
    const text = await readFile((await plain.convert(files["crooked"] ?? "", "pdf", "txt")).path, "utf8");
    expect(text.replace(/\s+/g, " ").trim()).toBe(`Minutes ${filler.repeat(4)}Agreed and signed.`);
    const html = await readFile((await bench.convert(files["crooked"] ?? "", "pdf", "html")).path, "utf8");
    expect(html.replace(/\s+/g, " ")).toContain(`<p>${filler.repeat(4).trim()}</p>`);
  });

  it("keep lines of widely spaced words together", async () => {
    await using plain = await openBench(popplerEngine);
    const linesOf = async (options: Record<string, string | number>) => {
      const text = await readFile((await plain.convert(files["beside"] ?? "", "pdf", "txt", options)).path, "utf8");
      return text.split("\f").map((page) => page.split("\n").filter((line) => line.trim() !== ""));
    };
    expect(await linesOf({})).toEqual([["A cover sheet with a few words of its own."], sparse, []]);
    expect(await linesOf({ firstPage: 2 })).toEqual([sparse, []]);
  });

  it("keep the figure beside their text", async () => {
    const html = await readFile((await bench.convert(files["beside"] ?? "", "pdf", "html")).path, "utf8");
    expect(html.match(/<img/g)).toHaveLength(1);
    expect(html).toContain("minutes and minutes that there");
  });

  it("stay pictures if OCR is disabled", async () => {
    const { path, notes } = await bench.convert(files["scan"] ?? "", "pdf", "html", { ocr: "never" });
    expect(await readFile(path, "utf8")).toContain("<img");
    expect(notes.get("TEXT_NOT_RECOGNISED")).toBe("Text in the pictures of these pages was not recognised: 2.");
    const whole = await bench.convert(files["scan"] ?? "", "pdf", "html", { ocr: "never", pages: "2" });
    expect(await readFile(whole.path, "utf8")).toContain("<img");
    expect(whole.notes.get("TEXT_NOT_RECOGNISED")).toBe("Text in the pictures of these pages was not recognised: 2.");
  });

  it("are rejected for a language that is not installed", async () => {
    await expect(bench.convert(files["scan"] ?? "", "pdf", "html", { language: "xxx" })).rejects.toMatchObject({ code: "INVALID_OPTION" });
  });
});
