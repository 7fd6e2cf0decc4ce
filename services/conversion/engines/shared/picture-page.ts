/** How a picture is placed on a page: its size in points, and the rotation that its orientation requires. */
import type { OptionDefinition, OptionValues } from "#services/conversion/domain/engine.ts";
import type { Answer } from "#services/conversion/domain/questions.ts";
import { numberOption } from "./hop-table.ts";
import { integerIn, oneOf } from "./options.ts";

const pointsPerInch = 72;
const pointsPerMm = pointsPerInch / 25.4;
const usualDensity = 96;
/** Readers show no larger page. @see ISO 32000-1, annex C */
const longestPage = 14_400;

export const pageSizes = { a3: [842, 1191], a4: [595, 842], a5: [420, 595], letter: [612, 792], legal: [612, 1008] } as const;

export const paper = Object.keys(pageSizes);
export const picturePage: readonly OptionDefinition[] = [
  oneOf("pageSize", ["fit", ...paper], "A page as large as the picture, or a paper size, with the picture's orientation", "fit"),
  { name: "margin", type: "number", min: 0, max: 50, default: 0, unit: "mm", description: "Margin around the picture" },
  integerIn("density", [10, 4800], "Resolution in dpi if `pageSize` is `fit`; default: from the picture, otherwise 96", { unit: "dpi" }),
];

/** Matrices from the unit square with an upright picture to one transformed by each orientation. */
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

/** Undefined for a page that fits the picture. */
export function sizeWished({ pageSize }: OptionValues): PageWish["size"] {
  return typeof pageSize === "string" && isPaper(pageSize) ? pageSize : undefined;
}

function isPaper(name: string): name is keyof typeof pageSizes {
  return paper.includes(name);
}

/** Reads the options of `picturePage`. */
export function wishOf(options: OptionValues): PageWish {
  const density = numberOption(options, "density");
  const marginPoints = (numberOption(options, "margin") ?? 0) * pointsPerMm;
  return { size: sizeWished(options), marginPoints, ...(density === undefined ? {} : { density }) };
}

export type Page = { readonly box: string; readonly matrix: string };

/** The page and the placement of the picture on it. `grain`: what the sides of one that fits the picture are multiples of. @see ISO 32000-1, 8.3.3 for the matrix. */
export function pageOf(facts: Answer<"pictureFacts">, wish: PageWish, grain = 0.001): Page {
  const isTurned = facts.orientation > 4;
  const density = wish.density ?? facts.density;
  const tall = facts.height * facts.tallness;
  const longest = (longestPage - 2 * wish.marginPoints) / Math.max(facts.width, tall);
  const scale = density === undefined ? Math.min(pointsPerInch / usualDensity, longest) : pointsPerInch / density;
  const side = (pixels: number) => (wish.size === undefined ? Math.max(1, Math.round((pixels * scale) / grain)) * grain : pixels * scale);
  const natural = [side(isTurned ? tall : facts.width), side(isTurned ? facts.width : tall)] as const;
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
