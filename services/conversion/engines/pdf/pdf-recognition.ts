/** Adds an invisible text layer, recognised by Tesseract, to the scanned pages of a PDF, as scanners do. */
import { writeFile } from "node:fs/promises";
import { FilemillError } from "#contract/errors.ts";
import type { HopTask, OptionDefinition } from "#services/conversion/domain/engine.ts";
import type { Sandbox } from "#services/conversion/domain/sandbox.ts";
import { failureOf } from "../shared/bad-input.ts";
import { firstNames, stringOption } from "../shared/hop-table.ts";
import { oneOf } from "../shared/options.ts";
import { inputInside, openToolSession, type ToolSession } from "../shared/tool-run.ts";
import { type BarePage, barePages } from "./pdf-bare-pages.ts";
import { drawingWithoutText } from "./pdf-drawings.ts";
import { straightened } from "./pdf-straightening.ts";
import { pointsPerInch, popplerBadInput, readPages } from "./poppler-pages.ts";
import { assertLanguages, languageOption, tesseract } from "./tesseract-languages.ts";

/** Worst case for a dense page; pages for which there is no time stay pictures, and a note names them. */
const msPerPage = 6000;
const dpi = 300;
/** An A3 page at 300 dpi. */
const maxPixels = 18_000_000;

export const readingOptions: readonly OptionDefinition[] = [
  oneOf("ocr", ["auto", "never"], "Text recognition (OCR) on scanned pages", "auto"),
  languageOption,
];

export type Recognised = {
  readonly pages: readonly number[];
  /** Mean over the words, in percent. */
  readonly confidence: number;
  /** How many more pages lack text but were skipped for lack of time, even if none of those tried was readable. */
  readonly left: number;
};

export type Wish = {
  readonly wanted: (page: number) => boolean;
  readonly path: string;
  /** Only the text matters: crooked pages are straightened first, and their text layer is upright. */
  readonly isForText: boolean;
  /** Path for the plain text in reading order, with a form feed after each page. */
  readonly textPath?: string;
};

/**
 * Writes the PDF with its text layer to `path`, outside the sandbox. Writes nothing
 * if no page lacks text, or if no text can be recognised: `pages` is then empty.
 *
 * @throws FilemillError INVALID_OPTION for a language that is not installed, INVALID_INPUT.
 */
export async function recognise(
  sandbox: Sandbox,
  task: HopTask,
  { wanted, path, isForText, textPath }: Wish,
): Promise<Recognised | undefined> {
  await using session = await openToolSession(sandbox, task);
  const language = stringOption(task.options, "language") ?? "eng";
  await assertLanguages(session, language);
  const without = (await pagesWithoutText(session)).filter(({ page }) => wanted(page));
  const bare = without.slice(0, Math.max(1, Math.floor(task.timeoutMs / msPerPage)));
  if (bare.length === 0) return undefined;
  const pages = bare.map(({ page }) => page);
  const drawn = await draw(session, bare, isForText);
  await writeFile(session.pathOf("pages.txt"), drawn.map((name) => `/job/${name}\n`).join(""), { flag: "wx", mode: 0o644 });
  const end = await session.run({
    program: tesseract,
    args: [
      ...["/job/pages.txt", "/job/text", "-l", language, "--psm", "1", "--dpi", String(dpi)],
      ...["-c", "textonly_pdf=1", "pdf", "tsv", ...(textPath === undefined ? [] : ["txt"])],
    ],
    env: { OMP_THREAD_LIMIT: "1" },
  });
  if (end.exitCode !== 0) throw failureOf(end, [], "The pages could not be read.");
  const { words, confidence } = await wordsOf(session);
  if (words === 0) return { pages: [], confidence: 0, left: without.length - pages.length };
  const onto = ["--overlay", "/job/text.pdf", `--from=1-${pages.length}`, `--to=${pages.join(",")}`, "--", "/job/merged.pdf"];
  const merged = await session.run({ program: "/usr/bin/qpdf", args: [inputInside, ...onto] });
  // 3: with warnings.
  if (merged.exitCode !== 0 && merged.exitCode !== 3) throw failureOf(merged, [], "The recognised text could not be added to the pages.");
  await session.adopt("merged.pdf", path);
  if (textPath !== undefined) await session.adopt("text.txt", textPath);
  return { pages, confidence, left: without.length - pages.length };
}

