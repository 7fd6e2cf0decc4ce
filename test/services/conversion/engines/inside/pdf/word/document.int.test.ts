import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { chromium } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { pdfEngine } from "#services/conversion/engines/pdf/pdf.ts";
import { useBench } from "#test/contract/engine.ts";
import { pdfOf } from "#test/services/conversion/engines/pdf/pdf-by-hand.ts";

const run = promisify(execFile);
const filler = "The quick brown fox jumps over the lazy dog while the others look on and say nothing at all. ";

const statement = `<style>body{font:10pt "Liberation Sans"}table{width:100%;border-collapse:collapse}td,th{border-bottom:1px solid}.n,.r{text-align:right}</style>
<p class=r><b style="font-size:16pt">Example Bank plc</b><br>1 High Street<br>London</p><p>Ms Ada Lovelace<br>12 St James's Square<br>London</p>
<h2>Statement of account</h2><table><thead><tr><th>Date<th>Details<th class=n>Paid out<th class=n>Paid in<th class=n>Balance</thead>
<tr><td>01.03.2026<td>Card payment<td class=n>-12.50<td><td class=n>1000.00<tr><td>02.03.2026<td>Salary<td><td class=n>2400.00<td class=n>3400.00
<tr><td>03.03.2026<td>Rent<td class=n>-900.00<td class=n>1.00<td class=n>2501.00</table><p>${filler.repeat(4)}</p>`;

const letter = `<html dir=rtl lang=ar><style>body{font:14pt "DejaVu Sans"}</style><p style="text-align:left">القاهرة في 12 مارس 2026</p>
<h1 style="text-align:center">طلب إجازة رسمية</h1><p>السلام عليكم ورحمة الله وبركاته، نود أن نعلمكم بأن الموظف المذكور أعلاه قد تقدم بطلب إجازة لمدة 15 يوما ابتداء من تاريخ 1 أبريل، وذلك وفقا لنظام <b>Human Resources</b> المعمول به في الشركة.</p>
<ol><li>البند الأول من الطلب</li><li>البند الثاني من الطلب</li></ol><table border=1><tr><th>الاسم<th>القسم<tr><td>أحمد<td>المبيعات</table></html>`;

const paper = `<style>body{font:10pt/1.2 "Liberation Serif"}h1{text-align:center}.c{column-count:2;column-gap:8mm;text-align:justify}</style><h1>A study of foxes</h1>
<div class=c><h2>Introduction</h2>${Array.from({ length: 12 }, (_, index) => `<p>Part ${index + 1}. ${filler.repeat(5)}</p>`).join("")}</div>`;

