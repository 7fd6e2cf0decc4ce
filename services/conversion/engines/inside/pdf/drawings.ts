/** Lines, bullets and pictures of a page, from pdf.js's operator list. */
import type { Box } from "./content.ts";

export type Matrix = readonly [number, number, number, number, number, number];
/** `isMask`: a 1-bit mask in which 0 is painted. */
export type Placed = { readonly box: Box; readonly mark: string | undefined; readonly objectId: string; readonly isMask: boolean };
/** What a path paints unless it is a line: a rectangle, even a rounded one; a shape no larger than a bullet; or anything else. */
export type Shape = {
  readonly box: Box;
  readonly sort: "box" | "dot" | "drawn";
  readonly isFilled: boolean;
  readonly mark: string | undefined;
};
export type Drawings = {
  readonly shapes: Shape[];
  readonly rules: Box[];
  readonly dots: Box[];
  readonly placed: Placed[];
  /** Whether anything is painted at all. */
  isPainted: boolean;
  /** Whether anything other than text is painted. */
  isPaintedBeside: boolean;
  /** Invisible characters, as scanners write them over the picture of a page, and visible ones. */
  hiddenLetters: number;
  shownLetters: number;
};

export type OperatorList = { readonly fnArray: readonly number[]; readonly argsArray: readonly unknown[] };
/** pdf.js's operator codes, by name. */
export type OperatorNumbers = Readonly<Record<string, number>>;

/** Anything thinner is a line. */
const thin = 2.5;
/** @see ISO 32000-1, 9.3.6 */
const hidden = 3;
const paintingOperators = [
  "showText",
  "paintImageXObject",
  "paintImageMaskXObject",
  "paintImageMaskXObjectGroup",
  "paintInlineImageXObject",
  "shadingFill",
  "constructPath",
];
const maxRules = 20_000;
const maxShapes = 5_000;
/** A rounded rectangle fills at least this share of its box; the polygon through a circle's curve ends fills less. */
const filledByBox = 0.8;
const maxPictures = 500;

export function multiply(one: Matrix, two: readonly number[]): Matrix {
  const [a, b, c, d, e, f] = one;
  const [g = 1, h = 0, i = 0, j = 1, k = 0, l = 0] = two;
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f];
}

export function boxUnder([a, b, c, d, e, f]: Matrix, x0: number, y0: number, x1: number, y1: number): Box {
  const xs = [a * x0 + c * y0, a * x1 + c * y0, a * x0 + c * y1, a * x1 + c * y1];
  const ys = [b * x0 + d * y0, b * x1 + d * y0, b * x0 + d * y1, b * x1 + d * y1];
  return { left: Math.min(...xs) + e, right: Math.max(...xs) + e, top: Math.min(...ys) + f, bottom: Math.max(...ys) + f };
}

/** `markOf` names a piece of marked content by its number. */
export function drawingsOf(list: OperatorList, ops: OperatorNumbers, page: Matrix, markOf: (id: number) => string): Drawings {
  const found: Drawings = {
    shapes: [],
    rules: [],
    dots: [],
    placed: [],
    isPainted: false,
    isPaintedBeside: false,
    hiddenLetters: 0,
    shownLetters: 0,
  };
  const stack: { readonly matrix: Matrix; readonly mode: unknown }[] = [];
  const marks: (string | undefined)[] = [];
  let matrix = page;
  let mode: unknown = 0;
  const strokes = new Set([ops.stroke, ops.closeStroke]);
  const begin = (id: unknown, tag: unknown) =>
    marks.push(typeof id === "number" ? markOf(id) : tag === "Artifact" ? "artifact" : marks.at(-1));
  const open = (inner: unknown) => {
    stack.push({ matrix, mode });
    if (Array.isArray(inner)) matrix = multiply(matrix, inner);
  };
  const close = () => {
    ({ matrix, mode } = stack.pop() ?? { matrix: page, mode: 0 });
  };
  const actions: Readonly<Record<string, (args: readonly unknown[]) => void>> = {
    save: () => open(undefined),
    restore: close,
    transform: (args) => {
      matrix = multiply(matrix, args as number[]);
    },
    paintFormXObjectBegin: ([inner]) => open(inner),
    paintFormXObjectEnd: close,
    beginMarkedContent: ([tag]) => void begin(undefined, tag),
    beginMarkedContentProps: ([tag, id]) => void begin(id, tag),
    endMarkedContent: () => void marks.pop(),
    constructPath: ([op, data]) =>
      op !== ops.endPath &&
      putPath(found, Array.isArray(data) ? data[0] : undefined, { matrix, isStroke: strokes.has(Number(op)), mark: marks.at(-1) }),
    setTextRenderingMode: ([given]) => {
      mode = given;
    },
    showText: ([glyphs]) => {
      found[mode === hidden ? "hiddenLetters" : "shownLetters"] += Array.isArray(glyphs) ? glyphs.length : 0;
    },
    paintImageXObject: ([id]) => putPicture(found, matrix, marks.at(-1), id),
    paintImageMaskXObject: ([mask]) => putMask(found, matrix, marks.at(-1), mask),
    paintImageMaskXObjectGroup: ([masks]) => {
      for (const mask of Array.isArray(masks) ? masks : [])
        putMask(found, multiply(matrix, (mask as Mask).transform ?? []), marks.at(-1), mask);
    },
  };
  const painting = new Set(paintingOperators.map((name) => ops[name]));
  found.isPainted = list.fnArray.some((number) => painting.has(number));
  found.isPaintedBeside = list.fnArray.some((number) => painting.has(number) && number !== ops.showText);
  const byNumber = new Map(Object.entries(actions).map(([name, action]) => [ops[name], action]));
  for (const [index, number] of list.fnArray.entries()) byNumber.get(number)?.((list.argsArray[index] ?? []) as readonly unknown[]);
  return found;
}

