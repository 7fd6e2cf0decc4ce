/** A document as blocks, whatever it was read from. */
import type { Box, Picture } from "./content.ts";

/** Position and formatting of a block, needed to reproduce its look. */
export type Setting = Box & {
  readonly page: number;
  readonly size: number;
  readonly font: string | undefined;
  readonly isBold: boolean;
  readonly lines: readonly SetLine[];
};

export type SetLine = { readonly left: number; readonly right: number; readonly baseline: number };

export type Inline = {
  readonly text: string;
  readonly isBold?: boolean;
  readonly isItalic?: boolean;
  readonly isCode?: boolean;
  readonly isRaised?: boolean;
  readonly href?: string | undefined;
  /** If different from most of the block. */
  readonly size?: number;
  /** A link to another place in the document. */
  readonly leadsWithin?: boolean;
  /** The link it belongs to: two adjacent links may have the same address. */
  readonly link?: string | undefined;
  /** A footnote referenced here; the text is empty. */
  readonly note?: Note;
};

/** `label`: its mark on the page. */
export type Note = { readonly label: string; readonly blocks: readonly Block[] };

export type Cell = { readonly isHead: boolean; readonly blocks: Block[]; readonly columns?: number };

export type Block =
  | { readonly kind: "heading"; readonly level: number; readonly inlines: readonly Inline[]; readonly at?: Setting | undefined }
  | {
      readonly kind: "paragraph";
      readonly inlines: readonly Inline[];
      readonly at?: Setting | undefined;
      /** Tagged as a footnote. */
      readonly isNote?: boolean;
    }
  | { readonly kind: "code"; readonly text: string; readonly at?: Setting | undefined }
  | { readonly kind: "quote"; readonly blocks: Block[] }
  | { readonly kind: "list"; readonly start: number | undefined; readonly items: ListItem[] }
  | { readonly kind: "table"; readonly rows: Cell[][]; readonly lines?: DrawnLines | undefined }
  | { readonly kind: "picture"; readonly picture: Picture; readonly page: number; readonly alt: string };

/** Around all cells, or only below rows. */
export type DrawnLines = "all" | "across";

/** An item without a label continues the last one of the page before. */
export type ListItem = { readonly blocks: Block[]; readonly isContinued: boolean };

export function textOf(inlines: readonly Inline[]): string {
  return inlines.map(({ text }) => text).join("");
}

/** All text of a block. */
export function shownBy(block: Block): string {
  if ("inlines" in block) return textOf(block.inlines);
  if (block.kind === "code") return block.text;
  return innerOf(block).map(shownBy).join(" ");
}

export function innerOf(block: Block): readonly Block[] {
  if (block.kind === "list") return block.items.flatMap(({ blocks }) => blocks);
  if (block.kind === "table") return block.rows.flat().flatMap(({ blocks }) => blocks);
  return block.kind === "quote" ? block.blocks : [];
}

const mark = /^\s*[[(]?(\d{1,3}|[*†‡§¶]{1,3}|[a-z])[\])]?\s*$/u;

/** The number or symbol of a raised mark. */
export const markOfNote = (text: string): string | undefined => (text.length > 12 ? undefined : mark.exec(text)?.[1]);

/** Whether it may be the mark of a footnote. */
export const isMarkOfNote = ({ isRaised, href, text }: Inline): boolean =>
  isRaised === true && href === undefined && markOfNote(text) !== undefined;

/** Drops the first characters. */
export function withoutLetters(inlines: readonly Inline[], count: number): Inline[] {
  let left = count;
  return inlines.flatMap((inline) => {
    const cut = Math.min(left, inline.text.length);
    left -= cut;
    return cut === inline.text.length ? [] : [{ ...inline, text: inline.text.slice(cut) }];
  });
}
