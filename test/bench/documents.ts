import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Browser, chromium } from "playwright-core";
import { startServer, type TestServer } from "#test/harness/server.ts";
import { type Manual, manualsIn } from "./manuals.ts";
import { benchOffice } from "./office.ts";
import { convert } from "./rest-client.ts";
import { type Goals, meansOf, type Reasons, type Row, tableOf } from "./structure-score.ts";

const run = promisify(execFile);

const ruled = "table{border-collapse:collapse}td,th{border:1px solid #999;padding:2px 6px}";
const underlined = "table{border-collapse:collapse;font-size:8pt}td,th{border-bottom:1px solid #999;padding:2px 6px}";
const wide = `body{font:12pt/1.4 "DejaVu Serif",serif}code,pre{font:10pt "DejaVu Sans Mono",monospace}pre{white-space:pre-wrap}${ruled}`;
const narrow = `body{font:10pt/1.3 "Liberation Serif",serif;column-count:2}code,pre{font:8pt "Liberation Mono",monospace}pre{white-space:pre-wrap}${underlined}h1{column-span:all}`;
const narrowest = `body{font:8pt/1.3 "Liberation Sans",sans-serif;column-count:3;column-gap:6mm}code,pre{font:7pt "Liberation Mono",monospace}pre,code{white-space:pre-wrap;overflow-wrap:anywhere}${underlined}h1{column-span:all}`;
const book = `body{font:11pt/1.3 "Liberation Serif",serif;text-align:justify}p{margin:0;text-indent:1.5em}li p,td p{text-indent:0}h1,h2{text-align:center}code,pre{font:9pt "Liberation Mono",monospace}pre{white-space:pre-wrap;text-align:left}${ruled}`;

type Layout = {
  readonly name: string;
  readonly style: string;
  readonly tagged: boolean;
  readonly goals: Goals;
  readonly reasons?: Reasons;
};

const taggedGoals: Goals = { order: 0.99, heads: 0.98, cells: 0.95, lists: 0.95, code: 0.95, links: 0.98 };
const untaggedGoals: Goals = { order: 0.97, heads: 0.85, cells: 0.75, lists: 0.85, code: 0.85 };
const scanGoals: Goals = { words: 0.97 };

const hindi = "Hindi: Chromium writes many letters only as ActualText, which the PDF reader does not report";
const narrowTables =
  "tables without vertical lines in a narrow column: with two or three words a line, their cells look like columns of the page";
const threeColumns: Reasons = {
  order: `${narrowTables}; ${hindi}`,
  cells: narrowTables,
  lists: "nested items are indented so far that a line holds one or two words",
};

const scannedLayout: Layout = { name: "without tags", style: wide, tagged: false, goals: untaggedGoals };
const layouts: readonly Layout[] = [
  { name: "tagged", style: wide, tagged: true, goals: taggedGoals },
  scannedLayout,
  { name: "as a book", style: book, tagged: false, goals: untaggedGoals },
  { name: "two columns", style: narrow, tagged: false, goals: untaggedGoals, reasons: { order: hindi } },
  { name: "three columns", style: narrowest, tagged: false, goals: untaggedGoals, reasons: threeColumns },
];

async function print(browser: Browser, html: string, { style, tagged }: Layout, path: string): Promise<void> {
  const page = await browser.newPage();
  await page.setContent(`<!DOCTYPE html><meta charset="utf-8"><style>${style}</style>${html}`);
  const [headerTemplate, footerTemplate] = [
    '<div style="font-size:8px">Manual</div>',
    '<div style="font-size:8px">Page <span class=pageNumber></span></div>',
  ];
  const margin = { top: "20mm", bottom: "20mm", left: "20mm", right: "20mm" };
  await page.pdf({ path, tagged, format: "A4", margin, displayHeaderFooter: !tagged, headerTemplate, footerTemplate });
  await page.close();
}

type Maker = (server: TestServer, pdf: string, made: string) => Promise<void>;

const byFilemill: Maker = async (server, pdf, made) => {
  const { status, body } = await convert(server, { to: "md", name: "in.pdf", query: "?download=wait" }, await readFile(pdf));
  if (status !== 200) throw new Error(`status ${status}: ${body.toString().slice(0, 300)}`);
  await writeFile(made, body);
};

/** Programs that convert a PDF to Markdown at a given path. */
const makers: Readonly<Record<string, Maker>> = {
  Filemill: byFilemill,
  async pdftotext(_server, pdf, made) {
    await run("pdftotext", ["-nopgbrk", pdf, made]);
  },
  async MuPDF(_server, pdf, made) {
    await run("mutool", ["convert", "-F", "xhtml", "-o", `${made}.html`, pdf]);
    await run("pandoc", ["-f", "html", "-t", "gfm-raw_html", `${made}.html`, "-o", made]);
  },
  async pdftohtml(_server, pdf, made) {
    await run("pdftohtml", ["-s", "-i", "-noframes", pdf, `${made}.html`]);
    await run("pandoc", ["-f", "html", "-t", "gfm-raw_html", `${made}.html`, "-o", made]);
  },
  async Calibre(_server, pdf, made) {
    await run("ebook-convert", [pdf, `${made}.txt`, "--txt-output-formatting=markdown"], { maxBuffer: 2 ** 26 });
    await run("mv", [`${made}.txt`, made]);
  },
};

