/** Finds charts, diagrams and other vector drawings of a page. Lines and backgrounds do not count. */
import type { Box, Figure, Run } from "./content.ts";
import type { Drawings, Shape } from "./drawings.ts";
import { boundsOf } from "./placed.ts";
import { gridsOf } from "./ruled-tables.ts";

type Page = { readonly width: number; readonly height: number; readonly runs: readonly Run[] } & Pick<Drawings, "rules" | "shapes">;

/** In points; shapes closer than this form one drawing. */
const near = 12;
/** Drawings are larger in both directions; anything smaller is a mark or an ornament. */
const leastSide = 16;
const leastOfParts = 30;
const leastOfDots = 60;
const fewestParts = 3;
const fewestBars = 3;
const fewestDots = 15;
/** Limits the grid on which neighbours are found. */
const mostCells = 200;
const mostFigures = 20;

export function figuresOf(page: Page): Figure[] {
  const shapes = page.shapes.filter(({ box, mark }) => mark !== "artifact" && isWithin(box, page));
  const texts = page.runs.filter(({ text }) => text.trim() !== "");
  if (texts.length === 0) return allOf(page, shapes);
  if (!shapes.some(({ sort, isFilled }) => sort !== "box" || isFilled)) return [];
  const { grids } = gridsOf(page.rules, page.runs);
  const parts = shapes.filter(
    (shape) => shape.sort !== "box" || (shape.isFilled && !grids.some((grid) => holds(grid, shape.box)) && !isBehind(shape.box, texts)),
  );
  return groupsOf(parts, page)
    .filter(isDrawing)
    .slice(0, mostFigures)
    .map((group) => {
      const box = wholeOf(boundsOf(group.map((shape) => shape.box)), { shapes, rules: page.rules, texts });
      return { box: clamped(box, page), mark: group.find(({ mark }) => mark !== undefined)?.mark };
    });
}

/** On a page without text, everything that is painted counts. */
function allOf(page: Page, shapes: readonly Shape[]): Figure[] {
  const painted = [...shapes.map(({ box }) => box), ...page.rules.filter((box) => isWithin(box, page))];
  return painted.length === 0 ? [] : [{ box: clamped(grown(boundsOf(painted), margin), page), mark: undefined }];
}

const isWithin = ({ left, right, top, bottom }: Box, { width, height }: Page) => right > 0 && left < width && bottom > 0 && top < height;
const clamped = ({ left, right, top, bottom }: Box, { width, height }: Page): Box => ({
  left: Math.max(0, left),
  top: Math.max(0, top),
  right: Math.min(width, right),
  bottom: Math.min(height, bottom),
});
const grown = ({ left, right, top, bottom }: Box, by: number): Box => ({
  left: left - by,
  top: top - by,
  right: right + by,
  bottom: bottom + by,
});
const holds = (outer: Box, inner: Box) =>
  inner.left >= outer.left && inner.right <= outer.right && inner.top >= outer.top && inner.bottom <= outer.bottom;
const meets = (one: Box, other: Box) =>
  one.left < other.right && one.right > other.left && one.top < other.bottom && one.bottom > other.top;

const boxOfRun = ({ x, width, baseline, size }: Run): Box => ({
  left: x,
  right: x + width,
  top: baseline - size,
  bottom: baseline + size * 0.2,
});

/** A box that contains text is a background of it. */
function isBehind(box: Box, texts: readonly Run[]): boolean {
  return texts.some(({ x, width, baseline, size }) => {
    const [middle, height] = [x + width / 2, baseline - size * 0.3];
    return middle > box.left && middle < box.right && height > box.top && height < box.bottom;
  });
}

