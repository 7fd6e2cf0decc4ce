import { execFileSync } from "node:child_process";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import process from "node:process";
import { openLibrary } from "#gateway/library.ts";
import { parseSettings } from "#kit/config.ts";
import { openLog } from "#kit/log.ts";
import { settingTable } from "#kit/settings.ts";

type Sample = { readonly pdf: string; readonly truth: string };

/**
 * How many of the neighbouring cells in real PDFs are neighbours in Filemill's tables too, and the other way round.
 *
 * @param asked - A folder with PDFs and, beside each, its tables as NAME-str.xml: the format of the ICDAR 2013 table competition, whose
 *   67 documents may not be copied here.
 */
export async function benchTables([folder]: readonly string[]): Promise<string[]> {
  if (folder === undefined || !(await stat(folder)).isDirectory())
    return ["tables: needs a folder with PDFs and their tables, NAME-str.xml"];
  const samples = await samplesIn(folder);
  const made = await mkdtemp(join(tmpdir(), "filemill-tables-"));
  try {
    const pairs = await convertAll(samples, made);
    const scorer = join(import.meta.dirname, "tables-score.py");
    const input = pairs.map(({ truth, html }) => `${truth}\t${html}\n`).join("");
    const scores: [both: number, known: number, found: number][] = execFileSync("/usr/bin/python3", [scorer], { input, encoding: "utf8" })
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const sum = (place: 0 | 1 | 2) => scores.reduce((total, score) => total + score[place], 0);
    const lineOf = (name: string, [both, known, found]: readonly [number, number, number]) =>
      `${name.padEnd(24)} recall ${(both / Math.max(1, known)).toFixed(3)}  precision ${(both / Math.max(1, found)).toFixed(3)}  of ${known}`;
    return [
      ...pairs.map(({ truth }, index) => lineOf(basename(truth, "-str.xml"), scores[index] ?? [0, 0, 0])),
      lineOf(`all ${pairs.length}`, [sum(0), sum(1), sum(2)]),
      `F ${((2 * sum(0)) / (sum(1) + sum(2))).toFixed(3)}`,
    ];
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}

async function samplesIn(folder: string): Promise<readonly Sample[]> {
  const files = new Set((await readdir(folder, { recursive: true })).map((name) => join(folder, name)));
  return [...files].flatMap((pdf) => {
    const truth = pdf.replace(/\.pdf$/, "-str.xml");
    return pdf.endsWith(".pdf") && files.has(truth) ? [{ pdf, truth }] : [];
  });
}

async function convertAll(samples: readonly Sample[], folder: string): Promise<readonly { truth: string; html: string }[]> {
  const settings = { ...parseSettings(settingTable, process.env), DATA_DIR: folder };
  await using library = await openLibrary(settings, openLog("error"));
  const pairs: { truth: string; html: string }[] = [];
  for (const [index, { pdf, truth }] of samples.entries()) {
    const html = join(folder, `${index}.html`);
    await library.convert({ inputPath: pdf, outputPath: html, to: "html", options: {}, signal: AbortSignal.timeout(300_000) });
    pairs.push({ truth, html });
  }
  return pairs;
}
