/** PDF page data as reported by Poppler, and the pixel sizes derived from it. */
import { FilemillError } from "#contract/errors.ts";
import type { HopTask, OptionDefinition } from "#services/conversion/domain/engine.ts";
import { assertPart } from "#services/conversion/domain/parts.ts";
import { unseenForm } from "../inside/unseen-form.ts";
import { throwIfFailed } from "../shared/bad-input.ts";
import { firstNames, numberOption } from "../shared/hop-table.ts";
import { integerIn } from "../shared/options.ts";
import { inputInside, type ToolSession } from "../shared/tool-run.ts";

const maxPixels = 100_000_000;
/** 70 metres: drawings of ships are smaller. */
const maxPagePoints = 200_000;
const maxPages = 10_000;
/** As many as fit into what is kept of a program's output. */
const pagesCompared = 100;
export const pointsPerInch = 72;

export const pixelOptions: readonly OptionDefinition[] = [
  integerIn("dpi", [10, 1200], "Resolution; ignored if width or height is set", { default: 150, unit: "dpi" }),
  { name: "width", type: "integer", min: 1, max: 16_000, unit: "px", description: "Width; the height follows" },
  { name: "height", type: "integer", min: 1, max: 16_000, unit: "px", description: "Height; the width follows" },
  { name: "grayscale", type: "boolean", default: false, description: "Without colour" },
];

export type PageFacts = {
  readonly number: number;
  /** Displayed size, after rotation. */
  readonly widthPoints: number;
  readonly heightPoints: number;
};
type Facts = PageFacts & {
  /** Page count of the document. */
  readonly pages: number;
  /** Whether any page from this one on shows only a part of itself. */
  readonly mayBeCropped: boolean;
};

/** All of Poppler's tools print this, and only for damaged files. */
export const popplerBadInput = [/^Syntax Error/m];

/** Whether a tool that went on left something out. Windows of comments have no place in PDFs of LibreOffice. */
export const saysDamaged = (stderr: string) => /Syntax Error(?!(?: \(\d{1,12}\))?: Bad bounding box for annotation)/.test(stderr);

/**
 * pdfinfo's data about the document and one page. `task` is told of forms that are not on the pages.
 *
 * @throws FilemillError PASSWORD_REQUIRED, INVALID_INPUT, INPUT_TOO_COMPLEX.
 */
export async function readFacts(session: ToolSession, pageNumber: number, task?: HopTask): Promise<Facts> {
  const args = ["-box", "-f", String(pageNumber), "-l", String(pageNumber + pagesCompared - 1), inputInside];
  const end = await session.run({ program: "/usr/bin/pdfinfo", args });
  if (/Incorrect password/i.test(end.stderr)) throw new FilemillError("PASSWORD_REQUIRED", "The PDF is protected by a password.");
  const last = Number(/Wrong page range given.{0,200}last page \((\d+)\)/.exec(end.stderr)?.[1] ?? 0);
  const pages = last || Number(/^Pages:\s+(\d+)/m.exec(end.stdout)?.[1] ?? 0);
  const noPages = "The PDF is damaged: it has no readable pages.";
  if (last === 0) throwIfFailed(end, popplerBadInput, noPages);
  if (pages < 1) throw new FilemillError("INVALID_INPUT", noPages);
  if (pages > maxPages) throw new FilemillError("INPUT_TOO_COMPLEX", `The PDF has ${pages} pages; the limit is ${maxPages}.`);
  assertPart("page", pageNumber, pages);
  const boxes = [...end.stdout.matchAll(/^Page\s+\d{1,9} (?:Media|Crop)Box:(.*)$/gm)].map(([, sides = ""]) => sides.trim());
  const mayBeCropped = pages >= pageNumber + pagesCompared || boxes.some((sides, at) => at % 2 === 1 && sides !== boxes[at - 1]);
  if (task !== undefined && /^Form:\s+XFA/m.test(end.stdout)) {
    const args = ["show", inputInside, "trailer/Root/NeedsRendering"];
    const shown = await session.run({ program: "/usr/bin/mutool", args }).catch(() => undefined);
    if (shown?.stdout.startsWith("true")) task.note("TEXT_LEFT_OUT", unseenForm);
  }
  return { pages, mayBeCropped, ...factsOf(end.stdout, pageNumber) };
}