/** Shapes that are near each other, directly or through others. */
function groupsOf(shapes: readonly Shape[], page: Page): Shape[][] {
  const side = Math.max(near, page.width / mostCells, page.height / mostCells);
  const columns = Math.ceil(page.width / side) + 1;
  const parents = new Map<number, number>();
  const rootOf = (cell: number): number => {
    let root = cell;
    for (let parent = parents.get(root) ?? root; parent !== root; parent = parents.get(root) ?? root) root = parent;
    parents.set(cell, root);
    return root;
  };
  const cellsOf = (box: Box): number[] => {
    const { left, top, right, bottom } = clamped(box, page);
    const cells: number[] = [];
    for (let row = Math.floor(top / side); row <= bottom / side; row++)
      for (let column = Math.floor(left / side); column <= right / side; column++) cells.push(row * columns + column);
    return cells;
  };
  const places = shapes.map(({ box }) => cellsOf(box));
  for (const cells of places) {
    const [first = 0] = cells;
    for (const cell of cells) {
      if (!parents.has(cell)) parents.set(cell, cell);
      parents.set(rootOf(cell), rootOf(first));
    }
  }
  for (const cell of [...parents.keys()])
    for (const next of [cell + 1, cell + columns - 1, cell + columns, cell + columns + 1])
      if (parents.has(next)) parents.set(rootOf(next), rootOf(cell));
  const groups = Map.groupBy(shapes.keys(), (index) => rootOf(places[index]?.[0] ?? 0));
  return [...groups.values()].map((indexes) => indexes.flatMap((index) => shapes[index] ?? []));
}

const widthOf = ({ left, right }: Box) => right - left;
const heightOf = ({ top, bottom }: Box) => bottom - top;
const isLarge = (box: Box, side: number) => widthOf(box) >= side && heightOf(box) >= side;

function isDrawing(group: readonly Shape[]): boolean {
  const bounds = boundsOf(group.map(({ box }) => box));
  const drawn = group.filter(({ sort }) => sort === "drawn");
  const dots = group.filter(({ sort, box }) => sort === "dot" && Math.min(widthOf(box), heightOf(box)) > 2.5);
  if (drawn.some(({ box }) => isLarge(box, leastSide))) return true;
  if (drawn.length >= fewestParts && isLarge(bounds, leastOfParts)) return true;
  return hasBars(group) || (dots.length >= fewestDots && isLarge(bounds, leastOfDots));
}

/** Boxes of different lengths with a common baseline. */
function hasBars(group: readonly Shape[]): boolean {
  const boxes = group.flatMap(({ sort, box }) => (sort === "box" ? [box] : []));
  if (boxes.length < fewestBars) return false;
  const isChart = (startOf: (box: Box) => number, lengthOf: (box: Box) => number) =>
    [...Map.groupBy(boxes, (box) => Math.round(startOf(box))).values()].some(
      (bars) => bars.length >= fewestBars && new Set(bars.map((bar) => Math.round(lengthOf(bar)))).size > 1,
    );
  return isChart(({ bottom }) => bottom, heightOf) || isChart(({ left }) => left, widthOf);
}

/** How far axes, frames and labels extend beyond the drawing, in addition to its own size. */
const reach = 40;
const reachOfLabels = 16;
const longestLabel = 14;
const margin = 3;

function wholeOf(
  core: Box,
  { shapes, rules, texts }: { readonly shapes: readonly Shape[]; readonly rules: readonly Box[]; readonly texts: readonly Run[] },
): Box {
  const others = [...shapes.map(({ box }) => box), ...rules];
  const framed = framedBy(framedBy(core, others), others);
  const beside = grown(framed, reachOfLabels);
  const labels = texts
    .filter(({ text }) => text.trim().length <= longestLabel)
    .map(boxOfRun)
    .filter((box) => holds(beside, box));
  return grown(boundsOf([framed, ...labels]), margin);
}

/** Adds shapes that touch it and are not much larger. */
function framedBy(core: Box, others: readonly Box[]): Box {
  const touching = grown(core, near / 2);
  const [width, height] = [2 * widthOf(core) + reach, 2 * heightOf(core) + reach];
  return boundsOf([core, ...others.filter((box) => meets(grown(box, 0.5), touching) && widthOf(box) < width && heightOf(box) < height)]);
}
