/** DjVu scans by DjVuLibre: to pages, pictures and their text layer; and photographs to DjVu. */
import { stat } from "node:fs/promises";
import { FilemillError } from "#contract/errors.ts";
import { defineEngine, type Hop, type HopTask, type OptionDefinition } from "#services/conversion/domain/engine.ts";
import { expecting } from "#services/conversion/domain/expectations.ts";
import type { Sandbox } from "#services/conversion/domain/sandbox.ts";
import { throwIfFailed } from "../shared/bad-input.ts";
import { numberOption } from "../shared/hop-table.ts";
import { inputInside, openToolSession, probeMs } from "../shared/tool-run.ts";

const usual = { async: false, maxInputMb: 100 } as const;
const quality: OptionDefinition = {
  name: "quality",
  type: "integer",
  min: 25,
  max: 100,
  default: 85,
  description: "Quality of pictures in the pages; lower values make smaller files",
};
const decibels: OptionDefinition = {
  name: "decibels",
  type: "integer",
  min: 20,
  max: 48,
  default: 40,
  unit: "dB",
  description: "Quality of the result; lower values make smaller files",
};

const hops: readonly Hop[] = [
  {
    from: "djvu",
    to: "pdf",
    fidelity: "reduced",
    cost: 300,
    ...usual,
    options: [quality],
    expects: [expecting("STYLING_DROPPED", { message: "Pages become pictures; their hidden text layer is left out." })],
  },
  { from: "djvu", to: "tiff", fidelity: "high", cost: 300, ...usual, options: [quality] },
  { from: "djvu", to: "txt", fidelity: "extract", cost: 30, ...usual, options: [] },
  { from: "jpg", to: "djvu", fidelity: "reduced", cost: 300, ...usual, options: [decibels] },
  { from: "ppm", to: "djvu", fidelity: "reduced", cost: 300, ...usual, options: [decibels] },
];

const badInput = [
  /Corrupted|LibJpeg error|Unexpected End Of File|Premature end|not ready for reading chunk|outside the bounds|Cannot decode (?:document|page)|\(GPixmap\.cpp/,
];

async function run(sandbox: Sandbox, task: HopTask): Promise<void> {
  await using session = await openToolSession(sandbox, task);
  const { from, to } = task.hop;
  const end = await session.run(commandOf(task));
  throwIfFailed(end, badInput, `The file is damaged, or is not ${from === "djvu" ? "DjVu" : "a picture that can be read"}.`);
  if (to === "txt" && ((await stat(session.pathOf("out")).catch(() => undefined))?.size ?? 0) < 3) {
    throw new FilemillError("CONVERSION_FAILED", "The pages are scanned pictures without text; this conversion does no OCR.");
  }
  if (to === "pdf") task.note("STYLING_DROPPED", "Pages became pictures; their hidden text layer was left out.");
  await session.adopt("out");
}

function commandOf({ hop, options }: HopTask) {
  if (hop.to === "djvu") {
    return { program: "/usr/bin/c44", args: ["-decibel", String(numberOption(options, "decibels") ?? 40), inputInside, "/job/out"] };
  }
  if (hop.to === "txt") return { program: "/usr/bin/djvutxt", args: [inputInside, "/job/out"] };
  return {
    program: "/usr/bin/ddjvu",
    args: [`-format=${hop.to}`, `-quality=${numberOption(options, "quality") ?? 85}`, inputInside, "/job/out"],
  };
}

export const djvulibreEngine = defineEngine({
  id: "djvulibre",
  label: "DjVuLibre",
  lane: "document",
  packages: ["djvulibre-bin"],
  hops,
  badInput,
  async probe(sandbox) {
    // Asked for help, it fails but prints its version first.
    const end = await sandbox.run({ program: "/usr/bin/ddjvu", args: ["--help"], limits: { wallMs: probeMs } }).catch(() => undefined);
    return /DjVuLibre-(\d[\d.]*)/.exec(`${end?.stdout}${end?.stderr}`)?.[1];
  },
  async open({ sandbox }) {
    return { run: (task) => run(sandbox, task), [Symbol.asyncDispose]: async () => undefined };
  },
});
