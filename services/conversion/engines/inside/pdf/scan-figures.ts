/** Cuts the illustrations and charts out of the picture of a scanned page, whose text was recognised. */
import type { Box, Run } from "./content.ts";
import { bytesOfRow, type Pixels } from "./png.ts";

/** In points. */
const cellSide = 4;
const leastSide = 40;
const mostCells = 250;
/** Share of the page's area. */
const leastPart = 0.015;
/** Share of the page on each side, where scanners leave shadows. */
const edge = 0.02;
const mostFigures = 8;
/** Of 255: a larger difference from the paper's colour is ink. */
const otherColour = 56;
/** Share of a cell's pixels. */
const inked = 0.04;
/** Pixels sampled in each direction of a cell. */
const samples = 8;
const margin = 3;

export type CutOut = { readonly box: Box; readonly pixels: Pixels };

/** The figures of a page, from the top. `runs`: the recognised text. */
export function cutOutsOf(pixels: Pixels, box: Box, runs: readonly Run[]): CutOut[] {
  const read = readerOf(pixels);
  const [width, height] = [box.right - box.left, box.bottom - box.top];
  if (read === undefined || !(width > leastSide && height > leastSide)) return [];
  const side = Math.max(cellSide, width / mostCells, height / mostCells);
  const [columns, rows] = [Math.floor(width / side), Math.floor(height / side)];
  const grid = inkOf({ pixels, read, columns, rows });
  const cells = { columns, rows, side, box };
  const words = runs.filter(({ text }) => text.trim() !== "");
  // On a crooked page, the recognised text does not cover its ink, and the remaining ink would be taken for figures.
  if (words.length > mostWords) return [];
  const isCrooked = words.filter((run) => isOnInk(grid, cells, run)).length < words.length * mostOnInk;
  if (isCrooked && words.length >= wordsOfPage) return [];
  for (const run of words) clear(grid, cells, run);
  return groupsOf(grid, columns, rows)
    .map(({ left, right, top, bottom }) => ({
      left: Math.max(box.left, box.left + left * side - margin),
      right: Math.min(box.right, box.left + (right + 1) * side + margin),
      top: Math.max(box.top, box.top + top * side - margin),
      bottom: Math.min(box.bottom, box.top + (bottom + 1) * side + margin),
    }))
    .filter((part) => isLarge(part) && areaOf(part) > width * height * leastPart)
    .slice(0, mostFigures)
    .map((part) => cut(pixels, box, part));
}

const areaOf = ({ left, right, top, bottom }: Box) => (right - left) * (bottom - top);
const isLarge = ({ left, right, top, bottom }: Box) => right - left > leastSide && bottom - top > leastSide;

/** A colour as 0xRRGGBB. */
type Read = (x: number, y: number) => number;

/** By pdf.js's pixel kind: 1-bit grey, RGB, RGBA. Undefined if there is less data than declared. */
function readerOf({ width, height, kind, data }: Pixels): Read | undefined {
  const row = bytesOfRow(width, kind);
  if (row === undefined || data.length < row * height) return undefined;
  if (kind === 1) return (x, y) => ((((data[y * row + (x >> 3)] ?? 0) >> (7 - (x & 7))) & 1) === 1 ? 0xffffff : 0);
  const step = row / width;
  return (x, y) => {
    const at = y * row + x * step;
    return ((data[at] ?? 0) << 16) | ((data[at + 1] ?? 0) << 8) | (data[at + 2] ?? 0);
  };
}

type Sampled = { readonly pixels: Pixels; readonly read: Read; readonly columns: number; readonly rows: number };

/** For each cell, 1 if part of it differs in colour from most of the page. */
function inkOf({ pixels, read, columns, rows }: Sampled): Uint8Array {
  const placesOf = (cells: number, pixelsAcross: number) =>
    Array.from({ length: cells * samples }, (_, at) =>
      Math.min(pixelsAcross - 1, Math.floor(((at + 0.5) / samples / cells) * pixelsAcross)),
    );
  const [xs, ys] = [placesOf(columns, pixels.width), placesOf(rows, pixels.height)];
  const paper = paperOf(xs, ys, read);
  const grid = new Uint8Array(columns * rows);
  const [across, down] = [columns * edge, rows * edge];
  for (let row = Math.ceil(down); row < rows - down; row++)
    for (let column = Math.ceil(across); column < columns - across; column++) {
      let others = 0;
      for (let y = row * samples; y < (row + 1) * samples; y++)
        for (let x = column * samples; x < (column + 1) * samples; x++) if (isOther(read(xs[x] ?? 0, ys[y] ?? 0), paper)) others += 1;
      if (others >= samples * samples * inked) grid[row * columns + column] = 1;
    }
  return grid;
}

const channels = [16, 8, 0] as const;

function isOther(colour: number, paper: number): boolean {
  return channels.some((shift) => Math.abs(((colour >> shift) & 0xff) - ((paper >> shift) & 0xff)) > otherColour);
}