/** The same for several pages in document order, which must exist: one run for each consecutive range. */
export async function readPages(session: ToolSession, numbers: readonly number[]): Promise<readonly PageFacts[]> {
  const facts: PageFacts[] = [];
  while (facts.length < numbers.length) {
    const first = numbers[facts.length] ?? 1;
    const rest = numbers.slice(facts.length);
    const count = rest.findIndex((number, index) => number !== first + index);
    const row = count < 0 ? rest : rest.slice(0, count);
    const args = ["-f", String(first), "-l", String(first + row.length - 1), inputInside];
    const { stdout } = await session.run({ program: "/usr/bin/pdfinfo", args });
    facts.push(...row.map((number) => factsOf(stdout, number)));
  }
  return facts;
}

function factsOf(told: string, number: number): PageFacts {
  const size = new RegExp(`^Page\\s+${number} size:\\s+([\\d.e+]+) x ([\\d.e+]+) pts`, "m").exec(told);
  const [widthPoints, heightPoints] = [Number(size?.[1] ?? 0), Number(size?.[2] ?? 0)];
  if (!(widthPoints > 0 && heightPoints > 0)) throw new FilemillError("INVALID_INPUT", "The PDF is damaged: the page has no size.");
  if (Math.max(widthPoints, heightPoints) > maxPagePoints)
    throw new FilemillError("INPUT_TOO_COMPLEX", "The page is larger than any printer or plotter supports.");
  const isTurned = new RegExp(`^Page\\s+${number} rot:\\s+(90|270)`, "m").test(told);
  return isTurned ? { number, widthPoints: heightPoints, heightPoints: widthPoints } : { number, widthPoints, heightPoints };
}

/** A note on fonts that number their glyphs without saying which characters these are: programs guess. Undefined without such fonts. */
export async function guessedFonts(session: ToolSession): Promise<string | undefined> {
  const { stdout } = await session.run({ program: "/usr/bin/pdffonts", args: [inputInside] });
  const guessed = stdout.split("\n").filter((line) => / CID TrueType +Identity-[HV] +(?:yes|no) +(?:yes|no) +no +\d+ +\d+$/.test(line));
  const names = guessed.map((line) =>
    line
      .slice(0, line.indexOf(" CID TrueType"))
      .trimEnd()
      .replace(/^[A-Z]{6}\+/, ""),
  );
  if (names.length === 0) return undefined;
  return `These fonts do not say which characters they show, so that text in them may be wrong: ${firstNames([...new Set(names)], 4)}.`;
}

/** @throws FilemillError INPUT_TOO_COMPLEX. */
export function pixelsOf(task: HopTask, facts: PageFacts): { readonly width: number; readonly height: number } {
  const [width, height] = [numberOption(task.options, "width"), numberOption(task.options, "height")];
  const { widthPoints, heightPoints } = facts;
  const scale =
    width === undefined && height === undefined
      ? (numberOption(task.options, "dpi") ?? 150) / pointsPerInch
      : Math.min(width === undefined ? Infinity : width / widthPoints, height === undefined ? Infinity : height / heightPoints);
  const pixels = { width: Math.max(1, Math.round(widthPoints * scale)), height: Math.max(1, Math.round(heightPoints * scale)) };
  if (pixels.width * pixels.height > maxPixels) {
    throw new FilemillError("INPUT_TOO_COMPLEX", "The page would have too many pixels; choose a lower dpi, width or height.");
  }
  return pixels;
}

/** Makes pdftoppm render a page at its displayed size; by default it includes cropped areas and rotates only after sizing. */
export function sizedTo(width: number, height: number): readonly string[] {
  return ["-cropbox", "-scale-dimension-before-rotation", "-scale-to-x", String(width), "-scale-to-y", String(height)];
}

/** Resolution of a page rendered at this width. */
export function dpiOf({ widthPoints }: PageFacts, width: number): number {
  return Math.max(1, Math.round((width / widthPoints) * pointsPerInch));
}
