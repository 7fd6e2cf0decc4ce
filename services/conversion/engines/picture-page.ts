/** How a picture lies on a page: its size in points and the turn that its orientation asks for, from the headers alone. */
import { open } from "node:fs/promises";
import { FilemillError } from "#kit/errors.ts";

export type PictureFacts = {
  readonly width: number;
  readonly height: number;
  /** As in EXIF: 1 upright, to 8. */
  readonly orientation: number;
  /** Pixels an inch, where the file says something that a person may have meant. */
  readonly density: number | undefined;
  /** Of a PNG: whether its colours have a meaning of their own. */
  readonly hasProfile?: boolean;
};

const headBytes = 1_000_000;
const pointsPerInch = 72;
const usualDensity = 96;

export const pageSizes = { a3: [842, 1191], a4: [595, 842], a5: [420, 595], letter: [612, 792], legal: [612, 1008] } as const;

/** @throws FilemillError INVALID_INPUT when the header tells no size. */
export async function pictureFactsOf(path: string, format: string): Promise<PictureFacts> {
  const handle = await open(path);
  const buffer = Buffer.alloc(headBytes);
  const { bytesRead } = await handle.read(buffer, 0, headBytes, 0).finally(() => handle.close());
  const head = buffer.subarray(0, bytesRead);
  try {
    const facts = format === "png" ? pngFacts(head) : jpegFacts(head);
    if (facts.width > 0 && facts.height > 0) return facts;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  throw new FilemillError("INVALID_INPUT", "The picture is damaged or incomplete.");
}

/** @see PNG third edition, 11.2.1, 11.3.3.3, 11.3.4.3 and 11.3.4.5: the size comes first, pHYs before the data, in pixels a metre. */
function pngFacts(head: Buffer): PictureFacts {
  let density: number | undefined;
  let hasProfile = false;
  let orientation = 1;
  for (let at = 8; at + 12 <= head.length; at += 12 + head.readUInt32BE(at)) {
    const type = head.toString("latin1", at + 4, at + 8);
    // Its name comes first.
    if (type === "iCCP") hasProfile = !/^[^\0]*sRGB/i.test(head.toString("latin1", at + 8, at + 88));
    if (type === "eXIf") orientation = exifFacts(head.subarray(at + 8, at + 8 + head.readUInt32BE(at))).orientation;
    if (type === "pHYs" && head[at + 16] === 1) density = meantDensity(head.readUInt32BE(at + 8) * 0.0254);
  }
  return { width: head.readUInt32BE(16), height: head.readUInt32BE(20), orientation, density, hasProfile };
}

function jpegFacts(head: Buffer): PictureFacts {
  let [orientation, density]: [number, number | undefined] = [1, undefined];
  for (let at = 2; at + 9 <= head.length; ) {
    const marker = head[at + 1] ?? 0;
    if (head[at] !== 0xff || marker === 0xff) {
      at += 1;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { width: head.readUInt16BE(at + 7), height: head.readUInt16BE(at + 5), orientation, density };
    const text = head.toString("latin1", at + 4, at + 10);
    if (marker === 0xe0 && text.startsWith("JFIF\0")) {
      const unit = head[at + 11];
      density = unit === 1 || unit === 2 ? meantDensity(head.readUInt16BE(at + 12) * (unit === 2 ? 2.54 : 1)) : undefined;
    }
    if (marker === 0xe1 && text === "Exif\0\0") {
      const exif = exifFacts(head.subarray(at + 10, at + 2 + head.readUInt16BE(at + 2)));
      orientation = exif.orientation;
      density ??= exif.density;
    }
    at += 2 + head.readUInt16BE(at + 2);
  }
  throw new RangeError("no frame");
}

const tags = { orientation: 0x0112, resolution: 0x011a, unit: 0x0128 } as const;

/** The tags in the first directory of the TIFF inside. */
function exifFacts(tiff: Buffer): Pick<PictureFacts, "orientation" | "density"> {
  const nothing = { orientation: 1, density: undefined };
  if (tiff.length < 14) return nothing;
  const isLittle = tiff[0] === 0x49;
  const number = (at: number, length: 2 | 4) => (isLittle ? tiff.readUIntLE(at, length) : tiff.readUIntBE(at, length));
  const first = number(4, 4);
  if (first + 2 > tiff.length) return nothing;
  const found = new Map<number, number>();
  for (let index = 0; index < number(first, 2); index++) {
    const at = first + 2 + index * 12;
    if (at + 12 > tiff.length) break;
    found.set(number(at, 2), number(at + 8, number(at + 2, 2) === 3 ? 2 : 4));
  }
  const orientation = found.get(tags.orientation) ?? 1;
  const fraction = found.get(tags.resolution);
  const perUnit = fraction !== undefined && fraction + 8 <= tiff.length ? number(fraction, 4) / number(fraction + 4, 4) : 0;
  return {
    orientation: orientation >= 1 && orientation <= 8 ? orientation : 1,
    density: meantDensity(perUnit * (found.get(tags.unit) === 3 ? 2.54 : 1)),
  };
}

/** Cameras write 72 whatever they see; what is less says nothing either. */
function meantDensity(density: number): number | undefined {
  return density > 72.5 && density <= 4800 ? density : undefined;
}

/** Matrices from the unit square, in which a picture stands upright, to one turned by each orientation. */
const turns: Readonly<Record<number, readonly number[]>> = {
  1: [1, 0, 0, 1, 0, 0],
  2: [-1, 0, 0, 1, 1, 0],
  3: [-1, 0, 0, -1, 1, 1],
  4: [1, 0, 0, -1, 0, 1],
  5: [0, -1, -1, 0, 1, 1],
  6: [0, -1, 1, 0, 0, 1],
  7: [0, 1, 1, 0, 0, 0],
  8: [0, 1, -1, 0, 1, 0],
};

export type PageWish = { readonly size: keyof typeof pageSizes | undefined; readonly marginPoints: number; readonly density?: number };

export type Page = { readonly box: string; readonly matrix: string };

/** The page and the place of the picture on it. @see ISO 32000-1, 8.3.3 for the matrix. */
export function pageOf(facts: PictureFacts, wish: PageWish): Page {
  const isTurned = facts.orientation > 4;
  const scale = pointsPerInch / (wish.density ?? facts.density ?? usualDensity);
  const natural = [(isTurned ? facts.height : facts.width) * scale, (isTurned ? facts.width : facts.height) * scale] as const;
  const [short, long] = wish.size === undefined ? [0, 0] : pageSizes[wish.size];
  const page =
    wish.size === undefined
      ? ([natural[0] + 2 * wish.marginPoints, natural[1] + 2 * wish.marginPoints] as const)
      : natural[0] > natural[1]
        ? ([long, short] as const)
        : ([short, long] as const);
  const shrink = Math.min((page[0] - 2 * wish.marginPoints) / natural[0], (page[1] - 2 * wish.marginPoints) / natural[1]);
  const [width, height] = wish.size === undefined ? natural : ([natural[0] * shrink, natural[1] * shrink] as const);
  const [left, bottom] = [(page[0] - width) / 2, (page[1] - height) / 2];
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = turns[facts.orientation] ?? [];
  const matrix = [a * width, b * height, c * width, d * height, e * width + left, f * height + bottom];
  const points = (values: readonly number[]) => values.map((value) => value.toFixed(3)).join(" ");
  return { box: `0 0 ${points(page)}`, matrix: points(matrix) };
}
