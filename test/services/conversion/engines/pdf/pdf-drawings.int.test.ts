import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { chromium } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { pdfEngine } from "#services/conversion/engines/pdf/pdf.ts";
import { useBench } from "#test/contract/engine.ts";
import { pdfOf } from "./pdf-by-hand.ts";

const run = promisify(execFile);
const filler = "The quick brown fox jumps over the lazy dog while the others look on and say nothing at all. ";
const bar = (width: number) => `<div style="height:14px;margin:4px 0;width:${width}px;background:#36c"></div>`;
const node = (x: number, text: string) =>
  `<rect x="${x}" y="10" width="90" height="40" rx="6" fill="none" stroke="black"/><text x="${x + 10}" y="35">${text}</text>`;
const drawings = `<!DOCTYPE html><meta charset="utf-8"><body style="font:12pt serif"><h1>Drawings</h1><p>Before the pie. ${filler}</p>
<svg width="150" height="150"><circle cx="75" cy="75" r="70" fill="#fc0"/><path d="M75 75V5A70 70 0 0 1 140 95z" fill="#c30"/></svg>
<p>Between. ${filler}</p>${bar(200)}${bar(120)}${bar(90)}${bar(160)}<p>${filler}</p>
<svg width="300" height="80">${node(5, "Start")}${node(195, "End")}<path d="M95 30C130 60 160 0 195 30" fill="none" stroke="black"/>
<image x="135" y="40" width="20" height="20" href="data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="/></svg>
<p>After. ${filler}</p><pre style="background:#eee;border-radius:6px;padding:8px">const rounded = 1;</pre>
<ul><li>One<ul><li>Two</ul><li>Three</ul><table border="1"><tr><th style="background:#cde">Shaded<th>Head<tr><td>Cell<td style="background:#eee"></table>
<p style="border:1px solid;border-radius:4px">${filler}</p><p><u>Underlined</u> <mark>marked</mark></p>`;

describe("drawings in a PDF", () => {
  const bench = useBench(pdfEngine);
  const files: Record<string, string> = {};
  beforeAll(async () => {
    const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
    const sheet = await browser.newPage();
    await sheet.setContent(drawings);
    for (const kind of ["tagged", "bare"]) {
      files[kind] = join(bench.folder, `${kind}.pdf`);
      await sheet.pdf({
        path: files[kind] ?? "",
        tagged: kind === "tagged",
        printBackground: true,
        format: "A4",
        margin: { top: "2cm", left: "2cm" },
      });
    }
    await browser.close();
  }, 120_000);

  it.each(["tagged", "bare"])("become pictures in HTML, but backgrounds, bullets and frames do not (%s)", async (kind) => {
    const { path, notes } = await bench.convert(files[kind] ?? "", "pdf", "html");
    const html = await readFile(path, "utf8");
    const shown = [...html.matchAll(/<img src="data:image\/png;base64,([^"]+)"[^>]*width="(\d+)" height="(\d+)"/g)];
    expect([[...notes.keys()], shown.length]).toEqual([[], 3]);
    for (const [index, [, png = ""]] of shown.entries()) {
      const picture = join(bench.folder, `${kind}-${index}.png`);
      await writeFile(picture, Buffer.from(png, "base64"));
      const { stdout } = await run("convert-im6.q16", [picture, "-format", "%w %h %k", "info:"]);
      const [width = 0, height = 0, colours = 0] = stdout.split(" ").map(Number);
      expect([width > 200, height > 60, colours > 1], stdout).toEqual([true, true, true]);
    }
    expect(html).toMatch(/Before the pie[\s\S]*<img[\s\S]*Between[\s\S]*<img[\s\S]*After/);
    // The picture shows these labels and the small image between them, which is not repeated.
    expect(html).toMatch(kind === "bare" ? /<p>Start End<\/p>/ : /Start[\s\S]*End/);
    expect(html).toContain("const rounded = 1;");
    const told = await bench.convert(files[kind] ?? "", "pdf", "json");
    expect(told.notes.get("DRAWINGS_LEFT_OUT")).toBe("Drawings of these pages were left out: 1.");
  });

  it("become one picture on a page without text, even if they are only lines", async () => {
    const path = join(bench.folder, "lines.pdf");
    await writeFile(path, pdfOf([") Tj ET 20 20 m 120 20 l S 60 10 m 60 70 l S BT 0 0 Td ("]));
    const { path: made, notes } = await bench.convert(path, "pdf", "html", { ocr: "never" });
    expect(await readFile(made, "utf8")).toMatch(/<img[^>]* width="14\d" height="8\d"/);
    expect([...notes.keys()]).toEqual(["TEXT_NOT_RECOGNISED"]);
  });
});