function putPicture({ placed }: Drawings, matrix: Matrix, mark: string | undefined, id: unknown, isMask = false): void {
  if (placed.length < maxPictures && typeof id === "string") placed.push({ box: boxUnder(matrix, 0, 0, 1, 1), mark, objectId: id, isMask });
}

type Mask = { readonly data?: unknown; readonly transform?: readonly number[] };

function putMask(found: Drawings, matrix: Matrix, mark: string | undefined, mask: unknown): void {
  if (typeof mask === "object" && mask !== null) putPicture(found, matrix, mark, (mask as Mask).data, true);
}

type Painted = { readonly matrix: Matrix; readonly isStroke: boolean; readonly mark: string | undefined };

function putPath({ rules, dots, shapes }: Drawings, path: unknown, { matrix, isStroke, mark }: Painted): void {
  if (!(path instanceof Float32Array)) return;
  for (const { x0, y0, x1, y1, isBent, isSlanted, area } of subpathsOf(path)) {
    if (rules.length + dots.length >= maxRules) return;
    const box = boxUnder(matrix, x0, y0, x1, y1);
    const [width, height] = [box.right - box.left, box.bottom - box.top];
    const isBox = (!isBent && !isSlanted) || Math.abs(area) > (x1 - x0) * (y1 - y0) * filledByBox;
    const sort = width < 9 && height < 9 ? "dot" : isBox ? "box" : "drawn";
    if (Math.min(width, height) > thin && shapes.length < maxShapes) shapes.push({ box, sort, isFilled: !isStroke, mark });
    if (Math.min(width, height) <= thin && Math.max(width, height) > 2 * thin) rules.push(box);
    else if (width < 9 && height < 9 && width > 1 && Math.abs(width - height) < 1.5) dots.push(box);
    else if (isStroke && !isBent) rules.push(...edgesOf(box));
  }
}

function edgesOf({ left, top, right, bottom }: Box): Box[] {
  return [
    { left, top, right, bottom: top },
    { left, top: bottom, right, bottom },
    { left, top, right: left, bottom },
    { left: right, top, right, bottom },
  ];
}

/** `area`: signed, of the polygon through the end points of its segments. */
type Subpath = { x0: number; y0: number; x1: number; y1: number; isBent: boolean; isSlanted: boolean; area: number };
type Point = readonly [x: number, y: number];

/** Twice the signed area of the triangle between a segment and the origin. */
const swept = ([x0, y0]: Point, [x1, y1]: Point) => x0 * y1 - x1 * y0;

/** Count of operands per path step: move, line, curve, quadratic curve, close. */
const lengths = [2, 2, 6, 4, 0];

function subpathsOf(path: Float32Array): readonly Subpath[] {
  const found: Subpath[] = [];
  let [start, last]: [Point, Point] = [
    [0, 0],
    [0, 0],
  ];
  for (let at = 0; at < path.length; ) {
    const step = path[at] ?? 4;
    const count = lengths[step] ?? 0;
    const end: Point = count === 0 ? start : [path[at + count - 1] ?? 0, path[at + count] ?? 0];
    const before = found.at(-1);
    if (step === 0) {
      if (before !== undefined) before.area += swept(last, start) / 2;
      found.push({ x0: Infinity, y0: Infinity, x1: -Infinity, y1: -Infinity, isBent: false, isSlanted: false, area: 0 });
      start = end;
    }
    const current = found.at(-1);
    if (current !== undefined) {
      current.isBent ||= step === 2 || step === 3;
      if (step !== 0) {
        current.isSlanted ||= step === 1 && Math.abs(end[0] - last[0]) > 0.5 && Math.abs(end[1] - last[1]) > 0.5;
        current.area += swept(last, end) / 2;
      }
      last = end;
      for (let place = at + 1; place < at + 1 + count; place += 2) {
        const [x = 0, y = 0] = [path[place], path[place + 1]];
        [current.x0, current.x1] = [Math.min(current.x0, x), Math.max(current.x1, x)];
        [current.y0, current.y1] = [Math.min(current.y0, y), Math.max(current.y1, y)];
      }
    }
    at += 1 + count;
  }
  const open = found.at(-1);
  if (open !== undefined) open.area += swept(last, start) / 2;
  return found.filter(({ x0, x1 }) => x1 >= x0);
}
