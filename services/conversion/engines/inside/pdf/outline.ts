/** Heading levels from a file's bookmarks, which the author's program generated from the headings. */
import { type Block, shownBy } from "./tree.ts";

export type Bookmark = { readonly title: string; readonly level: number };

type Heading = Extract<Block, { kind: "heading" }>;
type OutlineNode = { readonly title?: unknown; readonly items?: unknown };

const maxBookmarks = 20_000;
const maxDepth = 20;
const deepest = 6;

/** As pdf.js returns them. */
export function bookmarksIn(outline: unknown): readonly Bookmark[] {
  const found: Bookmark[] = [];
  const put = (nodes: unknown, level: number): void => {
    for (const { title, items } of Array.isArray(nodes) ? (nodes as readonly OutlineNode[]) : []) {
      if (found.length >= maxBookmarks) return;
      if (typeof title === "string" && keyOf(title) !== "") found.push({ title, level });
      if (level < maxDepth) put(items, level + 1);
    }
  };
  put(outline, 1);
  return found;
}

const keyOf = (text: string) =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");

/** Gives headings, and unique lines that match a bookmark, the bookmarks' levels; other headings follow those that look the same. */
export function levelledBy(bookmarks: readonly Bookmark[], pages: readonly Block[][]): Block[][] {
  if (bookmarks.length === 0) return pages.map((blocks) => [...blocks]);
  const levels = new Map<string, number>();
  for (const { title, level } of bookmarks) if (!levels.has(keyOf(title))) levels.set(keyOf(title), level);
  const keys = new Map(pages.flat().flatMap((block) => (isLine(block) ? [[block, keyOf(shownBy(block))] as const] : [])));
  const times = new Map<string, number>();
  for (const key of keys.values()) times.set(key, (times.get(key) ?? 0) + 1);
  const levelOf = (block: Block): number | undefined => {
    const key = keys.get(block) ?? "";
    return block.kind === "heading" || times.get(key) === 1 ? levels.get(key) : undefined;
  };
  const headings = pages.flat().filter((block): block is Heading => block.kind === "heading");
  const first = headings.find((block) => levelOf(block) !== undefined);
  // A title that no bookmark names ranks above them all.
  const before = headings.slice(0, first === undefined ? 0 : headings.indexOf(first));
  const below = before.some(({ level }) => level < (first?.level ?? 0)) ? 1 : 0;
  const alike = levelsAlike(headings, levelOf);
  const set = (block: Block): Block => {
    const level = levelOf(block);
    if (level !== undefined && "inlines" in block)
      return { kind: "heading", level: Math.min(deepest, level + below), inlines: block.inlines, at: block.at };
    if (block.kind !== "heading" || before.includes(block)) return block;
    return { ...block, level: Math.min(deepest, (alike.get(block.level) ?? block.level - below) + below) };
  };
  return pages.map((blocks) => blocks.map(set));
}

const isLine = (block: Block): boolean => block.kind === "heading" || (block.kind === "paragraph" && shownBy(block).length < 200);

/** The bookmark level of most headings with the same look. */
function levelsAlike(headings: readonly Heading[], levelOf: (block: Block) => number | undefined): ReadonlyMap<number, number> {
  const told = headings.flatMap((heading) => {
    const level = levelOf(heading);
    return level === undefined ? [] : [{ look: heading.level, level }];
  });
  return new Map(
    [...Map.groupBy(told, ({ look }) => look)].map(([look, all]) => {
      const counts = [...Map.groupBy(all, ({ level }) => level)].sort(([, one], [, other]) => other.length - one.length);
      return [look, counts[0]?.[0] ?? look];
    }),
  );
}
