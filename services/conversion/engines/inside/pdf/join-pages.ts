/** Rejoins what a page break has split. */
import { type Block, type Cell, type Inline, textOf } from "./tree.ts";

export function joinPages(pages: readonly Block[][]): Block[] {
  const all: Block[] = [];
  for (const blocks of pages) {
    const [first, ...rest] = blocks;
    const last = all.at(-1);
    const whole = first === undefined || last === undefined ? undefined : joined(last, first);
    if (whole === undefined) all.push(...blocks);
    else all.splice(-1, 1, whole, ...rest);
  }
  return all;
}

function joined(last: Block, first: Block): Block | undefined {
  if (last.kind === "paragraph" && first.kind === "paragraph" && goesOn(last.inlines, first.inlines))
    return { ...last, inlines: [...last.inlines, { text: " " }, ...first.inlines] };
  if (last.kind === "code" && first.kind === "code") return { ...last, text: `${last.text}\n${first.text}` };
  if (last.kind === "list" && first.kind === "list") return joinedLists(last, first);
  if (last.kind === "table" && first.kind === "table") {
    const rows = joinedRows(last.rows, first.rows);
    return rows === undefined ? undefined : { ...last, rows };
  }
  return undefined;
}

/** A sentence that has not ended, continued by text that does not start one. */
function goesOn(before: readonly Inline[], after: readonly Inline[]): boolean {
  return !/[.!?:;。！？][)"'”’»\]]?\s*$/u.test(textOf(before).slice(-20)) && /^\s*[\p{Ll}\p{N}(,;]/u.test(textOf(after).slice(0, 20));
}

type List = Extract<Block, { kind: "list" }>;

function joinedLists(last: List, first: List): Block | undefined {
  const [head, ...rest] = first.items;
  if (head?.isContinued === true) {
    const items = last.items.slice(0, -1);
    const open = last.items.at(-1);
    if (open === undefined) return undefined;
    return { ...last, items: [...items, { ...open, blocks: joinPages([open.blocks, head.blocks]) }, ...rest] };
  }
  const isNext = (last.start === undefined) === (first.start === undefined) && (first.start ?? 0) !== 1;
  return isNext && (last.start === undefined || first.start === last.start + last.items.length)
    ? { ...last, items: [...last.items, ...first.items] }
    : undefined;
}

/** For JSON comparison: positions are left out. */
const unplaced = (key: string, value: unknown) => (key === "at" ? undefined : value);

/** Head rows that repeat on each page are kept once. */
function joinedRows(last: Cell[][], first: Cell[][]): Cell[][] | undefined {
  const widthOf = (rows: Cell[][]) => rows.reduce((most, { length }) => Math.max(most, length), 0);
  if (widthOf(last) !== widthOf(first)) return undefined;
  const same = (one: Cell[] | undefined, other: Cell[] | undefined) => JSON.stringify(one, unplaced) === JSON.stringify(other, unplaced);
  let repeated = 0;
  while (repeated < first.length && first[repeated]?.every(({ isHead }) => isHead) === true && same(first[repeated], last[repeated]))
    repeated++;
  // Another head starts another table.
  if (repeated === 0 && first[0]?.every(({ isHead }) => isHead) === true) return undefined;
  const rest = first.slice(repeated).map((row) => row.map((cell) => ({ ...cell, isHead: false })));
  return [...last, ...rest];
}
