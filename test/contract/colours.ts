/** The colours of a picture's left and right halves, read by independent programs. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

export type Colour = readonly [red: number, green: number, blue: number];
export type Halves = { readonly left: Colour; readonly right: Colour };

/** Light on the left and dark on the right, so that even one bit per pixel can tell them apart. */
export const yellowBlue: Halves = { left: [250, 220, 40], right: [20, 40, 210] };

export type PictureReader = (path: string, format: string) => readonly [program: string, ...args: string[]];

/** Only the middle rows, as an icon is padded to a square. */
export const byFfmpeg: PictureReader = (path) => [
  "ffmpeg",
  ...["-v", "error", "-nostdin", "-i", path, "-frames:v", "1"],
  ...["-vf", "format=rgb24,crop=iw:ih/2,scale=2:1:flags=area", "-pix_fmt", "rgb24", "-f", "rawvideo", "-"],
];
/** For OpenEXR, which stores linear light. */
export const byFfmpegFromLight: PictureReader = (path, format) => {
  const [program, ...args] = byFfmpeg(path, format);
  return [program, "-apply_trc", "iec61966_2_1", ...args];
};
export const byGraphicsMagick: PictureReader = (path, format) => [
  "gm",
  ...["convert", `${format === "ras" ? "sun" : format}:${path}[0]`, "-scale", "2x1!", "-type", "TrueColor", "-depth", "8", "rgb:-"],
];
export const byPillow: PictureReader = (path) => [
  "/usr/bin/python3",
  "-c",
  "import sys; from PIL import Image; sys.stdout.buffer.write(Image.open(sys.argv[1]).convert('RGB').resize((2, 1), Image.BOX).tobytes())",
  path,
];
/** By the netpbm program that converts the format to PNM. */
export const byNetpbm =
  (program: string): PictureReader =>
  (path) => ["sh", "-c", `${program} < "$1" | pnmscale -xsize 2 -ysize 1 | pnmtopnm | ppmtoppm | pamtopnm | tail -c 6`, "sh", path];

export async function halvesOf(path: string, format: string, reader: PictureReader = byFfmpeg): Promise<Halves> {
  const [program, ...args] = reader(path, format);
  const { stdout } = await run(program, args, { encoding: "buffer", maxBuffer: 2 ** 20 });
  const colour = (at: number): Colour => [stdout[at] ?? -1, stdout[at + 1] ?? -1, stdout[at + 2] ?? -1];
  return { left: colour(0), right: colour(3) };
}

/** The largest difference of any component, of 255. */
export function differenceOf(found: Halves, wanted: Halves = yellowBlue): number {
  const components = (halves: Halves) => [...halves.left, ...halves.right];
  const others = components(wanted);
  return Math.max(...components(found).map((value, index) => Math.abs(value - (others[index] ?? 0))));
}

/** For grey pictures: light on the left, dark on the right. */
export function isLightThenDark({ left, right }: Halves): boolean {
  return left[1] > right[1] + 60;
}
