/** Pictures of a page as PNG. Scanners cut a page into strips, which are merged. */
import type { PDFPageProxy } from "pdfjs-dist";
import { tooComplex } from "../failure.ts";
import type { Picture, Run } from "./content.ts";
import type { Placed } from "./drawings.ts";
import { type Pixels, pngOf } from "./png.ts";
import { cutOutsOf } from "./scan-figures.ts";
import { partOfScan } from "./scans.ts";

type Drawn = Omit<Placed, "objectId"> & { readonly pixels: Pixels };

/** Points between two strips of one picture. */
const near = 1.5;
/** pdf.js's code for 1-bit pixels. */
const oneBit = 1;
/** In points: painted rules, shadows and dots have a shorter side. */
const leastSide = 16;

/** `recognised`: the text of a scanned page, of whose picture only the figures are returned. */
export async function picturesOf(
  page: PDFPageProxy,
  placed: readonly Placed[],
  left: { pictureBytes: number },
  recognised?: readonly Run[],
): Promise<Picture[]> {
  const drawn: Drawn[] = [];
  for (const { objectId, ...place } of placed) {
    const pixels = await pixelsOf(page, objectId, place.isMask);
    if (pixels === undefined) continue;
    const last = drawn.at(-1);
    const whole = last === undefined ? undefined : joined(last, { ...place, pixels });
    if (whole === undefined) drawn.push({ ...place, pixels });
    else drawn[drawn.length - 1] = whole;
  }
  const made: Picture[] = [];
  for (const { box, mark, pixels, isDrawn } of partsOf(drawn, page, recognised)) {
    if (box.right - box.left < leastSide || box.bottom - box.top < leastSide) continue;
    const png = pngOf(pixels);
    if (png === undefined) continue;
    left.pictureBytes -= png.length;
    if (left.pictureBytes < 0) throw tooComplex("The PDF contains too many pictures to convert.");
    made.push({ box, mark, png, isDrawn });
  }
  return made;
}

type Part = Pick<Drawn, "box" | "mark" | "pixels"> & { readonly isDrawn: boolean };

/** The pictures; of scans with recognised text only the figures. */
function partsOf(drawn: readonly Drawn[], page: PDFPageProxy, recognised: readonly Run[] | undefined): Part[] {
  const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = page.view;
  const isScan = ({ box }: Drawn) =>
    recognised !== undefined && (box.right - box.left) * (box.bottom - box.top) >= (x1 - x0) * (y1 - y0) * partOfScan;
  // A hostile page may have thousands.
  const scans = new Set(drawn.filter(isScan).slice(0, mostScans));
  return drawn.flatMap((picture): Part[] => {
    if (!isScan(picture)) return [{ ...picture, isDrawn: false }];
    if (!scans.has(picture)) return [];
    // Their labels were recognised too, and are part of them.
    return cutOutsOf(picture.pixels, picture.box, recognised ?? []).map((part) => ({ ...part, mark: picture.mark, isDrawn: true }));
  });
}

/** On a page. */
const mostScans = 3;

async function pixelsOf(page: PDFPageProxy, id: string, isMask: boolean): Promise<Pixels | undefined> {
  const objects = id.startsWith("g_") ? page.commonObjs : page.objs;
  const found = await new Promise<unknown>((resolve) => {
    objects.get(id, resolve);
  });
  if (typeof found !== "object" || found === null || !("data" in found)) return undefined;
  return isMask ? { ...(found as Pixels), kind: oneBit } : (found as Pixels);
}

/** Merges a strip directly below, with the same width and row length in pixels. */
function joined(above: Drawn, below: Drawn): Drawn | undefined {
  const [one, other] = [above.box, below.box];
  const isBelow =
    Math.abs(one.left - other.left) < near && Math.abs(one.right - other.right) < near && Math.abs(one.bottom - other.top) < near;
  const { width, height, kind, data } = above.pixels;
  const isAlike = above.isMask === below.isMask && kind === below.pixels.kind && width === below.pixels.width;
  const row = data.length / height;
  if (!isBelow || !isAlike || !Number.isInteger(row) || below.pixels.data.length !== row * below.pixels.height) return undefined;
  const both = new Uint8Array(data.length + below.pixels.data.length);
  both.set(data);
  both.set(below.pixels.data, data.length);
  return {
    ...above,
    box: { ...one, bottom: other.bottom },
    pixels: { width, height: height + below.pixels.height, kind, data: both },
  };
}