/** The median of each channel, sampled once per cell. */
function paperOf(xs: readonly number[], ys: readonly number[], read: Read): number {
  const one = (places: readonly number[]) => places.filter((_, index) => index % samples === 0);
  const colours = one(ys).flatMap((y) => one(xs).map((x) => read(x, y)));
  const medians = channels.map(
    (shift) => Uint8Array.from(colours, (colour) => (colour >> shift) & 0xff).sort()[colours.length >> 1] ?? 0xff,
  );
  return medians.reduce((paper, median) => (paper << 8) | median, 0);
}

type Cells = { readonly columns: number; readonly rows: number; readonly side: number; readonly box: Box };

/** The cells from a height above the baseline to one below it, in ems. */
function cellsOf({ columns, rows, side, box }: Cells, { x, width, baseline, size }: Run, above: number, below: number) {
  const cellAt = (place: number, start: number, most: number) => Math.min(most, Math.max(0, Math.floor((place - start) / side)));
  return {
    left: cellAt(x, box.left, columns - 1),
    right: cellAt(x + width, box.left, columns - 1),
    top: cellAt(baseline - size * above, box.top, rows - 1),
    bottom: cellAt(baseline + size * below, box.top, rows - 1),
  };
}

/** More than a newspaper has on a page. */
const mostWords = 20_000;
/** With fewer words a page does not count as crooked: its other ink is not text. */
const wordsOfPage = 40;
/** Shares of the runs, and of the columns of a run. */
const mostOnInk = 0.75;
const fewestOnInk = 0.7;

/** Whether there is ink at the height of lowercase letters. */
function isOnInk(grid: Uint8Array, cells: Cells, run: Run): boolean {
  const { left, right, top, bottom } = cellsOf(cells, run, 0.35, -0.1);
  let found = 0;
  for (let column = left; column <= right; column++)
    for (let row = top; row <= bottom; row++)
      if (grid[row * cells.columns + column] === 1) {
        found += 1;
        break;
      }
  return found >= (right - left + 1) * fewestOnInk;
}

/** Erases a run and a little around it. */
function clear(grid: Uint8Array, cells: Cells, run: Run): void {
  const { left, right, top, bottom } = cellsOf(cells, run, 1.2, 0.6);
  for (let row = top; row <= bottom; row++) grid.fill(0, row * cells.columns + Math.max(0, left - 1), row * cells.columns + right + 2);
}

/** Bounds of groups of cells that touch, directly or across one empty cell, except lines and specks. */
function groupsOf(grid: Uint8Array, columns: number, rows: number): Box[] {
  const groups: Box[] = [];
  for (let start = 0; start < grid.length; start++) {
    if (grid[start] !== 1) continue;
    const bounds = { left: columns, right: 0, top: rows, bottom: 0 };
    const open = [start];
    grid[start] = 2;
    let count = 0;
    for (let cell = open.pop(); cell !== undefined; cell = open.pop()) {
      count += 1;
      const [x, y] = [cell % columns, Math.floor(cell / columns)];
      bounds.left = Math.min(bounds.left, x);
      bounds.right = Math.max(bounds.right, x);
      bounds.top = Math.min(bounds.top, y);
      bounds.bottom = Math.max(bounds.bottom, y);
      for (let row = Math.max(0, y - reach); row <= Math.min(rows - 1, y + reach); row++)
        for (let column = Math.max(0, x - reach); column <= Math.min(columns - 1, x + reach); column++)
          if (grid[row * columns + column] === 1) {
            grid[row * columns + column] = 2;
            open.push(row * columns + column);
          }
    }
    if (count >= fewestCells) groups.push(bounds);
  }
  return groups;
}

const reach = 2;
const fewestCells = 40;

function cut(pixels: Pixels, box: Box, part: Box): CutOut {
  const { width, height, kind, data } = pixels;
  const [scaleX, scaleY] = [width / (box.right - box.left), height / (box.bottom - box.top)];
  // Rows of 1-bit pixels begin at a byte.
  const left = Math.floor(((part.left - box.left) * scaleX) / 8) * 8;
  const top = Math.floor((part.top - box.top) * scaleY);
  const own = {
    width: Math.min(width - left, Math.ceil((part.right - box.left) * scaleX) - left),
    height: Math.min(height - top, Math.ceil((part.bottom - box.top) * scaleY) - top),
  };
  const [row, ownRow] = [bytesOfRow(width, kind) ?? 0, bytesOfRow(own.width, kind) ?? 0];
  const start = bytesOfRow(left, kind) ?? 0;
  const copy = new Uint8Array(ownRow * own.height);
  for (let y = 0; y < own.height; y++) copy.set(data.subarray((top + y) * row + start, (top + y) * row + start + ownRow), y * ownRow);
  return { box: part, pixels: { ...own, kind, data: copy } };
}
