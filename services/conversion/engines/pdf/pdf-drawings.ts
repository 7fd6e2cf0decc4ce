/** Renders what our PDF reader cannot draw: drawings as PNG with poppler, and pages without their text with Ghostscript. */
import { readFile } from "node:fs/promises";
import { finite, list, oneOf, record, text, WrongShape, whole } from "#services/conversion/domain/answer-shapes.ts";
import type { EngineHost, HopTask } from "#services/conversion/domain/engine.ts";
import { EngineFault } from "#services/conversion/domain/failure.ts";
import { inputInside, openToolSession, stepFile, type ToolCommand, type ToolSession } from "../shared/tool-run.ts";
import { pointsPerInch } from "./poppler-pages.ts";

const dpi = 150;
const margin = 1;
/** Per file, and for all its pictures together. */
const mostDrawings = 60;
const mostBytes = 40_000_000;

const page = whole(1_000_000);
const placed = record({ page, box: record({ left: finite, top: finite, right: finite, bottom: finite }) });
const bare = record({ page, withoutText: record({ type: oneOf("png", "jpg"), dpi: whole(1200) }) });
type Placed = ReturnType<typeof placed>;
type Bare = ReturnType<typeof bare>;

/** More pages than a file may have. */
const mostAsked = 20_000;

/** The request comes from a sandbox and becomes arguments and file names, so anything that does not match exactly is rejected. */
export function askedOf(lines: readonly string[]): { readonly drawings: readonly Placed[]; readonly pages: readonly Bare[] } {
  try {
    const asked: readonly unknown[] = list(text(1000), mostAsked)(lines).map((line) => JSON.parse(line));
    const isBare = (each: unknown): boolean => typeof each === "object" && each !== null && "withoutText" in each;
    return { drawings: asked.filter((each) => !isBare(each)).map(placed), pages: asked.filter(isBare).map(bare) };
  } catch (error) {
    if (error instanceof WrongShape || error instanceof SyntaxError) throw new EngineFault("unexplained", "asked for what there is not");
    throw error;
  }
}

/** Renders what the reader asks for, in its format: JSON with a picture for each item, as many as fit the limit. */
export async function drawingsOf({ sandbox }: Pick<EngineHost, "sandbox">, task: HopTask, wanted: readonly string[]): Promise<string> {
  const { drawings, pages } = askedOf(wanted);
  await using session = await openToolSession(sandbox, task);
  if (pages.length > 0) return await pagesWithoutText(session, task, pages);
  return await placedDrawings(session, task, drawings.slice(0, mostDrawings));
}

async function placedDrawings(session: ToolSession, task: HopTask, placed: readonly Placed[]): Promise<string> {
  const drawn: (Placed & { readonly png: string })[] = [];
  let left = mostBytes;
  for (const [index, { page, box }] of placed.entries()) {
    const pixels = (points: number) => Math.round((points * dpi) / pointsPerInch);
    const [x, y] = [pixels(box.left), pixels(box.top)];
    const size = [pixels(box.right) - x + margin, pixels(box.bottom) - y + margin].map(String);
    const place = ["-x", String(x), "-y", String(y), "-W", size[0] ?? "", "-H", size[1] ?? ""];
    const pages = ["-f", String(page), "-l", String(page), "-singlefile"];
    const args = [...pages, "-cropbox", "-r", String(dpi), ...place, "-png", inputInside, `/job/drawing-${index}`];
    const end = await session.run({ program: "/usr/bin/pdftoppm", args });
    if (end.exitCode !== 0) continue;
    const bytes = await adopted(session, task, `drawing-${index}.png`);
    left -= bytes.length;
    if (left < 0) break;
    drawn.push({ page, box, png: bytes.toString("base64") });
  }
  return JSON.stringify(drawn);
}

async function adopted(session: ToolSession, task: HopTask, name: string): Promise<Buffer> {
  await using made = stepFile(task, "drawing");
  await session.adopt(name, made.path);
  return await readFile(made.path);
}

/** Pages of one kind are rendered in one run; the program numbers its output from 1. */
async function pagesWithoutText(session: ToolSession, task: HopTask, asked: readonly Bare[]): Promise<string> {
  const drawn: { readonly page: number; readonly type: string; readonly data: string }[] = [];
  let left = mostBytes;
  for (const [sort, pages] of Map.groupBy(asked, ({ withoutText: { type, dpi } }) => `${type}-${dpi}`)) {
    const [first] = pages;
    if (first === undefined) continue;
    const { type, dpi } = first.withoutText;
    const smooth = ["-dTextAlphaBits=4", "-dGraphicsAlphaBits=4", `-r${dpi}`];
    const device = type === "png" ? ["-sDEVICE=png16m"] : ["-sDEVICE=jpeg", "-dJPEGQ=85"];
    const numbers = pages.map(({ page }) => page);
    const end = await session.run(drawingWithoutText(numbers, [...device, ...smooth, `-sOutputFile=/job/${sort}-%d`]));
    if (end.exitCode !== 0) continue;
    for (const [index, { page }] of pages.entries()) {
      const bytes = await adopted(session, task, `${sort}-${index + 1}`).catch(() => undefined);
      left -= bytes?.length ?? 0;
      if (bytes !== undefined && left >= 0) drawn.push({ page, type, data: bytes.toString("base64") });
    }
  }
  return JSON.stringify(drawn);
}

export function drawingWithoutText(pages: readonly number[], device: readonly string[]): ToolCommand {
  const quiet = ["-dSAFER", "-dBATCH", "-dNOPAUSE", "-dQUIET"];
  const which = ["-dUseCropBox", "-dFILTERTEXT", `-sPageList=${pages.join(",")}`];
  return { program: "/usr/bin/gs", args: [...quiet, ...device, ...which, inputInside] };
}
