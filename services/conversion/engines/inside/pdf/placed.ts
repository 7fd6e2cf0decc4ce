/** Positions of blocks, including nested ones. */
import type { Box, Picture, Run } from "./content.ts";
import { type Block, innerOf, type Setting } from "./tree.ts";

export type Place = Box & { readonly page: number };

/** The page and box of a block, on its first page. */
export function placeOf(block: Block): Place | undefined {
  if (block.kind === "picture") return { ...block.picture.box, page: block.page };
  if ("at" in block) return block.at;
  const inner = innerOf(block).flatMap((each) => placeOf(each) ?? []);
  const page = Math.min(...inner.map((place) => place.page));
  const first = inner.filter((place) => place.page === page);
  return first.length === 0 ? undefined : { ...boundsOf(first), page };
}

/** Settings of all text blocks, however deeply nested. */
export function settingsIn(blocks: readonly Block[]): Setting[] {
  return blocks.flatMap((block) => ("at" in block ? (block.at ?? []) : settingsIn(innerOf(block))));
}

export function boundsOf(boxes: readonly Box[]): Box {
  const bounds = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (const { left, top, right, bottom } of boxes) {
    bounds.left = Math.min(bounds.left, left);
    bounds.top = Math.min(bounds.top, top);
    bounds.right = Math.max(bounds.right, right);
    bounds.bottom = Math.max(bounds.bottom, bottom);
  }
  return bounds;
}

/** Whether the middle of a text lies within a box. */
export function holdsRun({ left, right, top, bottom }: Box, { x, width, baseline, size }: Run): boolean {
  const [middle, height] = [x + width / 2, baseline - size * 0.3];
  return middle > left && middle < right && height > top - 1 && height < bottom + 1;
}

/** Inserts each picture after the last block above it. */
export function withPictures(blocks: readonly Block[], pictures: readonly Picture[], page: number): Block[] {
  const all = [...blocks];
  for (const picture of pictures.toSorted((one, other) => one.box.top - other.box.top)) {
    const { left, right, top, bottom } = picture.box;
    const last = all.findLastIndex((block) => {
      const place = placeOf(block);
      return place !== undefined && place.left < right && place.right > left && place.bottom < (top + bottom) / 2;
    });
    all.splice(last + 1, 0, { kind: "picture", picture, alt: "", page });
  }
  return all;
}
