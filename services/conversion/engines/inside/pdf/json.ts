/** A document as JSON, with the page and box of each block (see document.schema.json), or its tables alone. */
import type { Notes } from "../exchange.ts";
import type { Box, PageContent } from "./content.ts";
import { type Place, placeOf } from "./placed.ts";
import type { Said } from "./read.ts";
import type { Block, Cell, Inline } from "./tree.ts";

export function documentOf(blocks: readonly Block[], pages: readonly PageContent[], said: Said, notes: Notes): string {
  if (blocks.some(holdsPicture)) notes.set("IMAGES_REMOVED", "For pictures, only positions and descriptions are given.");
  return written({
    ...said,
    pages: pages.map(({ number, width, height }) => ({ page: number, width: rounded(width), height: rounded(height) })),
    blocks: blocks.map(blockOf),
  });
}

/** `tables` with the text of their cells, one list per row. */
export function tablesAsJson(
  tables: readonly { readonly place: Place | undefined; readonly rows: readonly (readonly string[])[] }[],
): string {
  return written({ tables: tables.map(({ place, rows }) => ({ ...placed(place), rows })) });
}

const written = (value: unknown) => `${JSON.stringify(value, undefined, 1)}\n`;

const holdsPicture = (block: Block): boolean =>
  block.kind === "picture" ||
  ("blocks" in block && block.blocks.some(holdsPicture)) ||
  ("items" in block && block.items.some((item) => item.blocks.some(holdsPicture)));

/** Hundredths of a point are more precise than anybody can see. */
const rounded = (points: number) => Math.round(points * 100) / 100;

function placed(place: (Box & { readonly page: number }) | undefined) {
  if (place === undefined) return {};
  return { page: place.page, box: [place.left, place.top, place.right, place.bottom].map(rounded) };
}

function blockOf(block: Block): object {
  const where = placed(placeOf(block));
  switch (block.kind) {
    case "heading":
      return { type: "heading", level: block.level, ...where, text: block.inlines.map(inlineOf) };
    case "paragraph":
      return { type: "paragraph", ...where, text: block.inlines.map(inlineOf) };
    case "code":
      return { type: "code", ...where, code: block.text };
    case "quote":
      return { type: "quote", ...where, blocks: block.blocks.map(blockOf) };
    case "list":
      return {
        type: "list",
        ...where,
        ...(block.start === undefined ? {} : { start: block.start }),
        items: block.items.map(({ blocks }) => blocks.map(blockOf)),
      };
    case "table":
      return { type: "table", ...where, rows: block.rows.map((row) => row.map(cellOf)) };
    case "picture":
      return { type: "picture", ...where, ...(block.alt === "" ? {} : { description: block.alt }) };
  }
}

function cellOf({ isHead, columns = 1, blocks }: Cell): object {
  return { ...(isHead ? { head: true } : {}), ...(columns > 1 ? { columns } : {}), blocks: blocks.map(blockOf) };
}

function inlineOf({ text, isBold, isItalic, isCode, isRaised, href, note }: Inline): object {
  if (note !== undefined) return { text, note: note.blocks.map(blockOf) };
  return {
    text,
    ...(isBold === true ? { bold: true } : {}),
    ...(isItalic === true ? { italic: true } : {}),
    ...(isCode === true ? { code: true } : {}),
    ...(isRaised === true ? { raised: true } : {}),
    ...(href === undefined ? {} : { link: href }),
  };
}
