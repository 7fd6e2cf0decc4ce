/**
 * PDF to pictures, SVG and text by poppler-utils. Pictures are rendered as
 * raw pixels; libvips, also sandboxed, encodes the file several times faster.
 */
import { rename } from "node:fs/promises";
import { FilemillError, invalidOption } from "#contract/errors.ts";
import {
  defineEngine,
  type EngineHost,
  type Hop,
  type HopTask,
  type OpenEngine,
  type OptionDefinition,
} from "#services/conversion/domain/engine.ts";
import { expecting, expectingAll } from "#services/conversion/domain/expectations.ts";
import { noteLeftOut, partOptions } from "#services/conversion/domain/parts.ts";
import { openSharpChildren } from "../pictures/sharp-children.ts";
import { failureOf, throwIfFailed } from "../shared/bad-input.ts";
import { flagOption, numberOption } from "../shared/hop-table.ts";
import { inputInside, openToolSession, probeOf, stepFile, type ToolSession } from "../shared/tool-run.ts";
import { pixelOptions, pixelsOf, pointsPerInch, popplerBadInput, readFacts, saysDamaged, sizedTo } from "./poppler-pages.ts";
import { extractText, textOptions } from "./poppler-text.ts";

const page = partOptions("page");
const raster: readonly OptionDefinition[] = [...page, ...pixelOptions];
const quality: OptionDefinition = { name: "quality", type: "integer", min: 1, max: 100, default: 85, description: "JPEG quality" };
const textPages: readonly OptionDefinition[] = [
  { name: "firstPage", type: "integer", min: 1, max: 100_000, description: "First page; default: the first page of the document" },
  { name: "lastPage", type: "integer", min: 1, max: 100_000, description: "Last page; default: the last page of the document" },
];
function hop(to: string, fidelity: Hop["fidelity"], cost: number, options: readonly OptionDefinition[]): Hop {
  const isOnePage = options[0] === page[0];
  return { from: "pdf", to, fidelity, cost, maxInputMb: 200, options, ...(isOnePage ? { part: "page" } : {}) };
}

const hops: readonly Hop[] = [
  hop("png", "reduced", 60, raster),
  hop("jpg", "reduced", 50, [...raster, quality]),
  hop("webp", "reduced", 120, [...raster, quality]),
  hop("ppm", "reduced", 50, raster),
  hop("svg", "reduced", 60, page),
  hop("eps", "reduced", 60, page),
  hop("ps", "high", 80, textPages),
  {
    ...hop("txt", "extract", 30, [...textPages, ...textOptions]),
    expects: [
      ...expectingAll("TEXT_RECOGNISED", "TEXT_NOT_RECOGNISED", "PAGES_EMPTY"),
      expecting("STRUCTURE_DROPPED", "Attached files are left out."),
    ],
  },
];

type Work = { readonly session: ToolSession } & Pick<EngineHost, "inspector">;

const undrawable = "The page could not be drawn; the PDF is damaged.";

async function rasterize({ session, inspector }: Work, pictures: OpenEngine, task: HopTask, pageNumber: number): Promise<void> {
  const facts = await readFacts(session, pageNumber, task);
  const { width, height } = pixelsOf(task, facts);
  const gray = flagOption(task.options, "grayscale");
  const pages = ["-f", String(pageNumber), "-l", String(pageNumber), "-singlefile"];
  const end = await session.run({
    program: "/usr/bin/pdftoppm",
    args: [...pages, ...sizedTo(width, height), ...(gray ? ["-gray"] : []), inputInside, "/job/page"],
  });
  await using drawn = stepFile(task, "drawn");
  // Moved out of the renderer's reach before it is checked and passed on.
  const size = await session
    .adopt(gray ? "page.pgm" : "page.ppm", drawn.path)
    .then(() => inspector.ask("drawnSize", [drawn.path], { signal: task.signal }))
    .catch(() => {
      throw failureOf(end, popplerBadInput, undrawable);
    });
  // If a page exceeds its limits, pdftoppm writes a single white pixel and exits with 0.
  if (end.exitCode !== 0 || size.width !== width || size.height !== height) throw failureOf(end, popplerBadInput, undrawable);
  if (saysDamaged(end.stderr)) task.note("INPUT_DAMAGED");
  noteLeftOut(task, "page", pageNumber, facts.pages);
  await writePicture(pictures, task, await drawn.as(task.input.format), (width / facts.widthPoints) * pointsPerInch);
}

async function writePicture(
  pictures: OpenEngine,
  task: HopTask,
  drawn: { readonly path: string; readonly sizeBytes: number },
  density: number,
): Promise<void> {
  const { hop, input, options, outputPath } = task;
  if (hop.to === "ppm") {
    if (flagOption(options, "grayscale"))
      throw invalidOption("grayscale", "A PPM picture always has colours; remove `grayscale`.", "false");
    return await rename(drawn.path, outputPath);
  }
  const wanted = { density, quality: numberOption(options, "quality") ?? 85, compressionLevel: 6 };
  await pictures.run({ ...task, input: { ...input, ...drawn }, hop: { ...hop, from: "ppm" }, options: wanted });
}

async function extract({ session }: Work, task: HopTask): Promise<void> {
  const pageNumber = numberOption(task.options, "page") ?? numberOption(task.options, "firstPage") ?? 1;
  const facts = await readFacts(session, pageNumber, task);
  const first = ["-f", String(pageNumber)];
  const last = ["-l", String(Math.min(numberOption(task.options, "lastPage") ?? facts.pages, facts.pages))];
  const only = [...first, "-l", String(pageNumber)];
  const commands: Record<string, readonly [program: string, args: readonly string[]]> = {
    svg: ["pdftocairo", ["-svg", ...only, inputInside, "/job/out"]],
    eps: ["pdftocairo", ["-eps", ...only, inputInside, "/job/out"]],
    ps: ["pdftocairo", ["-ps", ...first, ...last, inputInside, "/job/out"]],
  };
  const command = commands[task.hop.to];
  if (command === undefined) throw new FilemillError("INTERNAL", "Poppler has no such target.");
  const end = await session.run({ program: `/usr/bin/${command[0]}`, args: command[1] });
  throwIfFailed(end, popplerBadInput, "The PDF is damaged and could not be read.");
  if (saysDamaged(end.stderr)) task.note("INPUT_DAMAGED");
  if (task.hop.part !== undefined) noteLeftOut(task, "page", pageNumber, facts.pages);
  await session.adopt("out");
}

async function run({ sandbox, inspector }: EngineHost, pictures: OpenEngine, task: HopTask): Promise<void> {
  if (task.hop.to === "txt") return await extractText({ sandbox, inspector }, task);
  await using session = await openToolSession(sandbox, task);
  const isPicture = task.hop.options.some((option) => option.name === "dpi");
  if (isPicture) await rasterize({ session, inspector }, pictures, task, numberOption(task.options, "page") ?? 1);
  else await extract({ session, inspector }, task);
}

export const popplerEngine = defineEngine({
  id: "poppler",
  label: "Poppler",
  lane: "document",
  packages: ["poppler-utils"],
  hops,
  badInput: popplerBadInput,
  probe: probeOf("/usr/bin/pdftoppm", ["-v"], /(\d[\d.]*)/),
  async open(host) {
    const pictures = await openSharpChildren(host, 0);
    return {
      run: (task) => run(host, pictures, task),
      async parts(task) {
        await using session = await openToolSession(host.sandbox, task);
        return Array.from({ length: (await readFacts(session, 1)).pages }, () => "");
      },
      [Symbol.asyncDispose]: () => pictures[Symbol.asyncDispose](),
    };
  },
});
