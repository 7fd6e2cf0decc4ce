import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import * as workbooks from "@e965/xlsx";
import { Ajv } from "ajv";
import { chromium } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { pdfEngine } from "#services/conversion/engines/pdf/pdf.ts";
import { testEngine, useBench } from "#test/contract/engine.ts";
import { pdfOf, tablePdf } from "./pdf-by-hand.ts";

const run = promisify(execFile);
const animals = [
  ["Animal", "Count"],
  ["Quokka", "42"],
  ["Zebra", "007"],
];

testEngine(pdfEngine, {
  async sample(format, folder) {
    const path = join(folder, `sample.${format}`);
    await writeFile(path, tablePdf(animals));
    return path;
  },
  async check({ to }, reading, path) {
    if (to === "html") expect(await readFile(path, "utf8")).toContain("<tr><td>Quokka</td><td>42</td></tr>");
    if (to === "csv") expect(await readFile(path, "utf8")).toBe("Animal,Count\r\nQuokka,42\r\nZebra,007\r\n");
    if (to === "json") expect(JSON.parse(await readFile(path, "utf8")).blocks[0].rows[1][0].blocks[0].text).toEqual([{ text: "Quokka" }]);
    if (to === "xlsx") expect(reading.entries).toContain("xl/workbook.xml");
  },
});

const filler = "The quick brown fox jumps over the lazy dog while the others look on and say nothing at all. ";
const page = `<!DOCTYPE html><meta charset="utf-8"><title>Report</title>
<style>body{font:12pt serif}code,pre{font-family:monospace}td,th{border:1px solid}table{border-collapse:collapse}</style>
<h1>Annual report</h1><p>${filler.repeat(3)}<b>Bold words</b> and <a href="https://example.org/a?b=c&d">a link</a>.</p>
<h2>What was done</h2><ul><li>First thing<li>Second thing<ul><li>Inner thing</ul><li>Third thing</ul>
<ol><li>One<li>Two</ol><p>${filler.repeat(2)}</p>
<h2>Figures</h2><table><tr><th>Name<th>Count<tr><td>Apples &amp; pears<td>12<tr><td>Plums<td>1,234</table>
<p>${filler.repeat(2)}</p><pre>if (x &lt; 1) {
  run("now");
}</pre><p>${filler}</p>`;

const labels = `<!DOCTYPE html><body style="font:12pt serif"><ol start="4"><li>Four<li>Five</ol>
<table border="1"><tr><th colspan="2">Wide<th>Third<tr><td rowspan="2">Tall<td>b1<td>c1<tr><td>b2<td>c2</table></body>`;

const longList = `<!DOCTYPE html><body style="font:12pt serif"><ul>${Array.from({ length: 80 }, (_, index) => `<li>Item number ${index}`).join("")}</ul></body>`;

const arabic = `<html dir="rtl"><body style="font:14pt 'DejaVu Sans'"><h1>رسالة رسمية</h1><p>السلام عليكم، هذا نص رقم 42 مع كلمة English word في الوسط.</p></body></html>`;

const columns = `<!DOCTYPE html><meta charset="utf-8"><style>body{font:10pt serif;column-count:2}h1{column-span:all}</style>
<h1>Two columns</h1>${Array.from({ length: 24 }, (_, index) => `<p>Paragraph ${index + 1} begins. ${filler.repeat(3)}</p>`).join("")}`;

const noted = `<!DOCTYPE html><meta charset="utf-8"><style>body{font:12pt serif;margin:0;height:240mm;position:relative}div{position:absolute;bottom:0;font-size:9pt}</style>
<h1>Notes</h1><p>${filler}Foxes jump<sup>1</sup> over 10<sup>2</sup> dogs<sup>2</sup>. ${filler}</p><div><p><sup>1</sup> Some of them, at least, as those say who have seen foxes and dogs on one meadow on a day in spring.<p><sup>2</sup> Or fewer.</div>`;

/** Position of each text, in the given order: ascending if the order is kept. */
const placesOf = (html: string, texts: readonly string[]) => texts.map((text) => html.indexOf(text));

