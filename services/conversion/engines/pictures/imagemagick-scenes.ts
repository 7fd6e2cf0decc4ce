/** What ImageMagick says of each picture in a file, and how deep and how large on paper it is then to write it. */
import type { Picture } from "./imagemagick-formats.ts";

export type Scene = {
  readonly index: number;
  readonly width: number;
  readonly height: number;
  /** Description of its colour profile; empty if it has none. */
  readonly profile: string;
  /** Its compression and colours, as the program names them. */
  readonly packing: string;
  readonly space: string;
  /** Bits per sample. */
  readonly depth: number;
  /** Number of distinct colours; only for the pictures of an icon, which differ in size or in this. */
  readonly colours: number;
  /** Pixels across and down a unit, which may be undefined. */
  readonly across: number;
  readonly down: number;
  readonly unit: string;
  /** Whether upright it is as high as it is now wide. */
  readonly isOnItsSide: boolean;
};

/** `colours`: the program's sign for their number, or a number. */
export function sceneFormat(colours: string): string {
  return `scene %s %w %h %z ${colours} %[fx:resolution.x] %[fx:resolution.y] %U %[orientation] %C %[colorspace] %[profile:icc]\n`;
}

export function scenesIn(told: string): readonly Scene[] {
  const lines = /^scene (\d+) (\d+) (\d+) (\d+) (\d+) ([\d.e+-]+) ([\d.e+-]+) (\w+) (\w+) (\w+) (\w+) ?(.*)$/gm;
  return [...told.matchAll(lines)].map((found) => {
    const [index = 0, width = 0, height = 0, depth = 0, colours = 0, across = 0, down = 0] = found.slice(1, 8).map(Number);
    const [unit = "", orientation = "", packing = "", space = "", profile = ""] = found.slice(8);
    const isOnItsSide = /^(?:Left|Right)/.test(orientation);
    return { index, width, height, depth, colours, across, down, unit, isOnItsSide, packing, space, profile };
  });
}

export const isPhotoshop = ({ coder }: Picture): boolean => /^ps[db]$/.test(coder);

/**
 * Other programs read 8 and 16 bits in the formats written here. Of a palette, the program takes the bits of its indices for those of its
 * colours, and it writes Photoshop files of 2 or 4 bits that nothing reads.
 */
export function depthArgumentsOf({ isShallow }: Picture, { depth, space }: Scene, target: Picture): readonly string[] {
  if (depth > 8 && isShallow !== true) return ["-depth", "16"];
  const isCut = depth < 8 && (space !== "Gray" || (isPhotoshop(target) && depth > 1));
  return isShallow === true || isCut ? ["-depth", "8"] : [];
}

/** `tallness`: how many times as high as wide pixels are. `density`: pixels per inch that a person may have meant. */
export function printedSizeOf({ across, down, unit }: Scene): { readonly tallness: number; readonly density: number | undefined } {
  const density = unit === "Undefined" ? 0 : across * (unit === "PixelsPerCentimeter" ? 2.54 : 1);
  return { tallness: across > 0 && down > 0 ? across / down : 1, density: density > 72.5 ? density : undefined };
}

/** Formats whose resolution always is one, where the program would write the shape of pixels as almost nothing. */
const measured = /^(?:bmp|psd|pcx|dcx)$/;

/** Programs take 72 dpi for none. The program turns pixels upright, but not their shape. */
export function densityArgumentsOf({ across, down, unit, isOnItsSide }: Scene, target: Picture): readonly string[] {
  if (!(across > 0 && down > 0)) return [];
  const [width, height] = isOnItsSide ? [down, across] : [across, down];
  if (unit === "Undefined" && measured.test(target.coder))
    return ["-set", "units", "PixelsPerInch", "-set", "density", `72x${((72 * height) / width).toFixed(2)}`];
  return width === across ? [] : ["-set", "density", `${width}x${height}`];
}
