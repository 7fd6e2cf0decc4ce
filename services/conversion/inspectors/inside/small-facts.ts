/** Small facts that engines need to know about a file. */
import { FilemillError } from "#contract/errors.ts";
import type { ByteSource } from "#services/conversion/domain/guards/byte-source.ts";
import { frameCountOf } from "#services/conversion/domain/guards/frames.ts";
import type { Answer } from "#services/conversion/domain/questions.ts";
import { contentOf } from "./remote-file.ts";

/** How many frames an animation has, and how often it plays; 0 means forever. */
export async function animationOf(source: ByteSource, { format }: { readonly format?: unknown }): Promise<Answer<"animation">> {
  const name = String(format);
  return { frames: await frameCountOf(source, name), plays: name === "gif" ? gifPlays(source.head) : apngPlays(source.head) };
}

/** @see https://www.w3.org/TR/png-3/#acTL-chunk */
function apngPlays(head: Buffer): number {
  const at = head.indexOf("acTL", 0, "latin1");
  return at < 0 || at + 12 > head.length ? 1 : head.readUInt32BE(at + 8);
}

/** Netscape's extension before the first picture counts repetitions; 0 means forever. Without it, a GIF plays once. */
function gifPlays(head: Buffer): number {
  const flags = head[10] ?? 0;
  let at = 13 + ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));
  while (head[at] === 0x21) {
    const isLoop = /^NETSCAPE2\.0|^ANIMEXTS1\.0/.test(head.toString("latin1", at + 3, at + 14)) && head[at + 15] === 1;
    if (isLoop && at + 18 <= head.length) {
      const repetitions = head.readUInt16LE(at + 16);
      return repetitions === 0 ? 0 : repetitions + 1;
    }
    at += 2;
    while ((head[at] ?? 0) !== 0) at += 1 + (head[at] ?? 0);
    at += 1;
  }
  return 1;
}

/** GXL and GraphML have the same format id but need different readers. */
export function isGxl({ head }: ByteSource): Answer<"isGxl"> {
  return { isGxl: /<(\w+:)?gxl\b/i.test(head.toString("latin1", 0, 4096)) };
}

/** @see the PLY format, `property` of an element */
export function plyColoursOf({ head }: ByteSource): Answer<"plyColours"> {
  return { hasColours: /^property uchar red$/m.test(head.toString("latin1", 0, 4096).split("end_header")[0] ?? "") };
}

/** The length of a text's beginning without whitespace, and how many of its letters are unknown. */
export function lettersOf({ head }: ByteSource): Answer<"letters"> {
  const characters = head.toString("utf8").replaceAll("\0", "").replace(/\s/g, "");
  return { all: characters.length, unknown: characters.split("\uFFFD").length - 1 };
}

/** @see https://netpbm.sourceforge.net/doc/ppm.html: "P6" or "P5", width, height, 255, then the samples. */
export function drawnSizeOf({ head, sizeBytes }: ByteSource): Answer<"drawnSize"> {
  const header = /^P([56])\n(\d{1,9}) (\d{1,9})\n255\n/.exec(head.toString("latin1", 0, 64));
  const [width, height] = [Number(header?.[2]), Number(header?.[3])];
  const samples = sizeBytes - (header?.[0].length ?? 0);
  if (header === null || samples !== width * height * (header[1] === "6" ? 3 : 1)) {
    throw new FilemillError("INVALID_INPUT", "The page could not be drawn; the PDF is damaged.");
  }
  return { width, height };
}

/** The contents of a GPX file. */
export async function tracksOf(file: ByteSource): Promise<Answer<"tracks">> {
  const text = (await contentOf(file)).toString("latin1");
  const [, ...points] = text.split(/<trkpt\b/);
  return {
    hasPlaces: /<wpt\b/.test(text),
    hasRoutes: /<rtept\b/.test(text),
    hasTracks: points.length > 0,
    hasTimes: points.length > 0 && points.every(tellsTime),
  };
}

/** For a track point and everything after it. */
function tellsTime(point: string): boolean {
  const at = point.indexOf("<time>");
  const end = point.indexOf("</trkpt>");
  return at >= 0 && (end < 0 || at < end);
}
