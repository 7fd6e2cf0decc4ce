/** Footnotes: a raised mark in the text, and the note at the foot of its page or at the end of the document. */
import { type Block, type Inline, innerOf, isMarkOfNote, type ListItem, markOfNote, type Note, textOf, withoutLetters } from "./tree.ts";

type Paragraph = Extract<Block, { kind: "paragraph" }>;
/** `block`: the block that contains it. */
type Found = Note & { readonly block: Block };

/** Share of the usual text size: footnotes are set smaller. */
const smallLetters = 0.93;

/** Per page: if both mark and note are found, the note moves from the foot to its mark. */
export function withFootnotes(pages: readonly Block[][]): Block[][] {
  return pages.map((blocks) => {
    const usual = usualSize(blocks);
    const notes = blocks.flatMap((block) => notesIn(block, usual));
    return notes.length === 0 ? blocks : placed(blocks, notes);
  });
}

/** From the last list of the document, if each item links back to its mark. */
export function withEndnotes(blocks: readonly Block[]): Block[] {
  const list = blocks.findLast((block) => block.kind === "list");
  if (list?.kind !== "list" || !list.items.every(leadsBack)) return [...blocks];
  const notes = list.items.map(
    ({ blocks: own }, index): Found => ({ label: String((list.start ?? 1) + index), block: list, blocks: own.map(withoutWayBack) }),
  );
  return placed(blocks, notes);
}

/** Where the back-reference arrows start; browsers add one per mark, numbered from the second on. */
function wayBackIn(text: string): number {
  const start = text.indexOf("↩");
  return start !== -1 && text.slice(start).replace(/↩|\ufe0e|\ufe0f|\d|\s/gu, "") === "" ? start : -1;
}

const leadsBack = ({ blocks }: ListItem) => blocks.some((block) => block.kind === "paragraph" && wayBackIn(textOf(block.inlines)) !== -1);

function withoutWayBack(block: Block): Block {
  if (block.kind !== "paragraph") return block;
  const end = wayBackIn(textOf(block.inlines));
  return end === -1 ? block : { ...block, inlines: trimmed(firstLetters(block.inlines, end)) };
}

function firstLetters(inlines: readonly Inline[], count: number): Inline[] {
  let left = count;
  return inlines.map((inline) => {
    const text = inline.text.slice(0, left);
    left -= text.length;
    return { ...inline, text };
  });
}

/** A tagged note, a paragraph that starts with a raised mark, or one in small print that starts with a number. */
function notesIn(block: Block, usual: number): Found[] {
  if (block.kind === "list") return notesOfList(block, usual);
  if (block.kind !== "paragraph") return [];
  const [first, ...rest] = block.inlines;
  if (first === undefined) return [];
  const label = isMarkOfNote(first) ? markOfNote(first.text) : undefined;
  if (label !== undefined && textOf(rest).trim() !== "") return [{ label, block, blocks: [{ ...block, inlines: trimmed(rest) }] }];
  const [whole = "", plain] = /^[[(]?(\d{1,3}|[*†‡§¶]{1,3})[\])]?\.?(?:\s+|(?<=[*†‡§¶]))/u.exec(textOf(block.inlines).slice(0, 20)) ?? [];
  const isSmall = block.at !== undefined && block.at.size <= usual * smallLetters;
  if (plain === undefined || !(block.isNote === true || isSmall)) return [];
  return [{ label: plain, block, blocks: [{ ...block, inlines: trimmed(withoutLetters(block.inlines, whole.length)) }] }];
}

function notesOfList(list: Extract<Block, { kind: "list" }>, usual: number): Found[] {
  const { start, items } = list;
  const isSmall = ({ blocks: [first] }: ListItem) =>
    first?.kind === "paragraph" && first.at !== undefined && first.at.size <= usual * smallLetters;
  if (start === undefined || !items.every(isSmall)) return [];
  return items.map(({ blocks }, index) => ({ label: String(start + index), block: list, blocks }));
}

function usualSize(blocks: readonly Block[]): number {
  const weights = new Map<number, number>();
  const weigh = (block: Block): void => {
    if (block.kind === "paragraph" && block.at !== undefined)
      weights.set(block.at.size, (weights.get(block.at.size) ?? 0) + textOf(block.inlines).length);
    innerOf(block).forEach(weigh);
  };
  blocks.forEach(weigh);
  return [...weights].sort(([, one], [, other]) => other - one)[0]?.[0] ?? 0;
}

/** Moves each note to its mark; the notes of a list all together, or none. */
function placed(blocks: readonly Block[], notes: readonly Found[]): Block[] {
  const own = new Set(notes.map(({ block }) => block));
  const marks = blocks.filter((block) => !own.has(block)).flatMap(marksIn);
  const found = new Map<Inline, Found>();
  for (const note of notes) {
    const mark = marks.find((inline) => !found.has(inline) && markOfNote(inline.text) === note.label);
    if (mark !== undefined) found.set(mark, note);
  }
  const met = new Set(found.values());
  const isWhole = (block: Block) => notes.every((note) => note.block !== block || met.has(note));
  const taken = new Map([...found].filter(([, { block }]) => isWhole(block)));
  if (taken.size === 0) return [...blocks];
  const away = new Set([...taken.values()].map(({ block }) => block));
  return blocks.filter((block) => !away.has(block)).map((block) => withNotes(block, taken));
}

/** Exponents, such as 10³ and x², do not count. */
function marksIn(block: Block): Inline[] {
  if (!("inlines" in block)) return innerOf(block).flatMap(marksIn);
  const { inlines } = block;
  return inlines.flatMap((inline, index): Inline[] => {
    if (!isMarkOfNote(inline)) return [];
    const before = textOf(inlines.slice(0, index)).slice(-3);
    const isPower = inline.leadsWithin !== true && /\d$|(?:^|[^\p{L}\p{N}])\p{L}$/u.test(before) && /\d/.test(inline.text);
    return isPower ? [] : [inline];
  });
}

function withNotes(block: Block, notes: ReadonlyMap<Inline, Found>): Block {
  if ("inlines" in block)
    return {
      ...block,
      inlines: block.inlines.map((inline) => {
        const note = notes.get(inline);
        return note === undefined ? inline : { text: "", note: { label: note.label, blocks: note.blocks } };
      }),
    };
  if (block.kind === "quote") return { ...block, blocks: block.blocks.map((each) => withNotes(each, notes)) };
  if (block.kind === "list")
    return { ...block, items: block.items.map((item) => ({ ...item, blocks: item.blocks.map((each) => withNotes(each, notes)) })) };
  if (block.kind === "table")
    return {
      ...block,
      rows: block.rows.map((row) => row.map((cell) => ({ ...cell, blocks: cell.blocks.map((each) => withNotes(each, notes)) }))),
    };
  return block;
}

function trimmed(inlines: readonly Inline[]): Paragraph["inlines"] {
  const all = inlines.map((inline) => ({ ...inline }));
  const [first] = all;
  if (first !== undefined) first.text = first.text === "\n" ? "" : first.text.trimStart();
  const inked = all.filter(({ text }) => text !== "");
  const last = inked.at(-1);
  if (last !== undefined) last.text = last.text.trimEnd();
  return inked.filter(({ text }) => text !== "");
}
