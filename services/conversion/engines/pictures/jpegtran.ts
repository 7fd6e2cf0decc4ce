/** Rotates, mirrors, crops and recompresses a JPEG losslessly with jpegtran: every coefficient stays. */
import { existsSync } from "node:fs";
import { copyFile, stat } from "node:fs/promises";
import { FilemillError, invalidOption } from "#contract/errors.ts";
import type { HopTask } from "#services/conversion/domain/engine.ts";
import type { Inspector } from "#services/conversion/domain/inspector.ts";
import type { Sandbox } from "#services/conversion/domain/sandbox.ts";
import { throwIfFailed } from "../shared/bad-input.ts";
import { stringOption } from "../shared/hop-table.ts";
import { inputInside, openToolSession, type ToolSession } from "../shared/tool-run.ts";
import { standUpright } from "./exif-upright.ts";

const program = "/usr/bin/jpegtran";
const badInput = [
  /Not a JPEG file|Premature end|Corrupt JPEG|Unsupported marker|Invalid JPEG|Bogus|Empty JPEG|JPEG datastream contains no image/i,
];
const damaged = "The picture is damaged or is not a JPEG.";

/** Whether a lossless rewrite is requested. */
export function isLossless({ hop, options }: HopTask): boolean {
  return hop.from === "jpg" && hop.to === "jpg" && options.lossless === true;
}

const drawing = ["width", "height", "maxKb", "density"];

/** @throws FilemillError INVALID_OPTION for what cannot be done losslessly to this picture. */
export async function rewriteJpeg(sandbox: Sandbox, inspector: Inspector, task: HopTask): Promise<void> {
  if (!existsSync(program)) throw new FilemillError("UNAVAILABLE", "The tool for lossless JPEG compression is not installed here.");
  const drawn = drawing.find((name) => task.options[name] !== undefined);
  if (drawn !== undefined)
    throw invalidOption(drawn, "Lossless changes are rotating, mirroring, cropping and recompressing; resizing is not lossless.");
  const facts = await inspector.ask("pictureFacts", [task.input.path], { more: { format: "jpg" }, signal: task.signal });
  assertCrop(task, facts.orientation > 4 ? { width: facts.height, height: facts.width } : facts);
  const steps = stepsOf(task, facts.orientation);
  await using session = await openToolSession(sandbox, task);
  const metadata = task.options.metadata === "strip" ? (task.options.profile === "strip" ? "none" : "icc") : "all";
  let from = inputInside;
  for (const [index, step] of steps.entries()) {
    const isLast = index === steps.length - 1;
    const to = isLast ? "/job/out" : `/job/step-${index}`;
    const how = ["-copy", metadata, "-optimize", "-maxscans", "500"];
    const more = task.options.progressive === true && isLast ? ["-progressive"] : [];
    const end = await session.run({ program, args: [...how, ...more, "-perfect", ...step, "-outfile", to, from] });
    if (/transformation is not perfect/i.test(end.stderr)) {
      throw invalidOption(
        "lossless",
        "The picture cannot be rotated or mirrored losslessly: its sides are not multiples of its JPEG blocks.",
      );
    }
    throwIfFailed(end, badInput, damaged);
    from = to;
  }
  const isOnlyPacked = steps.length === 1 && steps[0]?.length === 0 && metadata === "all" && task.options.progressive !== true;
  if (isOnlyPacked && (await stat(session.pathOf("out"))).size >= task.input.sizeBytes) {
    await copyFile(task.input.path, task.outputPath);
    task.note("SOURCE_KEPT");
    return;
  }
  if (facts.orientation > 1) task.note("ORIENTATION_APPLIED");
  if (metadata !== "all" && (await hasMetadata(session))) task.note("METADATA_DROPPED");
  await session.adopt("out");
  if (facts.orientation > 1) await standUpright(inspector, task.outputPath);
}

/** Compares the sizes with and without it. */
async function hasMetadata(session: ToolSession): Promise<boolean> {
  const sizes: number[] = [];
  for (const kept of ["all", "icc"]) {
    const name = `with-${kept}`;
    await session.run({ program, args: ["-copy", kept, "-maxscans", "500", "-outfile", `/job/${name}`, inputInside] });
    sizes.push((await stat(session.pathOf(name))).size);
  }
  return sizes[0] !== sizes[1];
}

function assertCrop({ options }: HopTask, size: { readonly width: number; readonly height: number }): void {
  const crop = stringOption(options, "crop");
  if (crop === undefined) return;
  const [width = 0, height = 0, left = 0, top = 0] = crop.split(/[x+]/).map(Number);
  if (width > 0 && height > 0 && left + width <= size.width && top + height <= size.height) return;
  throw invalidOption("crop", `The crop area must lie within the picture, ${size.width} by ${size.height} pixels.`);
}

/** Transforms by the picture's orientation. @see EXIF 2.32, 4.6.4 A */
const upright: Readonly<Record<number, readonly string[]>> = {
  2: ["-flip", "horizontal"],
  3: ["-rotate", "180"],
  4: ["-flip", "vertical"],
  5: ["-transpose"],
  6: ["-rotate", "90"],
  7: ["-transverse"],
  8: ["-rotate", "270"],
};

/** In the same order as for re-encoded pictures: upright, cropped, mirrored, rotated. At least one step, which recompresses. */
function stepsOf({ options }: HopTask, orientation: number): readonly (readonly string[])[] {
  const crop = stringOption(options, "crop");
  const steps = [
    ...(upright[orientation] === undefined ? [] : [upright[orientation]]),
    ...(crop === undefined ? [] : [["-crop", crop]]),
    ...((options.flip ?? "none") === "none" ? [] : [["-flip", String(options.flip)]]),
    ...((options.rotate ?? "0") === "0" ? [] : [["-rotate", String(options.rotate)]]),
  ];
  return steps.length === 0 ? [[]] : steps;
}
