/** Generated pictures, so that each test states every property of its input. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import sharp, { type Sharp } from "sharp";

export const red = { r: 220, g: 20, b: 30 };
export const blue = { r: 20, g: 40, b: 210 };

/** Left half red, right half blue. */
export function twoColours(width = 120, height = 80): Sharp {
  const left = { input: { create: { width: width / 2, height, channels: 3 as const, background: red } }, left: 0, top: 0 };
  return sharp({ create: { width, height, channels: 3, background: blue } }).composite([left]);
}

/** Nearly Gaussian, with mean 128 and deviation 37; deterministic for a size. */
export function noise(width: number, height: number): Sharp {
  const pixels = Buffer.alloc(width * height * 3);
  let state = 20_261_122;
  for (let at = 0; at < pixels.length; at++) {
    // Marsaglia's xorshift32; the mean of its four bytes.
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    pixels[at] = ((state & 255) + ((state >>> 8) & 255) + ((state >>> 16) & 255) + (state >>> 24)) >> 2;
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } });
}

/** Red with a transparent right half. */
export function halfTransparent(): Sharp {
  const pixels = Buffer.alloc(40 * 20 * 4);
  for (let index = 0; index < 40 * 20; index++) pixels.set([220, 20, 30, index % 40 < 20 ? 255 : 0], index * 4);
  return sharp(pixels, { raw: { width: 40, height: 20, channels: 4 } });
}

export async function moving(to: "gif" | "webp"): Promise<Buffer> {
  const colours = [red, blue, { r: 0, g: 200, b: 0 }];
  const stills = colours.map((background) =>
    sharp({ create: { width: 30, height: 20, channels: 3, background } })
      .png()
      .toBuffer(),
  );
  const frames = sharp(await Promise.all(stills), { join: { animated: true } });
  return to === "gif"
    ? frames.gif({ delay: [100, 200, 300] }).toBuffer()
    : frames.webp({ lossless: true, delay: [100, 200, 300] }).toBuffer();
}

export const drawing =
  '<svg xmlns="http://www.w3.org/2000/svg" width="60" height="40"><rect width="30" height="40" fill="#dc141e"/><rect x="30" width="30" height="40" fill="#1428d2"/></svg>';

/** One picture in each readable format. */
export async function pictureSample(format: string, folder: string): Promise<string> {
  const path = join(folder, `sample.${format}`);
  const picture = twoColours();
  switch (format) {
    case "jpg":
      await picture.jpeg({ quality: 95 }).toFile(path);
      break;
    case "tiff":
      await picture.tiff({ compression: "deflate" }).toFile(path);
      break;
    case "svg":
      await writeFile(path, drawing);
      break;
    case "png":
    case "webp":
    case "gif":
    case "avif":
      await writeFile(path, await picture.toFormat(format).toBuffer());
      break;
    default:
      throw new Error(`no sample of ${format}`);
  }
  return path;
}

/** Red on the left and blue on the right after applying its orientation; only for orientations that swap left and right or rotate. */
export async function turnedPng(orientation: 2 | 3 | 6 | 8): Promise<Buffer> {
  // Composed first: a pipeline rotates the base but not the overlays.
  const stored = sharp(await twoColours(120, 80).png().toBuffer());
  if (orientation === 2) stored.flop();
  else stored.rotate({ 3: 180, 6: 270, 8: 90 }[orientation]);
  return await stored.withMetadata({ orientation }).png().toBuffer();
}
