/** Where each word of a page starts and its colour, which pdf.js does not report with the text. */
import type { Run } from "./content.ts";
import { type Matrix, multiply, type OperatorList, type OperatorNumbers } from "./drawings.ts";
import { rightToLeft } from "./reading-order.ts";
import { letterAt, partOf } from "./run-parts.ts";

/** A word with the space after it, on a baseline. `letter`: its first glyph. `natural`: its width without letter spacing. */
export type Ink = {
  readonly x: number;
  readonly y: number;
  readonly colour: string;
  readonly letter: string;
  natural: number;
  end: number;
  hasSpace: boolean;
};

const black = "#000000";
const identity: Matrix = [1, 0, 0, 1, 0, 0];
const mostInks = 200_000;

/** @see ISO 32000-1, 9.3 */
type State = {
  matrix: Matrix;
  colour: string;
  size: number;
  letterSpace: number;
  wordSpace: number;
  stretch: number;
  leading: number;
};
type Glyph = { readonly width?: number; readonly isSpace?: boolean; readonly unicode?: string };

/** In painting order. In points from the page's top left corner. */
export function inksOf(list: OperatorList, ops: OperatorNumbers, page: Matrix): Ink[] {
  const inks: Ink[] = [];
  const stack: State[] = [];
  let state: State = { matrix: page, colour: black, size: 0, letterSpace: 0, wordSpace: 0, stretch: 1, leading: 0 };
  let [line, at]: [Matrix, Matrix] = [identity, identity];
  const put = (matrix: Matrix) => {
    line = matrix;
    at = matrix;
  };
  const move = (x: number, y: number) => put(multiply(line, [1, 0, 0, 1, x, y]));
  const close = () => {
    state = stack.pop() ?? state;
  };
  const number = (value: unknown) => (typeof value === "number" ? value : 0);
  const open = (inner: unknown) => {
    stack.push({ ...state });
    if (Array.isArray(inner)) state.matrix = multiply(state.matrix, inner);
  };
  const set =
    (name: "size" | "letterSpace" | "wordSpace" | "stretch" | "leading") =>
    ([value]: readonly unknown[]) => {
      state[name] = number(value);
    };
  const actions: Readonly<Record<string, (args: readonly unknown[]) => void>> = {
    save: () => open(undefined),
    restore: close,
    transform: (args) => {
      state.matrix = multiply(state.matrix, args as number[]);
    },
    paintFormXObjectBegin: ([inner]) => open(inner),
    paintFormXObjectEnd: close,
    setFillRGBColor: ([colour]) => {
      state.colour = typeof colour === "string" ? colour : black;
    },
    setFillColorN: () => {
      state.colour = black;
    },
    setFont: ([, size]) => set("size")([size]),
    setCharSpacing: set("letterSpace"),
    setWordSpacing: set("wordSpace"),
    setHScale: set("stretch"),
    setLeading: set("leading"),
    setLeadingMoveText: ([x, y]) => {
      state.leading = -number(y);
      move(number(x), number(y));
    },
    beginText: () => put(identity),
    setTextMatrix: ([matrix]) => put(Array.from(matrix as ArrayLike<number>) as unknown as Matrix),
    moveText: ([x, y]) => move(number(x), number(y)),
    nextLine: () => move(0, state.leading),
    showText: ([glyphs]) => {
      at = shownAt(inks, Array.isArray(glyphs) ? glyphs : [], at, state);
    },
  };
  const byNumber = new Map(Object.entries(actions).map(([name, action]) => [ops[name], action]));
  for (const [index, operator] of list.fnArray.entries()) byNumber.get(operator)?.((list.argsArray[index] ?? []) as readonly unknown[]);
  return inks;
}

/** In ems: a wider gap is a space between words, as in pdf.js. */
const wordGap = 0.15;

/**
 * Records the glyphs and returns the position of the next one. Numbers are gaps
 * in thousandths of the size. Some programs paint each character separately.
 */
