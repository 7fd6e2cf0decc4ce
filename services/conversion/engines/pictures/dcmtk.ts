/** Medical pictures (DICOM), by DCMTK; GDCM unpacks JPEG 2000 and JPEG-LS for it. */
import { FilemillError } from "#contract/errors.ts";
import { defineEngine, type EngineHost, type HopTask } from "#services/conversion/domain/engine.ts";
import { expecting } from "#services/conversion/domain/expectations.ts";
import { assertPart, noteLeftOut, partOptions } from "#services/conversion/domain/parts.ts";
import { throwIfFailed } from "../shared/bad-input.ts";
import { numberOption } from "../shared/hop-table.ts";
import { inputInside, openToolSession, probeOf, type ToolSession } from "../shared/tool-run.ts";
import { bounds } from "./imagemagick-formats.ts";

const program = "/usr/bin/dcmj2pnm";
const badInput = [/^[EFW]: /m, /^(?:Could not read|Could not change|Invalid|Unsupported)/m];
const damaged = "The picture is damaged or of an unsupported kind.";
const whole = { maxInputMb: 100 } as const;

type Facts = {
  /** Path inside the sandbox. */
  readonly path: string;
  /** Dump of the picture's properties. */
  readonly told: string;
};

/** What the file holds; unpacked first if DCMTK does not know the compression. */
async function factsOf(session: ToolSession): Promise<Facts> {
  const args = ["-v", "-im", "-o"];
  const first = await session.run({ program, args: [...args, inputInside] });
  if (/no pixel data found/.test(first.stderr)) throw new FilemillError("INVALID_INPUT", "The file contains no picture.");
  if (first.exitCode === 0 && isTold(first.stderr)) return { path: inputInside, told: first.stderr };
  if (!/unencapsulated/.test(first.stderr)) throw new FilemillError("INVALID_INPUT", damaged);
  const path = "/job/plain";
  throwIfFailed(await session.run({ program: "/usr/bin/gdcmconv", args: ["--raw", inputInside, path] }), badInput, damaged);
  const second = await session.run({ program, args: [...args, path] });
  if (!isTold(second.stderr)) throw new FilemillError("INVALID_INPUT", damaged);
  return { path, told: second.stderr };
}

const isTold = (printed: string): boolean => /columns x rows/.test(printed);

function told({ told: text }: Facts, name: string): string {
  const line = text.split("\n").find((each) => each.startsWith(`I:   ${name} `)) ?? "";
  return line.slice(line.indexOf(":", 2) + 1, 120).trim();
}

const numberTold = (facts: Facts, name: string): number => Number.parseFloat(told(facts, name));

/** How grey values become brightness: by the file's window or table, or else from the darkest to the brightest. */
async function brightnessOf(session: ToolSession, facts: Facts, changes: string[]): Promise<readonly string[]> {
  if (!told(facts, "color model").startsWith("MONOCHROME")) return [];
  const windows = numberTold(facts, "VOI windows in file");
  if (windows > 0) {
    const args = ["-q", "+p", "+P", "0028,1050", "+P", "0028,1051", facts.path];
    const { stdout } = await session.run({ program: "/usr/bin/dcmdump", args });
    const [, centre] = /^\(0028,1050\) DS \[([^\\\]]{1,20})/m.exec(stdout) ?? [];
    const [, width] = /^\(0028,1051\) DS \[([^\\\]]{1,20})/m.exec(stdout) ?? [];
    const of = windows === 1 ? "" : `, the first of ${windows}`;
    changes.push(`Shown with the file's window of values: centre ${centre?.trim()}, width ${width?.trim()}${of}.`);
    return ["+Wi", "1"];
  }
  if (numberTold(facts, "VOI LUTs in file") > 0) {
    changes.push("Shown with the file's table of brightness.");
    return ["+Wl", "1"];
  }
  const bits = numberTold(facts, "bits per sample");
  // The program would draw the white of masks grey.
  if (bits === 1) return ["+Wm"];
  if (bits <= 8) return [];
  const [least, most] = ["minimum pixel value", "maximum pixel value"].map((name) => told(facts, name));
  changes.push(`The file says no window of values: its lowest (${least}) became black, its highest (${most}) white.`);
  return ["+Wm"];
}