describe("engine pdf, in detail", () => {
  const bench = useBench(pdfEngine);
  const files: Record<string, string> = {};
  beforeAll(async () => {
    const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
    const sheet = await browser.newPage();
    for (const [name, content, tagged] of [
      ["labels", labels, true],
      ["long list", longList, true],
      ["arabic", arabic, true],
      ["bare arabic", arabic, false],
      ["tagged", page, true],
      ["bare", page, false],
      ["columns", columns, false],
      ["noted", noted, true],
      ["bare noted", noted, false],
    ] as const) {
      files[name] = join(bench.folder, `${name}.pdf`);
      await sheet.setContent(content);
      await sheet.pdf({
        path: files[name] ?? "",
        tagged,
        format: "A4",
        margin: { top: "2cm", bottom: "2cm", left: "2cm", right: "2cm" },
      });
    }
    await browser.close();
  }, 120_000);

  const htmlOf = async (name: string, options = {}) =>
    readFile((await bench.convert(files[name] ?? "", "pdf", "html", options)).path, "utf8");

  it.each(["tagged", "bare"])("finds headings, lists, tables, code and links in a %s PDF", async (name) => {
    const html = await htmlOf(name);
    expect(html).toContain("<h1>Annual report</h1>");
    expect(html).toContain("<h2>What was done</h2>");
    expect(html).toMatch(
      /<ul>\n<li>First thing<\/li>\n<li>Second thing\n<ul>\n<li>Inner thing<\/li>\n<\/ul><\/li>\n<li>Third thing<\/li>\n<\/ul>/,
    );
    expect(html).toMatch(/<ol>\n<li>One<\/li>\n<li>Two<\/li>\n<\/ol>/);
    expect(html).toContain("<tr><th>Name</th><th>Count</th></tr>");
    expect(html).toContain("<tr><td>Apples &amp; pears</td><td>12</td></tr>");
    expect(html).toContain('<pre><code>if (x &lt; 1) {\n  run("now");\n}</code></pre>');
    expect(html).toContain('<strong>Bold words</strong> and <a href="https://example.org/a?b=c&amp;d">a link</a>.');
    expect(html).toContain(filler.trim().repeat(1));
  });

  it("reads columns one after the other", async () => {
    const html = await htmlOf("columns");
    const places = placesOf(
      html,
      Array.from({ length: 24 }, (_, index) => `<p>Paragraph ${index + 1} begins.`),
    );
    expect(places).toEqual([...places].sort((one, other) => one - other));
    expect(places[0]).toBeGreaterThan(html.indexOf("<h1>Two columns</h1>"));
  });

  it.each(["arabic", "bare arabic"])("reads right-to-left text and left-to-right words within it (%s)", async (name) => {
    const html = await htmlOf(name);
    expect(html).toContain("<h1>رسالة رسمية</h1>");
    expect(html).toContain("<p>السلام عليكم، هذا نص رقم 42 مع كلمة English word في الوسط.</p>");
  });

  it.each(["noted", "bare noted"])("moves footnotes to their marks (%s)", async (name) => {
    const html = await htmlOf(name);
    expect(html).toMatch(
      /Foxes jump<a href="#fn1"[^>]*><sup>1<\/sup><\/a> over 10<sup>2<\/sup> dogs<a href="#fn2"[^>]*><sup>2<\/sup><\/a>\./,
    );
    expect(html).toMatch(/<li id="fn1"[^>]*><p>Some of them, [^<]* in spring\.<a [^>]*doc-backlink/);
    const { path } = await bench.convert(files[name] ?? "", "pdf", "docx");
    const { stdout } = await run("pandoc", ["-f", "docx", "-t", "markdown", "--wrap=none", path]);
    expect(stdout).toContain("Foxes jump[^1] over 10^2^ dogs[^2].");
    expect(stdout).toContain("[^2]: Or fewer.");
  });

  it("shows filled-in form fields and vertical text", async () => {
    const path = join(bench.folder, "form.pdf");
    const text = "<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /V (Ada Lovelace) /Rect [210 43 380 63] >>";
    const parent = "/Parent << /T (choice) /FT /Btn /Ff 32768 /V /B >>";
    const button = (value: string, left: number) =>
      `<< /Type /Annot /Subtype /Widget /FT /Btn /Ff 32768 ${parent} /AP << /N << /${value} << >> /Off << >> >> >> /Rect [${left} 10 ${left + 12} 22] >>`;
    const choice =
      "<< /Type /Annot /Subtype /Widget /FT /Ch /T (from) /V (GB) /Opt [[(GB) (Great Britain)] [(IE) (Ireland)]] /Rect [210 70 380 90] >>";
    const field = [text, choice, button("A", 20), button("B", 60), button("C", 100)].join(" ");
    const turned = ") Tj 0 1 -1 0 15 10 Tm (Margin words) Tj 1 0 0 1 20 50 Tm (Your name, as on your passport:";
    await writeFile(
      path,
      pdfOf([turned], "0 0 400 100").toString("latin1").replace("/Type /Page /Parent", `/Annots [${field}] /Type /Page /Parent`),
      "latin1",
    );
    const html = await readFile((await bench.convert(path, "pdf", "html")).path, "utf8");
    expect(html).toMatch(/passport:\s*Ada Lovelace/);
    expect(html).toContain("Margin words");
    expect(html).toMatch(/Great Britain(?![\s\S]*GB)/);
    expect(html.match(/☒/g)).toHaveLength(1);
  });

  it("keeps list numbers and table spans", async () => {
    const tagged = await htmlOf("labels");
    expect(tagged).toContain('<ol start="4">\n<li>Four</li>\n<li>Five</li>\n</ol>');
    expect(tagged).toMatch(/<th colspan="2">Wide<\/th><th>Third<\/th>/);
    expect(tagged).toMatch(/<td>Tall<\/td><td>b1<\/td><td>c1<\/td><\/tr>\n<tr><td><\/td><td>b2<\/td><td>c2<\/td>/);
  });

  it("converts the requested pages", async () => {
    const path = join(bench.folder, "pages.pdf");
    await writeFile(path, pdfOf(["Quokka", "zebra", "okapi", "gnu"]));
    const html = await readFile((await bench.convert(path, "pdf", "html", { pages: "2-3" })).path, "utf8");
    expect(["Quokka", "zebra", "okapi", "gnu"].map((name) => html.includes(name))).toEqual([false, true, true, false]);
    await expect(bench.convert(path, "pdf", "html", { pages: "7" })).rejects.toMatchObject({ code: "INVALID_OPTION" });
  });

  it.each(["tagged", "bare"])("writes only the tables of a %s PDF, with numbers as numbers if nothing is lost", async (name) => {
    const csv = await bench.convert(files[name] ?? "", "pdf", "csv");
    expect(await readFile(csv.path, "utf8")).toBe('Name,Count\r\nApples & pears,12\r\nPlums,"1,234"\r\n');
    expect(csv.notes.get("ENTRIES_LEFT_OUT")).toBe("Only tables were converted.");
    const book = workbooks.read(await readFile((await bench.convert(files[name] ?? "", "pdf", "xlsx")).path));
    expect(workbooks.utils.sheet_to_json(book.Sheets["Table 1"] ?? {}, { header: 1 })).toEqual([
      ["Name", "Count"],
      ["Apples & pears", 12],
      ["Plums", "1,234"],
    ]);
    await expect(bench.convert(files[name] ?? "", "pdf", "csv", { table: 2 })).rejects.toMatchObject({ code: "INVALID_OPTION" });
    await expect(bench.convert(files["columns"] ?? "", "pdf", "csv")).rejects.toMatchObject({ code: "CONVERSION_FAILED" });
  });

  it.each([
    ["tagged", "document"],
    ["bare", "document"],
    ["bare", "tables"],
  ])("converts a %s PDF to JSON that matches the schema (content: %s)", async (name, content) => {
    const { path, notes } = await bench.convert(files[name] ?? "", "pdf", "json", { content });
    const made = JSON.parse(await readFile(path, "utf8"));
    const schema = join(import.meta.dirname, "../../../../../services/conversion/engines/inside/pdf/document.schema.json");
    const isValid = new Ajv().compile(JSON.parse(await readFile(schema, "utf8")));
    expect(isValid(made), JSON.stringify(isValid.errors)).toBe(true);
    expect(notes.has("ENTRIES_LEFT_OUT")).toBe(content === "tables");
    if (content === "tables")
      return expect(made.tables[0]).toMatchObject({
        page: 1,
        rows: [
          ["Name", "Count"],
          ["Apples & pears", "12"],
          ["Plums", "1,234"],
        ],
      });
    expect(made.pages).toMatchObject([{ page: 1, width: expect.closeTo(595, -1), height: expect.closeTo(842, -1) }]);
    expect(made.blocks[0]).toMatchObject({ type: "heading", level: 1, page: 1, text: [{ text: "Annual report" }] });
    const [left, top, right, bottom] = made.blocks[0].box;
    // pdftotext reports the word positions.
    const { stdout } = await run("pdftotext", ["-bbox", files[name] ?? "", "-"]);
    const [, x0, , , y1] = /xMin="([\d.]+)" yMin="([\d.]+)" xMax="([\d.]+)" yMax="([\d.]+)">Annual</.exec(stdout) ?? [];
    expect(left).toBeCloseTo(Number(x0), -1);
    expect(bottom).toBeCloseTo(Number(y1), -1);
    expect(right > left && bottom > top).toBe(true);
  });

  it("keeps every row of a table across pages, and its head once", async () => {
    const path = join(bench.folder, "listing.pdf");
    const rows = (page: number) => [
      ["Day", "Sum"],
      ...Array.from({ length: 30 }, (_, row) => [`${row + 1}.${page}.`, `${page * 100 + row}.50`]),
    ];
    const shown = (page: number) =>
      rows(page).flatMap((row, index) => row.map((text, place) => `1 0 0 1 ${20 + place * 150} ${485 - index * 15} Tm (${text}) Tj`));
    await writeFile(
      path,
      pdfOf(
        [1, 2, 3].map((page) => `) Tj ${shown(page).join(" ")} (`),
        "0 0 300 500",
      ),
    );
    const csv = await readFile((await bench.convert(path, "pdf", "csv")).path, "utf8");
    expect(csv.trim().split("\r\n")).toEqual(
      [["Day", "Sum"], ...[1, 2, 3].flatMap((page) => rows(page).slice(1))].map((row) => row.join(",")),
    );
  });

  it("keeps running heads once with a note, and numbers that differ", async () => {
    const path = join(bench.folder, "invoices.pdf");
    const shown = (page: number) =>
      `) Tj 1 0 0 1 20 480 Tm (Mill Limited, page ${page}) Tj 1 0 0 1 20 250 Tm (Something number ${page} was sold.) Tj 1 0 0 1 20 20 Tm (Total due ${page * 37}.50`;
    await writeFile(path, pdfOf([1, 2, 3].map(shown), "0 0 300 500"));
    const { path: made, notes } = await bench.convert(path, "pdf", "html");
    const html = await readFile(made, "utf8");
    for (const text of ["Total due 37.50", "Total due 74.50", "Total due 111.50", "Something number 2 was sold."])
      expect(html).toContain(text);
    expect(html.split("Mill Limited")).toHaveLength(2);
    expect(notes.get("ENTRIES_LEFT_OUT")).toBe("Repeated running heads were left out, such as “Mill Limited, page 1”.");
  });

  it("names text that is marked as decoration and left out, unless the other text repeats it", async () => {
    const path = join(bench.folder, "letter.pdf");
    const head = (text: string) =>
      `) Tj ET /Artifact BMC BT /F 12 Tf 1 0 0 1 20 180 Tm (${text}) Tj ET EMC BT /F 12 Tf 1 0 0 1 20 100 Tm (Quokka`;
    const notesOf = async (text: string) => {
      await writeFile(path, pdfOf([head(text)], "0 0 300 200"));
      return (await bench.convert(path, "pdf", "html")).notes;
    };
    expect((await notesOf("Mill Limited, letter 17")).get("ENTRIES_LEFT_OUT")).toContain("“Mill Limited, letter 17”");
    expect((await notesOf("Quokka")).has("ENTRIES_LEFT_OUT")).toBe(false);
  });

  it("keeps list items apart across a page break", async () => {
    const html = await htmlOf("long list");
    expect(html.match(/<li>Item number \d+<\/li>/g)).toHaveLength(80);
    expect(html.match(/<ul>/g)).toHaveLength(1);
  });

  it("notes that a file is truncated after its pages", async () => {
    const path = join(bench.folder, "cut.pdf");
    const whole = pdfOf(["Quokka"]);
    await writeFile(path, whole.subarray(0, whole.lastIndexOf("startxref")));
    const { path: made, notes } = await bench.convert(path, "pdf", "html");
    expect(await readFile(made, "utf8")).toContain("Quokka");
    expect(notes.has("INPUT_DAMAGED")).toBe(true);
  });

  it("converts empty pages to an empty document with a note, and rejects a damaged file", async () => {
    const path = join(bench.folder, "empty.pdf");
    await writeFile(path, pdfOf([" "]));
    for (const format of ["html", "docx", "json"])
      expect([...(await bench.convert(path, "pdf", format)).notes.keys()]).toEqual(["PAGES_EMPTY"]);
    await expect(bench.convert(path, "pdf", "csv")).rejects.toMatchObject({ code: "CONVERSION_FAILED" });
    await writeFile(join(bench.folder, "junk.pdf"), `%PDF-1.4\n${"x".repeat(5000)}`);
    await expect(bench.convert(join(bench.folder, "junk.pdf"), "pdf", "html")).rejects.toMatchObject({ code: "INVALID_INPUT" });
  });

  it("notes pages whose fonts do not say which characters they show", async () => {
    const path = join(bench.folder, "codes.pdf");
    await writeFile(path, pdfOf(["Readable", "Version 1.\\002", `Some word ) Tj 1 Tz (${"!#%&*".repeat(60)}`]));
    const { notes } = await bench.convert(path, "pdf", "html");
    expect(notes.get("TEXT_NOT_RECOGNISED")).toBe(
      "Fonts of these pages do not say which characters they show, so that text is missing or wrong: 2, 3.",
    );
  });
});
