/** Pictures whose samples or orientation ImageMagick silently misreads. */
import { FilemillError } from "#contract/errors.ts";
import type { HopTask, OpenEngine } from "#services/conversion/domain/engine.ts";
import { EngineFault } from "#services/conversion/domain/failure.ts";
import type { Inspector } from "#services/conversion/domain/inspector.ts";
import { numberOption } from "../shared/hop-table.ts";

/** Whether ImageMagick would misinterpret the samples of the picture. */
export async function isMisread(inspector: Inspector, { hop, input, options, signal }: HopTask): Promise<boolean> {
  if (hop.from === "fits") return true;
  if (!/^(?:tiff|bmp|pam|pcx|dcx|dds|psd|ras)$/.test(hop.from)) return false;
  const page = hop.from === hop.to ? {} : { page: numberOption(options, "page") ?? 1 };
  return (await inspector.ask("samples", [input.path], { more: { format: hop.from, ...page }, signal })).isMisread;
}

/** Names what a DDS or PSD has besides the picture that is read. */
export async function noteLeft(inspector: Inspector, { hop, input, note, signal }: HopTask): Promise<void> {
  if (!/^(?:dds|psd)$/.test(hop.from)) return;
  const { left } = await inspector.ask("samples", [input.path], { more: { format: hop.from }, signal });
  if (left !== "") note("MEDIA_CHANGED", left);
}

/** It reads only the picture's own channels, and takes all colours for those of a screen. */
export async function noteExr(inspector: Inspector, { input, note, signal }: HopTask): Promise<void> {
  const { left, hasOtherColours } = await inspector.ask("exrLeft", [input.path], { signal });
  if (left !== "") note("MEDIA_CHANGED", `Left out: ${left}.`);
  if (hasOtherColours) note("MEDIA_CHANGED", "Colours of other primaries were taken for those of sRGB.");
}

/** Whether black and white only have to be swapped. */
export const isToBeSwapped = ({ hop }: HopTask): boolean => hop.from === "pcx" || hop.from === "dcx";

/** Leaves it to the process with libvips, which reads only one page. */
export async function runMisread(pictures: OpenEngine, task: HopTask): Promise<void> {
  const { from, to } = task.hop;
  if (from === "bmp" && to === "bmp")
    throw new FilemillError("CONVERSION_FAILED", "The picture's colours have unusual numbers of bits; convert it to PNG instead.");
  if (from === "tiff" && (to !== "tiff" || task.options.compression === "jpeg"))
    throw new EngineFault("unexplained", "samples that ImageMagick takes for others");
  await pictures.run(task);
}

/** Arguments after reading: of a TIFF in old-style JPEG, libtiff converts the colours to RGB, and ImageMagick would do so once more. */
export function coloursReadOf(scenes: readonly { readonly packing: string; readonly space: string }[]): readonly string[] {
  const old = scenes.filter(({ packing, space }) => packing === "JPEG" && space === "YCbCr");
  if (old.length === 0) return [];
  if (old.length === scenes.length) return ["-set", "colorspace", "sRGB"];
  throw new FilemillError("CONVERSION_FAILED", "Only some pages are in old-style JPEG; convert each page to PNG instead.");
}

const orientations = ["TopLeft", "TopRight", "BottomRight", "BottomLeft", "LeftTop", "RightTop", "RightBottom", "LeftBottom"];

/** A PNG may store its orientation where ImageMagick does not look. */
export function orientationArgumentsOf(task: HopTask, orientation = 1): readonly string[] {
  if (orientation === 1) return [];
  task.note("ORIENTATION_APPLIED");
  return ["-orient", orientations[orientation - 1] ?? "TopLeft"];
}