/** Arguments that fit the picture into the size asked for. Pixels become square. */
function sizeArgumentsOf({ options }: HopTask, facts: Facts, changes: string[]): readonly string[] {
  const [columns = 1, rows = 1] = told(facts, "columns x rows").split(" x ").map(Number);
  const ratio = numberTold(facts, "pixel aspect ratio");
  const isSquare = ratio === 1 || !(ratio > 0);
  if (!isSquare) changes.push(`Pixels of unequal sides (${ratio}) became square.`);
  const [width, height] = [numberOption(options, "width") ?? columns, numberOption(options, "height") ?? Infinity];
  const wide = Math.min(columns, width, Math.round((height * columns) / (rows * (isSquare ? 1 : ratio))));
  return isSquare && wide === columns ? [] : ["+Sxv", String(Math.max(1, wide))];
}

async function run({ sandbox }: EngineHost, task: HopTask): Promise<void> {
  await using session = await openToolSession(sandbox, task);
  const facts = await factsOf(session);
  // DCMTK swaps the halves of such values.
  if (told(facts, "transfer syntax").startsWith("Big Endian") && numberTold(facts, "bits per sample") > 16) {
    throw new FilemillError(
      "CONVERSION_FAILED",
      "Values of 32 bits in big-endian order cannot be read; save the file in little-endian order.",
    );
  }
  const [page, total] = [numberOption(task.options, "page") ?? 1, numberTold(facts, "number of frames")];
  assertPart("page", page, total);
  noteLeftOut(task, "page", page, total);
  const changes: string[] = [];
  const shown = [...(await brightnessOf(session, facts, changes)), ...sizeArgumentsOf(task, facts, changes)];
  if (numberTold(facts, "overlays in file") > 0) changes.push("The file's overlays are drawn over the picture.");
  const depth = numberTold(facts, "bits per sample") > 8 ? "+on2" : "+on";
  const end = await session.run({ program, args: ["-q", "+F", String(page), ...shown, "-mf", "-il", depth, facts.path, "/job/out"] });
  throwIfFailed(end, badInput, damaged);
  if (changes.length > 0) task.note("MEDIA_CHANGED", changes.join(" "));
  task.note("METADATA_DROPPED", "Data about the patient and the examination were left out.");
  await session.adopt("out");
}

async function partsOf({ sandbox }: EngineHost, task: HopTask): Promise<readonly string[]> {
  await using session = await openToolSession(sandbox, task);
  return Array.from({ length: numberTold(await factsOf(session), "number of frames") }, () => "");
}

export const dcmtkEngine = defineEngine({
  id: "dcmtk",
  label: "DCMTK and GDCM",
  lane: "image",
  packages: ["dcmtk", "libgdcm-tools"],
  hops: [
    {
      ...{ from: "dcm", to: "png", fidelity: "high", cost: 50, part: "page", options: [...partOptions("page"), ...bounds], ...whole },
      expects: [
        expecting("MEDIA_CHANGED", "Grey values are shown with the file's window, or from the lowest to the highest."),
        expecting("METADATA_DROPPED", "Data about the patient and the examination are left out."),
      ],
    },
  ],
  badInput,
  async probe(sandbox) {
    const unpacker = await probeOf("/usr/bin/gdcmconv", ["--version"], /gdcm (\d[\d.]*)/)(sandbox);
    return unpacker === undefined ? undefined : await probeOf(program, ["--version"], /v(\d[\d.]*)/)(sandbox);
  },
  open: async (host) => ({
    run: (task) => run(host, task),
    parts: (task) => partsOf(host, task),
    [Symbol.asyncDispose]: async () => undefined,
  }),
});
