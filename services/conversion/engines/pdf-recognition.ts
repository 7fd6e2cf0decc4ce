/** Scanned pages of a PDF get the text that Tesseract reads in them, invisible and in its place, as scanners write it. */
import { writeFile } from "node:fs/promises";
import type { HopTask } from "../domain/engine.ts";
import type { Sandbox } from "../domain/sandbox.ts";
import { failureOf } from "./bad-input.ts";
import { stringOption } from "./hop-table.ts";
import { pointsPerInch, popplerBadInput, readPages } from "./poppler-pages.ts";
import { assertLanguages, tesseract } from "./tesseract-languages.ts";
import { inputInside, openToolSession, type ToolSession } from "./tool-run.ts";

/** What a dense page takes at the very most; pages for which there is no time stay pictures, and a note names them. */
const msPerPage = 6000;
const dpi = 300;
/** A page of A3 at 300 dots an inch. */
const maxPixels = 18_000_000;

export type Recognised = {
  readonly pages: readonly number[];
  /** Mean of the words, in percent. */
  readonly confidence: number;
  /** How many more pages lack text, for which there was no time; also where none of those that were tried has any that can be read. */
  readonly left: number;
};

/**
 * Writes the PDF with text to `path`, outside the sandbox. Nothing is written where no page lacks text, nor where none has any that
 * can be read: then there are no `pages`.
 *
 * @throws FilemillError INVALID_OPTION for a language that is not installed, INVALID_INPUT.
 */
export async function recognise(
  sandbox: Sandbox,
  task: HopTask,
  wanted: (page: number) => boolean,
  path: string,
): Promise<Recognised | undefined> {
  await using session = await openToolSession(sandbox, task);
  const language = stringOption(task.options, "language") ?? "eng";
  await assertLanguages(session, language);
  const without = (await pagesWithoutText(session)).filter(wanted);
  const pages = without.slice(0, Math.max(1, Math.floor(task.timeoutMs / msPerPage)));
  if (pages.length === 0) return undefined;
  const drawn = await draw(session, pages);
  await writeFile(session.pathOf("pages.txt"), drawn.map((name) => `/job/${name}\n`).join(""), { flag: "wx", mode: 0o644 });
  const end = await session.run({
    program: tesseract,
    args: ["/job/pages.txt", "/job/text", "-l", language, "--psm", "1", "--dpi", String(dpi), "-c", "textonly_pdf=1", "pdf", "tsv"],
    env: { OMP_THREAD_LIMIT: "1" },
  });
  if (end.exitCode !== 0) throw failureOf(end, [], "The pages could not be read.");
  const { words, confidence } = await wordsOf(session);
  if (words === 0) return { pages: [], confidence: 0, left: without.length - pages.length };
  const onto = ["--overlay", "/job/text.pdf", `--from=1-${pages.length}`, `--to=${pages.join(",")}`, "--", "/job/merged.pdf"];
  const merged = await session.run({ program: "/usr/bin/qpdf", args: [inputInside, ...onto] });
  // 3: with warnings.
  if (merged.exitCode !== 0 && merged.exitCode !== 3) throw failureOf(merged, [], "The text could not be put onto the pages.");
  await session.adopt("merged.pdf", path);
  return { pages, confidence, left: without.length - pages.length };
}

/** What a note says of it. */
export function wordsFor({ pages, confidence }: Recognised): string {
  const some = pages.slice(0, 10).join(", ") + (pages.length > 10 ? ` and ${pages.length - 10} more` : "");
  return `The text of ${pages.length === 1 ? "page" : "pages"} ${some} was recognised in pictures, with a mean confidence of ${confidence} %.`;
}

/** What a note says of the rest; empty where there is none. */
export function unrecognisedWords({ pages, left }: Pick<Recognised, "pages" | "left">): string {
  const tried =
    left === 0 ? "No text could be recognised in the pages that have none." : "No text could be recognised in the pages that were tried.";
  const untried = `There was no time to recognise the text of ${left} more ${left === 1 ? "page" : "pages"}.`;
  return [...(pages.length === 0 ? [tried] : []), ...(left === 0 ? [] : [untried])].join(" ");
}

/** Letters are counted where the text is: each page ends with a form feed. */
async function pagesWithoutText(session: ToolSession): Promise<readonly number[]> {
  const count = `BEGIN { RS = "\\f" } { gsub(/[^[:alnum:]\\200-\\377]/, ""); if (length($0) == 0) print NR }`;
  const end = await session.run({
    program: "/bin/sh",
    args: ["-c", `pdftotext "$1" /job/found.txt && LC_ALL=C awk '${count}' /job/found.txt`, "sh", inputInside],
  });
  if (end.exitCode !== 0) throw failureOf(end, popplerBadInput, "The PDF is damaged and could not be read.");
  return [...end.stdout.matchAll(/^\d{1,5}$/gm)].map(([number]) => Number(number));
}

async function draw(session: ToolSession, pages: readonly number[]): Promise<readonly string[]> {
  const names: string[] = [];
  for (const { number, widthPoints, heightPoints } of await readPages(session, pages)) {
    const pixels = (widthPoints * heightPoints * dpi * dpi) / (pointsPerInch * pointsPerInch);
    const name = `page-${number}`;
    const end = await session.run({
      program: "/usr/bin/pdftoppm",
      args: [
        ...["-gray", "-singlefile", "-f", String(number), "-l", String(number)],
        ...["-r", String(Math.floor(dpi * Math.min(1, Math.sqrt(maxPixels / pixels)))), inputInside, `/job/${name}`],
      ],
    });
    if (end.exitCode !== 0) throw failureOf(end, popplerBadInput, "The page could not be drawn; the PDF is damaged.");
    names.push(`${name}.pgm`);
  }
  return names;
}

/** Of Tesseract's table: the 11th column is the confidence, -1 where the row is no word; a blank page may have a word of blanks. */
async function wordsOf(session: ToolSession): Promise<{ readonly words: number; readonly confidence: number }> {
  const mean = `NR > 1 && $11 > 0 && $12 ~ /[^ ]/ { sum += $11; n++ } END { print n + 0, n ? int(sum / n) : 0 }`;
  const { stdout } = await session.run({ program: "/usr/bin/awk", args: ["-F", "\t", mean, "/job/text.tsv"] });
  const [, words = "0", confidence = "0"] = /^(\d{1,9}) (\d{1,3})$/m.exec(stdout) ?? [];
  return { words: Number(words), confidence: Number(confidence) };
}
