/**
 * PDF to pictures, SVG and text by poppler-utils. Pictures come out as plain pixels; libvips, in a sandbox too, writes the file several
 * times faster.
 */
import { rename, rm } from "node:fs/promises";
import { FilemillError } from "#kit/errors.ts";
import { defineEngine, type Hop, type HopTask, type OpenEngine, type OptionDefinition } from "../domain/engine.ts";
import { LacksContent } from "../domain/failure.ts";
import { noteLeftOut, partOptions } from "../domain/parts.ts";
import type { Sandbox } from "../domain/sandbox.ts";
import { flagOption, numberOption } from "./hop-table.ts";
import { pixelOptions, pixelsOf, pointsPerInch, readFacts } from "./poppler-pages.ts";
import { openSharpChildren } from "./sharp-children.ts";
import { inputInside, openOutput, openToolSession, type ToolSession, versionLineOf } from "./tool-run.ts";

const page = partOptions("page");
const raster: readonly OptionDefinition[] = [...page, ...pixelOptions];
const quality: OptionDefinition = { name: "quality", type: "integer", min: 1, max: 100, default: 85, description: "Quality of the JPEG." };
const textPages: readonly OptionDefinition[] = [
  { name: "firstPage", type: "integer", min: 1, max: 100_000, description: "First page; the first of the document by default." },
  { name: "lastPage", type: "integer", min: 1, max: 100_000, description: "Last page; the last of the document by default." },
];
const layout: OptionDefinition = {
  name: "layout",
  type: "enum",
  values: ["reading", "page"],
  default: "reading",
  description: "`reading` follows the flow of the text, `page` keeps columns and tables where they stand.",
};

function hop(to: string, fidelity: Hop["fidelity"], cost: number, options: readonly OptionDefinition[]): Hop {
  const isOnePage = options[0] === page[0];
  return { from: "pdf", to, fidelity, cost, async: false, maxInputMb: 200, options, ...(isOnePage ? { part: "page" } : {}) };
}

const hops: readonly Hop[] = [
  hop("png", "reduced", 60, raster),
  hop("jpg", "reduced", 50, [...raster, quality]),
  hop("webp", "reduced", 120, [...raster, quality]),
  hop("ppm", "reduced", 50, raster),
  hop("svg", "reduced", 60, page),
  hop("eps", "reduced", 60, page),
  hop("ps", "high", 80, textPages),
  hop("txt", "extract", 30, [...textPages, layout]),
  hop("html", "extract", 60, textPages),
];

async function rasterize(session: ToolSession, pictures: OpenEngine, task: HopTask, pageNumber: number): Promise<void> {
  const facts = await readFacts(session, pageNumber);
  const { width, height } = pixelsOf(task, facts);
  const gray = flagOption(task.options, "grayscale");
  const pages = ["-f", String(pageNumber), "-l", String(pageNumber), "-singlefile"];
  const scale = ["-scale-to-x", String(width), "-scale-to-y", String(height)];
  const end = await session.run({
    program: "/usr/bin/pdftoppm",
    args: [...pages, ...scale, ...(gray ? ["-gray"] : []), inputInside, "/job/page"],
  });
  const drawn = `${task.outputPath}.drawn`;
  try {
    // Out of the reach of whatever drew it, before it is looked at and handed on.
    const size = await session
      .adopt(gray ? "page.pgm" : "page.ppm", drawn)
      .then(() => sizeOfDrawn(drawn))
      .catch((cause: unknown) => {
        throw new FilemillError("INVALID_INPUT", "The page could not be drawn; the PDF is damaged.", { cause });
      });
    // Where a page is beyond it, pdftoppm writes one white pixel and ends with 0.
    if (end.exitCode !== 0 || size.width !== width || size.height !== height) {
      throw new FilemillError("INVALID_INPUT", "The page could not be drawn; the PDF is damaged.");
    }
    if (/Syntax Error/.test(end.stderr)) task.note("INPUT_DAMAGED");
    noteLeftOut(task, "page", pageNumber, facts.pages);
    await writePicture(pictures, task, { path: drawn, sizeBytes: size.fileBytes }, (width / facts.widthPoints) * pointsPerInch);
  } finally {
    await rm(drawn, { force: true });
  }
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
      throw new FilemillError("INVALID_OPTION", "A PPM has colours.", { details: { option: "grayscale", allowed: "false" } });
    return await rename(drawn.path, outputPath);
  }
  const wanted = { density, quality: numberOption(options, "quality") ?? 85, compressionLevel: 6 };
  await pictures.run({ ...task, input: { ...input, ...drawn }, hop: { ...hop, from: "ppm" }, options: wanted });
}

