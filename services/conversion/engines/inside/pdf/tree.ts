/** A document as blocks, whatever it was read from. */
import type { Picture } from "./content.ts";

export type Inline = {
  readonly text: string;
  readonly isBold?: boolean;
  readonly isItalic?: boolean;
  readonly isCode?: boolean;
  readonly isRaised?: boolean;
  readonly href?: string | undefined;
};

export type Cell = { readonly isHead: boolean; readonly blocks: Block[]; readonly columns?: number };

export type Block =
  | { readonly kind: "heading"; readonly level: number; readonly inlines: readonly Inline[] }
  | { readonly kind: "paragraph"; readonly inlines: readonly Inline[] }
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "quote"; readonly blocks: Block[] }
  | { readonly kind: "list"; readonly start: number | undefined; readonly items: ListItem[] }
  | { readonly kind: "table"; readonly rows: Cell[][] }
  | { readonly kind: "picture"; readonly picture: Picture; readonly alt: string };

/** An item without a label goes on with the one before it, on the page before. */
export type ListItem = { readonly blocks: Block[]; readonly isContinued: boolean };

export function textOf(inlines: readonly Inline[]): string {
  return inlines.map(({ text }) => text).join("");
}
