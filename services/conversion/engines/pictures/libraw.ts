/** Camera raw pictures, developed by LibRaw. */
import { stat } from "node:fs/promises";
import { FilemillError } from "#contract/errors.ts";
import { defineEngine, type EngineHost, type Hop, type HopTask, type OptionDefinition } from "#services/conversion/domain/engine.ts";
import { failureOf } from "../shared/bad-input.ts";
import { flagOption, numberOption, stringOption, words } from "../shared/hop-table.ts";
import { oneOf } from "../shared/options.ts";
import { inputInside, openToolSession, probeInOutput } from "../shared/tool-run.ts";

const program = "/usr/bin/dcraw_emu";

const options: readonly OptionDefinition[] = [
  oneOf(
    "whiteBalance",
    ["camera", "auto", "daylight"],
    "White balance: from the camera, from the picture's average, or daylight",
    "camera",
  ),
  { name: "brightness", type: "number", min: 0.1, max: 8, default: 1, description: "Brightness; 2 is twice as bright" },
  oneOf("highlights", ["clip", "blend", "rebuild"], "Highlights: clip to white, blend, or reconstruct", "clip"),
  { name: "halfSize", type: "boolean", default: false, description: "Half the width and height, four times as fast" },
  { name: "depth", type: "enum", values: ["8", "16"], default: "8", description: "Bits per colour channel" },
];
const whites: Readonly<Record<string, readonly string[]>> = { camera: ["-w"], auto: ["-a"], daylight: [] };
const highlights: Readonly<Record<string, string>> = { clip: "0", blend: "2", rebuild: "5" };

/** Only formats with a proof; LibRaw itself supports a thousand cameras. */
const cameras = words("dng nef arw pef cr2 orf raf rw2");
const hops: readonly Hop[] = cameras.map((from) => ({ from, to: "tiff", fidelity: "high", cost: 2000, maxInputMb: 200, options }));

const badInput = [/: (?:Input\/output error|Unsupported file format|Corrupted data|Data error|Unexpected end of file)/];

async function run({ sandbox }: EngineHost, task: HopTask): Promise<void> {
  await using session = await openToolSession(sandbox, task);
  const { options: wanted } = task;
  const end = await session.run({
    program,
    args: [
      ...(whites[stringOption(wanted, "whiteBalance") ?? "camera"] ?? []),
      ...["-b", String(numberOption(wanted, "brightness") ?? 1)],
      ...["-H", highlights[stringOption(wanted, "highlights") ?? "clip"] ?? "0"],
      ...(flagOption(wanted, "halfSize") ? ["-h"] : []),
      ...(wanted.depth === "16" ? ["-6"] : []),
      ...["-o", "1", "-T", "-Z", "/job/out.tiff", inputInside],
    ],
    // It starts as many threads as there are cores.
    env: { OMP_NUM_THREADS: "2" },
  });
  // It always exits with 0.
  if (end.exitCode !== 0 || /^Cannot (?:open|unpack)/m.test(end.stderr)) {
    throw failureOf(end, badInput, "The picture is damaged, or comes from an unknown camera.");
  }
  const { size } = await stat(session.pathOf("out.tiff"));
  const developed = size / (wanted.depth === "16" ? 6 : 3);
  if (lacksPixels(task.hop.from, task.input.sizeBytes, flagOption(wanted, "halfSize") ? developed * 4 : developed))
    throw new FilemillError("INVALID_INPUT", "The file contains the camera's data about the picture, but not the whole picture itself.");
  await session.adopt("out.tiff");
}

/**
 * Whether a file is too small for the pixels that LibRaw made of it: LibRaw silently develops missing data as black or white. Panasonic's
 * cameras take 16 bytes for 14 pixels or fewer. No other camera packs 33 pixels into a byte; lossy DNG, the most compact, about 10.
 */
export function lacksPixels(from: string, inputBytes: number, pixels: number): boolean {
  return inputBytes < pixels * (from === "rw2" ? 8 / 7 : 0.03);
}

export const librawEngine = defineEngine({
  id: "libraw",
  label: "LibRaw",
  lane: "image",
  packages: ["libraw-bin"],
  hops,
  badInput,
  // It does not print its version; another tool of the package does.
  probe: probeInOutput("/usr/bin/simple_dcraw", [], /LibRaw (\d[\d.]*)/),
  run,
});