/**
 * The same, unless OCR is disabled. `isNeeded`: there is no result without it; otherwise a failure only loses the text of pictures.
 *
 * @throws FilemillError INVALID_OPTION for a language that is not installed, INVALID_INPUT.
 */
export async function recogniseOr(
  sandbox: Sandbox,
  task: HopTask,
  { isNeeded, ...wish }: Wish & { readonly isNeeded: boolean },
): Promise<Recognised | undefined> {
  if (task.options.ocr === "never") return undefined;
  try {
    return await recognise(sandbox, task, wish);
  } catch (error) {
    const isWish = error instanceof FilemillError && (error.code === "INVALID_OPTION" || error.code === "JOB_CANCELLED");
    if (isNeeded || isWish || task.signal.aborted) throw error;
    return undefined;
  }
}

/** Text for the note about it. */
export function wordsFor({ pages, confidence }: Recognised): string {
  const some = firstNames(pages.map(String), 10);
  return `The text of ${pages.length === 1 ? "page" : "pages"} ${some} was recognised in pictures, with a mean confidence of ${confidence} %.`;
}

/** Text for the note about the remaining pages; empty if there are none. */
export function unrecognisedWords({ pages, left }: Pick<Recognised, "pages" | "left">): string {
  const tried =
    left === 0 ? "No text could be recognised on the pages without text." : "No text could be recognised on the pages that were tried.";
  const untried = `There was no time to recognise the text of ${left} more ${left === 1 ? "page" : "pages"}.`;
  return [...(pages.length === 0 ? [tried] : []), ...(left === 0 ? [] : [untried])].join(" ");
}

async function pagesWithoutText(session: ToolSession): Promise<readonly BarePage[]> {
  const end = await session.run({ program: "/usr/bin/pdftotext", args: [inputInside, "/job/found.txt"] });
  if (end.exitCode !== 0) throw failureOf(end, popplerBadInput, "The PDF is damaged and could not be read.");
  return await barePages(session, "/job/found.txt");
}

async function draw(session: ToolSession, bare: readonly BarePage[], isForText: boolean): Promise<readonly string[]> {
  const names: string[] = [];
  const sizes = await readPages(
    session,
    bare.map(({ page }) => page),
  );
  for (const [index, { number, widthPoints, heightPoints }] of sizes.entries()) {
    const pixels = (widthPoints * heightPoints * dpi * dpi) / (pointsPerInch * pointsPerInch);
    const name = `page-${number}`;
    const resolution = Math.floor(dpi * Math.min(1, Math.sqrt(maxPixels / pixels)));
    // Text that the page has would be recognised a second time.
    const end = await (bare[index]?.letters === 0
      ? session.run({
          program: "/usr/bin/pdftoppm",
          args: [
            ...["-gray", "-cropbox", "-singlefile", "-f", String(number), "-l", String(number)],
            ...["-r", String(resolution), inputInside, `/job/${name}`],
          ],
        })
      : session.run(drawingWithoutText([number], ["-sDEVICE=pgmraw", `-r${resolution}`, `-sOutputFile=/job/${name}.pgm`])));
    if (end.exitCode !== 0) throw failureOf(end, popplerBadInput, "The page could not be drawn; the PDF is damaged.");
    names.push(isForText ? await straightened(session, `${name}.pgm`) : `${name}.pgm`);
  }
  return names;
}

/** From Tesseract's table: column 11 is the confidence, -1 for rows that are not words; a blank page may have a blank word. */
async function wordsOf(session: ToolSession): Promise<{ readonly words: number; readonly confidence: number }> {
  const mean = `NR > 1 && $11 > 0 && $12 ~ /[^ ]/ { sum += $11; n++ } END { print n + 0, n ? int(sum / n) : 0 }`;
  const { stdout } = await session.run({ program: "/usr/bin/awk", args: ["-F", "\t", mean, "/job/text.tsv"] });
  const [, words = "0", confidence = "0"] = /^(\d{1,9}) (\d{1,3})$/m.exec(stdout) ?? [];
  return { words: Number(words), confidence: Number(confidence) };
}
