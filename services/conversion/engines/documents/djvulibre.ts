/** DjVu scans by DjVuLibre: to pages with their text layer, and to pictures; and photographs to DjVu. */
import { join } from "node:path";
import { FilemillError } from "#contract/errors.ts";
import { defineEngine, type EngineHost, type Hop, type HopTask } from "#services/conversion/domain/engine.ts";
import { expecting } from "#services/conversion/domain/expectations.ts";
import { throwIfFailed } from "../shared/bad-input.ts";
import { numberOption } from "../shared/hop-table.ts";
import { integerIn } from "../shared/options.ts";
import { inputInside, openToolSession, probeInOutput, type ToolSession } from "../shared/tool-run.ts";

const usual = { maxInputMb: 100 } as const;
const quality = integerIn("quality", [25, 100], "Quality of pictures in the pages; lower values make smaller files", { default: 85 });
const decibels = integerIn("decibels", [20, 48], "Quality of the result; lower values make smaller files", { default: 40, unit: "dB" });

const hops: readonly Hop[] = [
  {
    from: "djvu",
    to: "pdf",
    fidelity: "high",
    cost: 300,
    ...usual,
    options: [quality],
    expects: [expecting("TEXT_LEFT_OUT", "The text layer of rotated pages is left out.")],
  },
  { from: "djvu", to: "tiff", fidelity: "high", cost: 300, ...usual, options: [quality] },
  { from: "jpg", to: "djvu", fidelity: "reduced", cost: 300, ...usual, options: [decibels] },
  { from: "ppm", to: "djvu", fidelity: "reduced", cost: 300, ...usual, options: [decibels] },
];

const badInput = [
  /Corrupted|LibJpeg error|Unexpected End Of File|Premature end|not ready for reading chunk|outside the bounds|Cannot decode (?:document|page)|\(GPixmap\.cpp/,
];

/** Font without outlines, for text that is not seen. */
const font = "/usr/share/tesseract-ocr/5/tessdata/pdf.ttf";
const script = "/engine/djvulibre-layer.py";

async function run({ sandbox }: EngineHost, task: HopTask): Promise<void> {
  await using session = await openToolSession(sandbox, task);
  const { from, to } = task.hop;
  const end = await session.run(commandOf(task));
  if (from === "djvu" && /Failed to open '/.test(end.stderr))
    throw new FilemillError("INVALID_INPUT", "The document's pages are in other files; bundle them into one DjVu file and try again.");
  throwIfFailed(end, badInput, `The file is damaged, or is not ${from === "djvu" ? "DjVu" : "a picture that can be read"}.`);
  await session.adopt(to === "pdf" ? await withLayer(session, task) : "out");
}

/** Adds text, links, bookmarks and title to the pages. Returns the name of the result. */
async function withLayer(session: ToolSession, task: HopTask): Promise<string> {
  const end = await session.run({
    program: "/usr/bin/python3",
    args: ["-I", script, inputInside, "/job/out", font, "/job/whole"],
    readOnly: { [join(import.meta.dirname, "djvulibre-layer.py")]: script },
  });
  if (end.exitCode !== 0) {
    task.note("TEXT_LEFT_OUT", "The text layer could not be read and was left out.");
    return "out";
  }
  const lost: readonly number[] = JSON.parse(end.stdout);
  if (lost.length > 0) task.note("TEXT_LEFT_OUT", `The text layer of rotated pages was left out: ${lost.slice(0, 10).join(", ")}.`);
  return "whole";
}

function commandOf({ hop, options }: HopTask) {
  if (hop.to === "djvu") {
    return { program: "/usr/bin/c44", args: ["-decibel", String(numberOption(options, "decibels") ?? 40), inputInside, "/job/out"] };
  }
  return {
    program: "/usr/bin/ddjvu",
    args: [`-format=${hop.to}`, `-quality=${numberOption(options, "quality") ?? 85}`, inputInside, "/job/out"],
  };
}

export const djvulibreEngine = defineEngine({
  id: "djvulibre",
  label: "DjVuLibre",
  lane: "document",
  packages: ["djvulibre-bin", "python3-pikepdf", "tesseract-ocr"],
  hops,
  badInput,
  // Asked for help, it fails but prints its version first.
  probe: probeInOutput("/usr/bin/ddjvu", ["--help"], /DjVuLibre-(\d[\d.]*)/),
  run,
});