describe("a PDF converted to Word", () => {
  const bench = useBench(pdfEngine);
  const files: Record<string, string> = {};
  beforeAll(async () => {
    const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
    const sheet = await browser.newPage();
    for (const [name, content] of Object.entries({ statement, letter, paper })) {
      await sheet.setContent(`<!DOCTYPE html><meta charset="utf-8">${content}`);
      for (const tagged of [true, false]) {
        const path = join(bench.folder, `${name}-${tagged}.pdf`);
        files[`${name}, ${tagged ? "tagged" : "bare"}`] = path;
        await sheet.pdf({ path, tagged, format: "A5", margin: { top: "15mm", bottom: "15mm", left: "15mm", right: "15mm" } });
      }
    }
    await browser.close();
  }, 120_000);

  const convert = async (name: string) => (await bench.convert(files[name] ?? "", "pdf", "docx")).path;
  const xmlOf = async (path: string) => (await run("unzip", ["-p", path, "word/document.xml"], { maxBuffer: 2 ** 26 })).stdout;
  const asRead = async (path: string) =>
    (await run("pandoc", ["-f", "docx", "-t", "gfm", "--wrap=none", path])).stdout.replace(/<\/?span[^>]*>/g, "");

  /** The paragraph with these words, in Word's own XML. */
  const paragraphWith = (xml: string, words: string): string =>
    xml.split("<w:p>").find((part) => part.replace(/<[^>]*>/g, "").includes(words)) ?? "";

  it.each(["statement, tagged", "statement, bare"])("keeps lines, sizes, positions and columns (%s)", async (name) => {
    const path = await convert(name);
    const xml = await xmlOf(path);
    expect(xml).toMatch(/<w:pgSz w:w="8(39|40)\d*" w:h="119\d\d"/);
    expect(xml).toMatch(/<w:pgMar [^>]*w:left="9[67]\d"/);
    expect(paragraphWith(xml, "Example Bank plc")).toContain('<w:jc w:val="right"/>');
    // Without tags it becomes a heading, whose style has the size.
    expect(paragraphWith(xml, "Example Bank plc")).toContain(
      name.endsWith("tagged") ? '<w:sz w:val="32"/>' : '<w:pStyle w:val="Heading1"/>',
    );
    const read = await asRead(path);
    expect(read).toMatch(/Ms Ada Lovelace *\\?\n12 St James’?'?s Square *\\?\nLondon/);
    expect(read).toMatch(/^#+ Statement of account$/m);
    // Cells after one that the tags omit stay in their columns.
    expect(read).toMatch(/\| 01\.03\.2026 +\| Card payment +\| +-?\\?-12\.50 +\| +\| +1000\.00 +\|/);
    expect(read).toMatch(/\| 02\.03\.2026 +\| Salary +\| +\| +2400\.00 +\| +3400\.00 +\|/);
    expect(paragraphWith(xml, "3400.00")).toContain('<w:jc w:val="right"/>');
    expect(paragraphWith(xml, "Salary")).toContain('<w:jc w:val="left"/>');
  });

  it.each(["letter, tagged", "letter, bare"])("sets Arabic text from right to left (%s)", async (name) => {
    const path = await convert(name);
    const xml = await xmlOf(path);
    expect(paragraphWith(xml, "السلام عليكم")).toContain("<w:bidi/>");
    expect(paragraphWith(xml, "القاهرة في")).toMatch(/<w:bidi\/>.*<w:jc w:val="(left|end|right)"\/>/);
    expect(paragraphWith(xml, "طلب إجازة رسمية")).toContain('<w:jc w:val="center"/>');
    expect(xml).toContain("<w:bidiVisual/>");
    const read = await asRead(path);
    expect(read).toContain("وفقا لنظام **Human Resources** المعمول به في الشركة.");
    expect(read).toMatch(/^1\. +البند الأول من الطلب\n+2\. +البند الثاني من الطلب$/m);
    expect(read).toMatch(/\| \**الاسم\** *\| \**القسم\** *\|/);
  });

  it.each(["paper, tagged", "paper, bare"])("keeps two columns below the title (%s)", async (name) => {
    const path = await convert(name);
    const xml = await xmlOf(path);
    expect(xml.match(/<w:cols [^>]*w:num="2"/g)).toHaveLength(1);
    // Without a line rule, LibreOffice lets lines of large letters overlap.
    expect(xml).not.toMatch(/<w:spacing (?![^>]*w:lineRule)[^>]*w:line=/);
    expect(paragraphWith(xml, "A study of foxes")).toContain('<w:jc w:val="center"/>');
    expect(paragraphWith(xml, "Part 5.")).toContain('<w:jc w:val="both"/>');
    const read = await asRead(path);
    const places = Array.from({ length: 12 }, (_, index) => read.indexOf(`Part ${index + 1}. The quick`));
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(places.every((place) => place > 0)).toBe(true);
  });

  it("shows form labels that are tagged as artifacts", async () => {
    const path = join(bench.folder, "form.pdf");
    const label = (text: string, y: number) => `1 0 0 1 20 ${y} Tm (${text}) Tj`;
    const line = `) Tj ET /Artifact BMC BT /F 12 Tf ${label("Name of the applicant", 60)} ${label("Place of birth", 40)} ET EMC BT (`;
    const field = "/Annots [<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /V (Ada Lovelace) /Rect [210 55 380 73] >>]";
    const tags = "/StructTreeRoot << /Type /StructTreeRoot >> /MarkInfo << /Marked true >>";
    const bytes = pdfOf([line], "0 0 400 200").toString("latin1");
    await writeFile(
      path,
      bytes.replace("/Type /Page /Parent", `${field} /Type /Page /Parent`).replace("/Type /Catalog", `/Type /Catalog ${tags}`),
      "latin1",
    );
    const read = await asRead((await bench.convert(path, "pdf", "docx")).path);
    expect(read).toMatch(/Name of the applicant.*Ada Lovelace/);
    expect(read).toContain("Place of birth");
  });

  it("keeps author, subject and keywords, here and in web pages", async () => {
    const path = join(bench.folder, "told.pdf");
    const info = '/Info << /Title (Salt) /Author (Ada "A" Lovelace) /Subject (Kitchen) /Keywords (salt, pepper) >>';
    await writeFile(path, pdfOf(["Text."]).toString("latin1").replace("/Root 1 0 R", `/Root 1 0 R ${info}`), "latin1");
    const core = (await run("unzip", ["-p", (await bench.convert(path, "pdf", "docx")).path, "docProps/core.xml"])).stdout;
    for (const told of ["title>Salt<", "subject>Kitchen<", "creator>Ada &quot;A&quot; Lovelace<", "keywords>salt, pepper<"])
      expect(core).toContain(told);
    const page = await readFile((await bench.convert(path, "pdf", "html")).path, "utf8");
    expect(page).toContain('<meta name="author" content="Ada &quot;A&quot; Lovelace">\n<meta name="subject" content="Kitchen">');
  });
});
