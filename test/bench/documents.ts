import { execFile } from "node:child_process";
import { access, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Browser, chromium } from "playwright-core";
import { startServer, type TestServer } from "#test/harness/server.ts";
import { convert } from "./rest-client.ts";

const run = promisify(execFile);

/** Manuals that are here anyway: Markdown by other people, with every construct, one of them in Chinese. */
export const manuals = [
  ...["commander/Readme.md", "picomatch/README.md", "cborg/README.md", "pino/docs/api.md", "@pinojs/redact/README.md", "jose/README.md"],
  ...["hyparquet/README.md", "nats/README.md", "fast-xml-parser/README.md", "@fastify/busboy/README.md", "fast-json-stringify/README.md"],
  ...["path-expression-matcher/README.md", "smol-toml/README.md", "avvio/README.md", "protobufjs/README.md", "is-unsafe/README.md"],
  ...["@js-sdsl/ordered-map/README.zh-CN.md", "depd/Readme.md"],
];

const wide = `body{font:12pt/1.4 "DejaVu Serif",serif}code,pre{font:10pt "DejaVu Sans Mono",monospace}pre{white-space:pre-wrap}table{border-collapse:collapse}td,th{border:1px solid #999;padding:2px 6px}`;
const narrow = `body{font:10pt/1.3 "Liberation Serif",serif;column-count:2}code,pre{font:8pt "Liberation Mono",monospace}pre{white-space:pre-wrap}table{border-collapse:collapse;font-size:8pt}td,th{border-bottom:1px solid #999;padding:2px 6px}h1{column-span:all}`;
const layouts = [
  { name: "tagged", style: wide, tagged: true },
  { name: "without tags", style: wide, tagged: false },
  { name: "two columns, without tags", style: narrow, tagged: false },
] as const;

/** Pictures and anchors within the page are left out: what is measured is the text. */
const bare = `function Image(i) return i.caption end
function RawBlock() return {} end
function RawInline() return {} end
function Link(l)
  if #l.content == 0 then return {} end
  if not l.target:match("^http") then return l.content end
  l.content = l.content:walk({ Link = function(inner) return inner.content end })
  return l
end`;

export type Manual = { readonly truth: string; readonly html: string };

export async function manualAt(folder: string, name: string, index: number): Promise<Manual | undefined> {
  const source = join(import.meta.dirname, "../../node_modules", name);
  if (
    !(await access(source).then(
      () => true,
      () => false,
    ))
  )
    return undefined;
  const [truth, filter] = [join(folder, `${index}.truth.md`), join(folder, "bare.lua")];
  await writeFile(filter, bare);
  await run("pandoc", ["-f", "gfm-raw_html", "-t", "gfm", "--wrap=none", `--lua-filter=${filter}`, source, "-o", truth]);
  const { stdout } = await run("pandoc", ["-f", "gfm", "-t", "html5", "--no-highlight", truth], { maxBuffer: 2 ** 26 });
  return { truth, html: stdout };
}

async function print(browser: Browser, html: string, { style, tagged }: (typeof layouts)[number], path: string): Promise<void> {
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

/** Makers of Markdown, each given a PDF and where to write. */
const makers: Readonly<Record<string, (server: TestServer, pdf: string, made: string) => Promise<void>>> = {
  async Filemill(server, pdf, made) {
    const { status, body } = await convert(server, { to: "md", name: "in.pdf", query: "?download=wait" }, await readFile(pdf));
    if (status !== 200) throw new Error(`status ${status}`);
    await writeFile(made, body);
  },
  async pdftotext(_server, pdf, made) {
    await run("pdftotext", ["-nopgbrk", pdf, made]);
  },
  async MuPDF(_server, pdf, made) {
    await run("mutool", ["convert", "-F", "xhtml", "-o", `${made}.html`, pdf]);
    await run("pandoc", ["-f", "html", "-t", "gfm-raw_html", `${made}.html`, "-o", made]);
  },
};

type Figures = Readonly<Record<string, number | null>>;

export async function scoresOf(pairs: readonly (readonly [truth: string, made: string])[]): Promise<readonly Figures[]> {
  const scorer = execFile("/usr/bin/python3", [join(import.meta.dirname, "structure-score.py")], { maxBuffer: 2 ** 26 });
  const said: string[] = [];
  scorer.stdout?.on("data", (text: string) => said.push(text));
  scorer.stdin?.end(pairs.map((pair) => `${pair.join("\t")}\n`).join(""));
  const code = await new Promise((resolve) => scorer.once("close", resolve));
  if (code !== 0) throw new Error("The scorer failed.");
  return said
    .join("")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

export function meansOf(rows: readonly Figures[]): string {
  return Object.keys(rows[0] ?? {})
    .map((name) => {
      const figures = rows.flatMap((row) => row[name] ?? []);
      return `${name} ${(figures.reduce((sum, each) => sum + each, 0) / Math.max(1, figures.length)).toFixed(3)}`;
    })
    .join("  ");
}

/** How much of their structure documents keep from PDF to Markdown, beside other programs. */
export async function benchDocuments(): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "filemill-bench-"));
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
  const said: string[] = [];
  try {
    await using server = await startServer({ LOG_LEVEL: "warn" });
    const found = await Promise.all(manuals.map((name, index) => manualAt(folder, name, index)));
    const texts = found.filter((manual) => manual !== undefined);
    for (const [at, layout] of layouts.entries()) {
      for (const [index, { html }] of texts.entries()) await print(browser, html, layout, join(folder, `${at}.${index}.pdf`));
      for (const [maker, make] of Object.entries(makers)) {
        const pairs = texts.map(({ truth }, index) => [truth, join(folder, `${at}.${index}.${maker}.md`)] as const);
        for (const [index, [, made]] of pairs.entries()) await make(server, join(folder, `${at}.${index}.pdf`), made);
        said.push(`${layout.name}, ${texts.length} manuals, ${maker}: ${meansOf(await scoresOf(pairs))}`);
      }
    }
    return said;
  } finally {
    await browser.close();
    await rm(folder, { recursive: true, force: true });
  }
}
