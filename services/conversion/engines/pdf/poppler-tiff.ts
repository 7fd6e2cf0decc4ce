/** PDF to TIFF by poppler-utils and libtiff: all pages in one file, as usual for scans and faxes. */
import { FilemillError, invalidOption } from "#contract/errors.ts";
import { defineEngine, type EngineHost, type HopTask, type OptionDefinition } from "#services/conversion/domain/engine.ts";
import { EngineFault } from "#services/conversion/domain/failure.ts";
import { assertPart, chosenParts, severalPattern } from "#services/conversion/domain/parts.ts";
import { throwIfFailed } from "../shared/bad-input.ts";
import { flagOption, numberOption, stringOption } from "../shared/hop-table.ts";
import { matching, oneOf } from "../shared/options.ts";
import { inputInside, openToolSession, probeMs, type ToolSession, versionLineOf } from "../shared/tool-run.ts";
import {
  dpiOf,
  type PageFacts,
  pixelOptions,
  pixelsOf,
  popplerBadInput,
  readFacts,
  readPages,
  saysDamaged,
  sizedTo,
} from "./poppler-pages.ts";

/** For all pages together. */
const maxPixels = 4e9;

const options: readonly OptionDefinition[] = [
  { name: "page", type: "integer", min: 1, max: 100_000, description: "Only this page" },
  matching("pages", severalPattern, "Pages of the picture, such as `1-3,7`; default: all"),
  ...pixelOptions,
  oneOf("compression", ["deflate", "lzw", "packbits", "none"], "Lossless compression method", "deflate"),
];

function chosenPages(task: HopTask, total: number): readonly number[] {
  const [page, pages] = [numberOption(task.options, "page"), stringOption(task.options, "pages")];
  if (page === undefined) return chosenParts("page", pages ?? "all", total);
  if (pages !== undefined) throw invalidOption("pages", "Give page or pages, not both.", []);
  assertPart("page", page, total);
  return [page];
}

async function run({ sandbox }: EngineHost, task: HopTask): Promise<void> {
  await using session = await openToolSession(sandbox, task);
  const { pages: total } = await readFacts(session, 1, task);
  const numbers = chosenPages(task, total);
  const sizes = await readPages(session, numbers);
  const pixels = sizes.map((size) => pixelsOf(task, size));
  if (pixels.reduce((sum, { width, height }) => sum + width * height, 0) > maxPixels) {
    throw new FilemillError("INPUT_TOO_COMPLEX", "The pages would have too many pixels in total; choose a lower dpi or fewer pages.");
  }
  const names: string[] = [];
  for (const [index, size] of sizes.entries()) {
    names.push(await draw(session, task, size));
    task.progress((index + 1) / (sizes.length + 1));
  }
  const end = await session.run({ program: "/usr/bin/tiffcp", args: ["-c", compressionOf(task), ...names, "/job/out"] });
  if (end.exitCode !== 0) throw new FilemillError("CONVERSION_FAILED", "The pages could not be combined into one picture.");
  await assertDrawn(session, pixels);
  await session.adopt("out");
}

function compressionOf({ options }: HopTask): string {
  const wanted = stringOption(options, "compression") ?? "deflate";
  return wanted === "deflate" ? "zip:2" : wanted === "lzw" ? "lzw:2" : wanted;
}

const undrawable = "A page could not be drawn; the PDF is damaged.";

async function draw(session: ToolSession, task: HopTask, page: PageFacts): Promise<string> {
  const { width, height } = pixelsOf(task, page);
  const only = ["-f", String(page.number), "-l", String(page.number), "-singlefile"];
  const scale = ["-r", String(dpiOf(page, width)), ...sizedTo(width, height)];
  const gray = flagOption(task.options, "grayscale") ? ["-gray"] : [];
  const name = `/job/page-${page.number}`;
  const args = [...only, ...scale, ...gray, "-tiff", "-tiffcompression", "packbits", inputInside, name];
  const end = await session.run({ program: "/usr/bin/pdftoppm", args });
  throwIfFailed(end, popplerBadInput, undrawable);
  if (saysDamaged(end.stderr)) task.note("INPUT_DAMAGED");
  return `${name}.tif`;
}

/** If a page exceeds its limits, pdftoppm writes a single white pixel and exits with 0. */
async function assertDrawn(session: ToolSession, pixels: readonly { readonly width: number; readonly height: number }[]): Promise<void> {
  const { stdout } = await session.run({ program: "/usr/bin/tiffinfo", args: ["/job/out"] });
  const found = [...stdout.matchAll(/Image Width: (\d+) Image Length: (\d+)/g)].map(([, width, height]) => `${width}x${height}`);
  if (found.join() !== pixels.map(({ width, height }) => `${width}x${height}`).join()) {
    throw new EngineFault("unexplained", "a page of another size");
  }
}

export const popplerTiffEngine = defineEngine({
  id: "poppler-tiff",
  label: "Poppler and libtiff",
  lane: "document",
  packages: ["poppler-utils", "libtiff-tools"],
  hops: [{ from: "pdf", to: "tiff", fidelity: "reduced", cost: 60, maxInputMb: 200, options }],
  badInput: popplerBadInput,
  async probe(sandbox) {
    const joins = await sandbox.run({ program: "/usr/bin/tiffcp", args: ["-h"], limits: { wallMs: probeMs } }).catch(() => undefined);
    if (joins === undefined || !/LIBTIFF|usage/i.test(`${joins.stdout}${joins.stderr}`)) return undefined;
    const line = await versionLineOf(sandbox, "/usr/bin/pdftoppm", ["-v"]);
    return line === undefined ? undefined : /(\d[\d.]*)/.exec(line)?.[1];
  },
  run,
});
