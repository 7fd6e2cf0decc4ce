/** Facts of a few words, for which an engine looks into a file. */
import { FilemillError } from "#kit/errors.ts";
import type { ByteSource } from "#services/conversion/domain/guards/byte-source.ts";
import type { Answer } from "#services/conversion/domain/questions.ts";
import { contentOf } from "./remote-file.ts";

/** What the animation's control chunk says; 1 when there is none. @see https://www.w3.org/TR/png-3/#acTL-chunk */
export function apngFramesOf({ head }: ByteSource): Answer<"apngFrames"> {
  const at = head.indexOf("acTL", 0, "latin1");
  return { frames: at < 0 || at + 8 > head.length ? 1 : head.readUInt32BE(at + 4) };
}

/** GXL and GraphML share a kind and not a reader. */
export function isGxl({ head }: ByteSource): Answer<"isGxl"> {
  return { isGxl: /<(\w+:)?gxl\b/i.test(head.toString("latin1", 0, 4096)) };
}

/** Lists of files, in the form of mtree, are archives to bsdtar. */
export function isFileList({ head }: ByteSource): Answer<"isFileList"> {
  return { isList: head.toString("latin1", 0, 6) === "#mtree" };
}

/** @see the PLY format, `property` of an element */
export function plyColoursOf({ head }: ByteSource): Answer<"plyColours"> {
  return { hasColours: /^property uchar red$/m.test(head.toString("latin1", 0, 4096).split("end_header")[0] ?? "") };
}

/** How much of a text there is at its beginning, without blanks, and how many of its letters nobody knows. */
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

/** What a GPX holds. */
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

/** Of a track point, with all that is behind it. */
function tellsTime(point: string): boolean {
  const at = point.indexOf("<time>");
  const end = point.indexOf("</trkpt>");
  return at >= 0 && (end < 0 || at < end);
}
