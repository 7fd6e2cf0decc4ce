/** Vertical text in the same place on most pages, such as printers' and owners' marks: not part of the text. */
import type { PageContent, Run } from "./content.ts";
import { enoughPages } from "./furniture.ts";

export const isTurned = ({ mark, width, text }: Run): boolean => mark !== "artifact" && width === 0 && text.trim() !== "";

export function turnedFurniture(pages: readonly Pick<PageContent, "number" | "runs">[]): ReadonlySet<Run> {
  const turned = pages.flatMap(({ number, runs }) => runs.filter(isTurned).map((run) => ({ number, run })));
  const groups = Map.groupBy(turned, ({ run: { text, x, baseline } }) => `${Math.round(x / 4)} ${Math.round(baseline / 4)} ${text}`);
  const again = [...groups.values()].filter((group) => new Set(group.map(({ number }) => number)).size >= enoughPages(pages.length));
  return new Set(again.flat().map(({ run }) => run));
}
