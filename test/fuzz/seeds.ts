/** Good files to start from, by format id. */
import { globSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import sharp from "sharp";
import { formatOfFileName } from "#formats/index.ts";
import { docx, odf, paragraph } from "#test/attacks/office-files.ts";
import { onePage } from "#test/attacks/pdf-attacks.ts";
import { silence } from "#test/harness/hostile-files.ts";
import { tarFile } from "#test/harness/tar-file.ts";
import { zipFile } from "#test/harness/zip-file.ts";

import type { EngineTarget } from "./engines.ts";

export type Seed = { readonly format: string; readonly content: Buffer };

const corpus = fileURLToPath(new URL("../corpus", import.meta.url));
const maxSeedBytes = 300_000;
const texts: Readonly<Record<string, string>> = {
  md: "# Title\n\n- [ ] a *b* `c`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n![x](a.png) [^1]\n\n[^1]: note\n",
  html: "<!doctype html><html><head><title>t</title></head><body><table><tr><td>1</td></tr></table><p>a<b>b</b></p></body></html>",
  rst: "Title\n=====\n\n.. note:: a\n\n* b\n\n+---+\n| a |\n+---+\n",
  org: "* Title\n| a | b |\n#+BEGIN_SRC c\nx\n#+END_SRC\n",
  tex: "\\documentclass{article}\\begin{document}\\section{a}$x^2$\\begin{itemize}\\item b\\end{itemize}\\end{document}",
  rtf: "{\\rtf1\\ansi{\\fonttbl{\\f0 Arial;}}\\f0 a {\\b b}\\par{\\trowd\\cellx1000 c\\cell\\row}}",
  json: '[{"a":1,"b":"x"},{"a":2.5,"b":null}]',
  srt: "1\n00:00:01,000 --> 00:00:02,000\n<i>a</i>\n",
  ps: "%!PS\n9 9 99 99 rectfill showpage\n",
  pbm: "P1\n8 8\n00000000 01111110 01111110 01100110 01100110 01111110 01111110 00000000\n",
  ini: "[a]\nb=1\n",
  csv: 'a,b\n1,"2, 3"\n',
  svg: '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><defs><linearGradient id="g"><stop/></linearGradient></defs><path d="M0 0L9 9Z" fill="url(#g)"/><text y="9">a</text></svg>',
  ipynb: '{"nbformat":4,"nbformat_minor":2,"metadata":{},"cells":[{"cell_type":"markdown","metadata":{},"source":["# a"]}]}',
};

export async function seedsOf(): Promise<readonly Seed[]> {
  const files = await readdir(corpus, { recursive: true, withFileTypes: true });
  const found: Seed[] = [];
  // Sorted by name: a walk from a fixed seed must not depend on the disk.
  const placeOf = ({ parentPath, name }: (typeof files)[number]) => join(parentPath, name);
  for (const file of files.toSorted((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1))) {
    const format = file.isFile() ? formatOfFileName(`a${extname(file.name)}`)?.id : undefined;
    if (format === undefined) continue;
    const content = await readFile(join(file.parentPath, file.name));
    if (content.length <= maxSeedBytes) found.push({ format, content });
  }
  for (const [format, text] of Object.entries(texts)) found.push({ format, content: Buffer.from(text) });
  found.push(...(await pictures()));
  found.push({ format: "docx", content: docx(paragraph("a")) }, { format: "odt", content: odf("text", "<text:p>a</text:p>") });
  const member = { name: "a.txt", content: "a" };
  found.push({ format: "zip", content: zipFile([member]) }, { format: "tar", content: tarFile([member]) });
  found.push({ format: "pdf", content: onePage("BT /F1 12 Tf (a) Tj ET 0 0 9 9 re f") }, { format: "wav", content: silence(4000) });
  const [typeface] = globSync("/usr/share/fonts/*/liberation*/LiberationMono-Regular.ttf");
  if (typeface !== undefined) found.push({ format: "ttf", content: await readFile(typeface) });
  return found;
}

/** Longer results are skipped: fuzzing needs many runs. */
const maxGrownBytes = 100_000;

/** Adds good files in other formats, converted from the existing ones: one round per conversion step. */
export async function grownSeeds(seeds: readonly Seed[], engines: EngineTarget, rounds: number): Promise<readonly Seed[]> {
  const byFormat = new Map(seeds.toReversed().map((seed) => [seed.format, seed]));
  for (let round = 0; round < rounds; round++) {
    for (const { hop } of [...engines.hops]) {
      const source = byFormat.get(hop.from);
      if (source === undefined || byFormat.has(hop.to)) continue;
      const content = await engines.convert(source.content, hop.from, hop.to);
      if (content !== undefined && content.length <= maxGrownBytes) byFormat.set(hop.to, { format: hop.to, content });
    }
  }
  return [...seeds, ...[...byFormat.values()].filter((seed) => !seeds.includes(seed))];
}

async function pictures(): Promise<Seed[]> {
  const image = sharp({ create: { width: 24, height: 16, channels: 4, background: { r: 200, g: 30, b: 90, alpha: 0.5 } } });
  const made = {
    png: image.clone().png(),
    jpg: image.clone().jpeg(),
    webp: image.clone().webp(),
    gif: image.clone().gif(),
    tiff: image.clone().tiff(),
    avif: image.clone().avif(),
  };
  return Promise.all(Object.entries(made).map(async ([format, pipeline]) => ({ format, content: await pipeline.toBuffer() })));
}