function shownAt(inks: Ink[], glyphs: readonly (Glyph | number | null)[], from: Matrix, state: State): Matrix {
  const { matrix, colour, size, letterSpace, wordSpace, stretch } = state;
  let at = from;
  for (const glyph of glyphs) {
    if (glyph === null) continue;
    const isGap = typeof glyph === "number";
    const width = isGap ? (-glyph * size) / 1000 : ((glyph.width ?? 0) * size) / 1000;
    if (!isGap) {
      const [a, b, , , x, y] = multiply(matrix, at);
      const scale = Math.hypot(a, b);
      const isSpace = glyph.isSpace === true || glyph.unicode === " " || glyph.unicode === "\u00a0";
      const last = inks.at(-1);
      const follows = last !== undefined && !last.hasSpace && last.y === y && Math.abs(x - last.end) < wordGap * size * scale;
      if (follows && (isSpace || last.colour === colour)) {
        last.natural += width * stretch * scale;
        last.end = x + width * stretch * scale;
        last.hasSpace = isSpace;
      } else if (!isSpace && inks.length < mostInks)
        inks.push({
          ...{ x, y, colour, letter: glyph.unicode ?? "" },
          ...{ natural: width * stretch * scale, end: x + width * stretch * scale, hasSpace: false },
        });
    }
    const more = isGap ? 0 : letterSpace + (glyph.isSpace === true ? wordSpace : 0);
    at = multiply(at, [1, 0, 0, 1, (width + more) * stretch, 0]);
  }
  return at;
}

/** Points by which glyph and run positions may differ. */
const near = 1;

/** In ems, if no font defines the width of a space. */
const usualSpace = 0.25;

/** Splits runs into words where those are known, otherwise where the colour changes. */
export function inked(runs: readonly Run[], inks: readonly Ink[]): Run[] {
  const rows = Map.groupBy(inks, ({ y }) => Math.round(y));
  return runs.flatMap((run) => {
    const row = [-1, 0, 1]
      .flatMap((step) => rows.get(Math.round(run.baseline) + step) ?? [])
      .filter(({ x, y }) => Math.abs(y - run.baseline) < near && x < run.x + Math.max(run.width, near))
      .sort((one, other) => one.x - other.x);
    const before = row.findLast(({ x }) => x <= run.x + near) ?? row[0];
    const within = row.filter(({ x }) => x > run.x - near);
    return run.width === 0 ? [{ ...run, colour: before?.colour ?? black }] : (byWords(run, within) ?? byColours(run, before, within));
  });
}

function byWords(run: Run, inks: readonly Ink[]): Run[] | undefined {
  const words = run.text.match(/\S+\s?/g) ?? [];
  if (words.length === 0 || words.length !== inks.length || words.join("") !== run.text || rightToLeft.test(run.text)) return undefined;
  return inks.map(({ x, colour, natural, hasSpace }, index): Run => {
    const text = words[index] ?? "";
    const end = inks[index + 1]?.x ?? run.x + run.width;
    const space = /\s$/.test(text) && !hasSpace ? usualSpace * run.size : 0;
    return { ...run, text, x, width: end - x, colour, natural: natural + space, endsLine: run.endsLine && index === inks.length - 1 };
  });
}

function byColours(run: Run, before: Ink | undefined, within: readonly Ink[]): Run[] {
  const parts: { from: number; colour: string }[] = [{ from: 0, colour: before?.colour ?? black }];
  for (const { x, colour } of within) if (colour !== parts.at(-1)?.colour) parts.push({ from: letterAt(run, x), colour });
  return parts.flatMap(({ from, colour }, index) => {
    const to = parts[index + 1]?.from ?? run.text.length;
    return to <= from && run.text !== "" ? [] : [{ ...(parts.length === 1 ? run : partOf(run, from, to)), colour }];
  });
}
