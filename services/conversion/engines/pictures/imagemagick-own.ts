/** TIFF and BMP in their own format: every page, compressed, cropped, rotated. Everything else stays. */
import { copyFile, stat } from "node:fs/promises";
import { invalidOption } from "#contract/errors.ts";
import type { Hop, HopTask, OptionDefinition } from "#services/conversion/domain/engine.ts";
import { expecting, expectingAll } from "#services/conversion/domain/expectations.ts";
import { numberOption, ownHops, stringOption, words } from "../shared/hop-table.ts";
import { oneOf } from "../shared/options.ts";
import type { ToolSession } from "../shared/tool-run.ts";
import { bounds } from "./imagemagick-formats.ts";
import { crop, flip, turn } from "./picture-options.ts";

const shape: readonly OptionDefinition[] = [...bounds, crop, turn, flip];
const packings: readonly OptionDefinition[] = [
  oneOf(
    "compression",
    ["deflate", "lzw", "packbits", "jpeg", "none"],
    "Compression method; all are lossless except JPEG. Default: fax compression for black-and-white pages, otherwise deflate",
  ),
  { name: "quality", type: "integer", min: 1, max: 100, default: 85, description: "Quality for the compression `jpeg`" },
  oneOf("metadata", ["keep", "strip"], "Camera, location, author and program", "keep"),
];

const expects = [
  expecting("SOURCE_KEPT"),
  expecting("ORIENTATION_APPLIED"),
  expecting("MEDIA_CHANGED", "Colours with more than 16 bits are reduced, and channels other than colours and transparency left out."),
];
export const ownPictureHops: readonly Hop[] = ownHops(["tiff", "bmp"], (format) => ({
  ...{ fidelity: "lossless", cost: 60, maxInputMb: 100 },
  options: format === "tiff" ? [...packings, ...shape] : shape,
  expects:
    format === "tiff"
      ? [
          ...expects,
          expecting("METADATA_DROPPED", "Camera data (EXIF) is not carried over."),
          expecting("ALPHA_FLATTENED", { option: "compression" }),
          // For samples that only libvips reads.
          ...expectingAll("PAGES_LEFT_OUT", "PROFILE_CONVERTED"),
        ]
      : [expecting("SOURCE_KEPT")],
}));

const tags = words("artist copyright document hostcomputer make model software timestamp");

/** ImageMagick reads these tags but writes them only on request. */
export const tagFormat = [...tags.map((tag) => `tag ${tag} %[tiff:${tag}]\n`), "exif %[exif:*]\n"].join("");

/** Names of the tags present, from the output of {@link tagFormat}. */
export function tagsTold(printed: string): readonly string[] {
  const lines = printed.split("\n");
  return tags.filter((tag) => lines.some((line) => line.startsWith(`tag ${tag} `) && line.length > `tag ${tag} `.length));
}

/** Camera data, which the formats written here cannot hold. */
export const hasExif = (printed: string): boolean => /^exif ./m.test(printed);

const keptTag = (tag: string): readonly string[] => ["-set", `option:tiff:${tag}`, `%[tiff:${tag}]`];

/** ImageMagick's arguments between reading and writing. `told`: tags to keep. */
export function ownArgumentsOf(
  { hop, options }: HopTask,
  pages: readonly { readonly depth: number; readonly space: string }[],
  told: readonly string[],
): readonly string[] {
  const isBilevel = pages.every(({ depth, space }) => depth === 1 && space === "Gray");
  const isDeep = pages.some(({ depth }) => depth > 8);
  const [width, height] = [numberOption(options, "width"), numberOption(options, "height")];
  const crop = stringOption(options, "crop");
  const turned = options.rotate ?? "0";
  const isDrawnAnew = width !== undefined || height !== undefined;
  return [
    "-auto-orient",
    ...(crop === undefined ? [] : ["-crop", crop, "+repage"]),
    ...(isDrawnAnew ? ["-resize", `${width ?? ""}x${height ?? ""}>`] : []),
    // Otherwise the gray edges of a smaller scan become black or white.
    ...(isDrawnAnew && !isDeep ? ["-depth", "8"] : []),
    ...(turned === "0" ? [] : ["-rotate", String(turned)]),
    ...(options.flip === "horizontal" ? ["-flop"] : options.flip === "vertical" ? ["-flip"] : []),
    ...(hop.to === "tiff" ? packingOf(options, isBilevel && !isDrawnAnew) : []),
    ...(hop.to !== "tiff" ? [] : options.metadata === "strip" ? ["+profile", "!icc,*"] : told.flatMap(keptTag)),
  ];
}

function packingOf(options: HopTask["options"], isBilevel: boolean): readonly string[] {
  switch (options.compression) {
    case "none":
      return ["-compress", "None"];
    case "packbits":
      return ["-compress", "RLE"];
    case "lzw":
      return ["-compress", "LZW"];
    case "jpeg":
      return [...words("-background white -alpha remove -alpha off -depth 8 -compress JPEG -quality"), String(options.quality ?? 85)];
    default:
      return options.compression === undefined && isBilevel ? ["-compress", "Group4"] : ["-compress", "Zip"];
  }
}

/** Returns the source if only the size was to change and it did not shrink. */
export async function keepsSource(session: ToolSession, task: HopTask, isTurned: boolean): Promise<boolean> {
  const { options } = task;
  const isShaped = ["width", "height", "crop"].some((name) => options[name] !== undefined) || (options.rotate ?? "0") !== "0";
  const isAsked = isShaped || (options.flip ?? "none") !== "none" || options.metadata === "strip" || isTurned;
  const isPacked = options.compression !== undefined && options.compression !== "jpeg";
  if (isAsked || isPacked || (await stat(session.pathOf("out"))).size < task.input.sizeBytes) return false;
  await copyFile(task.input.path, task.outputPath);
  task.note("SOURCE_KEPT");
  return true;
}

/** @throws FilemillError INVALID_OPTION for an area outside every page. */
export function assertCrop({ options }: HopTask, pages: readonly { readonly width: number; readonly height: number }[]): void {
  const crop = stringOption(options, "crop");
  if (crop === undefined) return;
  const [width = 0, height = 0, left = 0, top = 0] = crop.split(/[x+]/).map(Number);
  if (width > 0 && height > 0 && pages.every((page) => left + width <= page.width && top + height <= page.height)) return;
  throw invalidOption("crop", "The crop area must lie within every page of the picture.");
}
