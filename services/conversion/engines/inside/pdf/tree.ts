/** A document as blocks, whatever it was read from. */
import type { Box, Picture } from "./content.ts";

/** Where a block stands, and how its letters were set: what a document that is to look alike needs. */
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
  /** Where it is another than most letters of the block have. */
  readonly size?: number;
  /** A link to another place of the document. */
  readonly leadsWithin?: boolean;
  /** Which link it belongs to: two that stand beside each other may lead to one address. */
  readonly link?: string | undefined;
  /** A footnote, whose mark stands here; the text is empty. */
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
      /** Its author's program calls it a footnote. */
      readonly isNote?: boolean;
    }
  | { readonly kind: "code"; readonly text: string; readonly at?: Setting | undefined }
  | { readonly kind: "quote"; readonly blocks: Block[] }
  | { readonly kind: "list"; readonly start: number | undefined; readonly items: ListItem[] }
  | { readonly kind: "table"; readonly rows: Cell[][]; readonly lines?: DrawnLines | undefined }
  | { readonly kind: "picture"; readonly picture: Picture; readonly page: number; readonly alt: string };

/** Around all cells, or below rows alone. */
export type DrawnLines = "all" | "across";

/** An item without a label goes on with the one before it, on the page before. */
export type ListItem = { readonly blocks: Block[]; readonly isContinued: boolean };

export function textOf(inlines: readonly Inline[]): string {
  return inlines.map(({ text }) => text).join("");
}

/** All letters of a block. */
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

/** The number or sign of a raised mark. */
export const markOfNote = (text: string): string | undefined => (text.length > 12 ? undefined : mark.exec(text)?.[1]);

/** What may be the mark of a footnote. */
export const isMarkOfNote = ({ isRaised, href, text }: Inline): boolean =>
  isRaised === true && href === undefined && markOfNote(text) !== undefined;

/** Without the first letters. */
export function withoutLetters(inlines: readonly Inline[], count: number): Inline[] {
  let left = count;
  return inlines.flatMap((inline) => {
    const cut = Math.min(left, inline.text.length);
    left -= cut;
    return cut === inline.text.length ? [] : [{ ...inline, text: inline.text.slice(cut) }];
  });
}