/** @see https://netpbm.sourceforge.net/doc/ppm.html: "P6" or "P5", width, height, 255, then the samples. */
async function sizeOfDrawn(path: string): Promise<{ width: number; height: number; fileBytes: number }> {
  const handle = await openOutput(path);
  try {
    const head = await handle.read({ buffer: Buffer.alloc(64) });
    const header = /^P([56])\n(\d+) (\d+)\n255\n/.exec(head.buffer.toString("latin1"));
    if (header === null) throw new Error("not a netpbm picture");
    const [width, height, fileBytes] = [Number(header[2]), Number(header[3]), (await handle.stat()).size];
    const samples = fileBytes - header[0].length;
    if (samples !== width * height * (header[1] === "6" ? 3 : 1)) throw new Error("a netpbm picture with missing rows");
    return { width, height, fileBytes };
  } finally {
    await handle.close();
  }
}

async function extract(session: ToolSession, task: HopTask): Promise<void> {
  const pageNumber = numberOption(task.options, "page") ?? numberOption(task.options, "firstPage") ?? 1;
  const facts = await readFacts(session, pageNumber);
  const first = ["-f", String(pageNumber)];
  const last = ["-l", String(Math.min(numberOption(task.options, "lastPage") ?? facts.pages, facts.pages))];
  const keepsLayout = task.options.layout === "page";
  const only = [...first, "-l", String(pageNumber)];
  const commands: Record<string, readonly [program: string, args: readonly string[]]> = {
    svg: ["pdftocairo", ["-svg", ...only, inputInside, "/job/out"]],
    eps: ["pdftocairo", ["-eps", ...only, inputInside, "/job/out"]],
    ps: ["pdftocairo", ["-ps", ...first, ...last, inputInside, "/job/out"]],
    txt: ["pdftotext", ["-enc", "UTF-8", "-eol", "unix", ...(keepsLayout ? ["-layout"] : []), ...first, ...last, inputInside, "/job/out"]],
    html: ["pdftotext", ["-enc", "UTF-8", "-htmlmeta", ...first, ...last, inputInside, "/job/out"]],
  };
  const command = commands[task.hop.to];
  if (command === undefined) throw new FilemillError("INTERNAL", "Poppler has no such target.");
  const end = await session.run({ program: `/usr/bin/${command[0]}`, args: command[1] });
  if (end.exitCode !== 0) throw new FilemillError("INVALID_INPUT", "The PDF is damaged and could not be read.");
  if (/Syntax Error/.test(end.stderr)) task.note("INPUT_DAMAGED");
  if (task.hop.part !== undefined) noteLeftOut(task, "page", pageNumber, facts.pages);
  await adoptText(session, task);
}

/** Pages without text give nothing or form feeds alone: that is not a result. */
async function adoptText(session: ToolSession, task: HopTask): Promise<void> {
  if (task.hop.to === "txt") {
    const handle = await openOutput(session.pathOf("out")).catch(() => undefined);
    const text =
      handle === undefined ? "" : (await handle.read({ buffer: Buffer.alloc(65_536) })).buffer.toString("utf8").replaceAll("\0", "");
    await handle?.close();
    if (text.trim() === "") throw new LacksContent("There are pictures of text and no text; it would need recognition.");
  }
  await session.adopt("out");
}

async function run(sandbox: Sandbox, pictures: OpenEngine, task: HopTask): Promise<void> {
  await using session = await openToolSession(sandbox, task);
  const isPicture = task.hop.options.some((option) => option.name === "dpi");
  if (isPicture) await rasterize(session, pictures, task, numberOption(task.options, "page") ?? 1);
  else await extract(session, task);
}

export const popplerEngine = defineEngine({
  id: "poppler",
  label: "Poppler",
  lane: "document",
  packages: ["poppler-utils"],
  hops,
  async probe(sandbox) {
    const line = await versionLineOf(sandbox, "/usr/bin/pdftoppm", ["-v"]);
    return line === undefined ? undefined : /(\d[\d.]*)/.exec(line)?.[1];
  },
  async open(host) {
    const { sandbox } = host;
    const pictures = await openSharpChildren(host, 1);
    return {
      run: (task) => run(sandbox, pictures, task),
      async parts(task) {
        await using session = await openToolSession(sandbox, task);
        return Array.from({ length: (await readFacts(session, 1)).pages }, () => "");
      },
      [Symbol.asyncDispose]: () => pictures[Symbol.asyncDispose](),
    };
  },
});