/** Programs that convert scans to Markdown: Filemill, and OCR alone on pages that nothing has straightened. */
const readers: Readonly<Record<string, Maker>> = {
  Filemill: byFilemill,
  async Tesseract(_server, pdf, made) {
    await run("pdftoppm", ["-gray", "-r", "300", pdf, made]);
    await run("sh", ["-c", 'ls "$1"-*.pgm > "$1.list"', "sh", made]);
    await run("tesseract", [`${made}.list`, made, "--dpi", "300"]);
    await run("mv", [`${made}.txt`, made]);
  },
};

/** Simulates a scanner: 300 dpi, rotated by 0.7 degrees, one pixel in two hundred a speck. */
async function scan(pdf: string, path: string): Promise<void> {
  await run("pdftoppm", ["-gray", "-r", "300", "-png", pdf, path]);
  const program = join(import.meta.dirname, "../services/conversion/engines/pdf/scanned-pdf.py");
  await run("sh", ["-c", '/usr/bin/python3 "$1" "$2" plain 0.7 0.5 "$2"-*.png && rm "$2"-*.png', "sh", program, path]);
}

async function pagesOf(pdfs: readonly string[]): Promise<number> {
  const told = await Promise.all(pdfs.map((pdf) => run("pdfinfo", [pdf])));
  return told.reduce((sum, { stdout }) => sum + Number(/^Pages:\s+(\d+)/m.exec(stdout)?.[1] ?? 0), 0);
}

type Set = { readonly name: string; readonly pdfs: readonly string[]; readonly truths: readonly string[] };

async function measured(
  server: TestServer,
  { name, pdfs, truths }: Set,
  by: Readonly<Record<string, Maker>>,
  { goals, reasons }: Pick<Layout, "goals" | "reasons">,
): Promise<string[]> {
  const pages = await pagesOf(pdfs);
  const rows: Row[] = [];
  let seconds = 0;
  for (const [maker, make] of Object.entries(by)) {
    const pairs = truths.map((truth, index) => [truth, `${pdfs[index]}.${maker}.md`] as const);
    const from = performance.now();
    for (const [index, [, made]] of pairs.entries()) await make(server, pdfs[index] ?? "", made);
    if (maker === "Filemill") seconds = (performance.now() - from) / 1000;
    rows.push({ name: maker, figures: await meansOf(pairs) });
  }
  const title = `PDF ${name}: ${pdfs.length} documents, ${pages} pages, ${(seconds / pages).toFixed(3)} s a page`;
  return [title, ...tableOf(rows, goals, reasons)];
}

/** Prints each table at once: the whole run takes an hour. */
function say(table: readonly string[]): void {
  console.log(table.join("\n"));
}

const scanned = "scanned at 300 dpi";
/** Fewer, so that OCR finishes in minutes; in the language that Tesseract always has. */
const scannedManuals = 8;

async function benchPdfs(server: TestServer, browser: Browser, folder: string, manuals: readonly Manual[], layout: Layout): Promise<void> {
  const pdfs = manuals.map((_, index) => join(folder, `${layout.name}.${index}.pdf`));
  for (const [index, { html }] of manuals.entries()) await print(browser, html, layout, pdfs[index] ?? "");
  say(await measured(server, { name: layout.name, pdfs, truths: manuals.map(({ truth }) => truth) }, makers, layout));
}

async function benchScans(server: TestServer, browser: Browser, folder: string, manuals: readonly Manual[]): Promise<void> {
  const short = manuals.filter(({ isEnglish, html }) => isEnglish && html.length < 20_000).slice(0, scannedManuals);
  const pdfs = short.map((_, index) => join(folder, `scan.${index}.pdf`));
  const printed = join(folder, "printed.pdf");
  for (const [index, { html }] of short.entries()) {
    await print(browser, html, scannedLayout, printed);
    await scan(printed, pdfs[index] ?? "");
  }
  say(await measured(server, { name: scanned, pdfs, truths: short.map(({ truth }) => truth) }, readers, { goals: scanGoals }));
}

/**
 * How much structure documents keep on their way to Markdown: goals, figures and reasons, compared with other programs.
 *
 * @param asked - Parts of names of tables, such as `columns` or `doc of`; none for all.
 */
export async function benchDocuments(asked: readonly string[]): Promise<string[]> {
  const isAsked = (name: string) => asked.length === 0 || asked.some((part) => name.includes(part));
  const folder = await mkdtemp(join(tmpdir(), "filemill-bench-"));
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
  try {
    // This measures structure, not speed, so a busy machine does not matter.
    await using server = await startServer({ LOG_LEVEL: "warn", CONVERSION_TIMEOUT_MS: "600000" });
    const manuals = await manualsIn(folder);
    for (const layout of layouts) if (isAsked(layout.name)) await benchPdfs(server, browser, folder, manuals, layout);
    if (isAsked(scanned)) await benchScans(server, browser, folder, manuals);
    const truths = manuals.map(({ truth }) => truth);
    await benchOffice({ server, folder, texts: truths, isAsked, say });
    return [];
  } finally {
    await browser.close();
    await rm(folder, { recursive: true, force: true });
  }
}
