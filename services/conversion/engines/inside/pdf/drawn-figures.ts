/** Renders the drawings of pages as pictures: selects those that another program draws, and adds the results to the pages. */
import type { Ask, Notes } from "../exchange.ts";
import type { Box, Figure, PageContent } from "./content.ts";

/** A figure in the same place on at least this many pages is an ornament and shown only once. */
const fewestAlike = 3;
/** A figure that covers this share of the page and holds most of its text is a background. */
const mostOfPage = 0.6;
const letters = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, "").length;

type Placed = { readonly page: number; readonly box: Box };
type Drawn = Placed & { readonly png: string };

/** Removes figures that repeat on later pages. */
export function withoutRepeated(pages: readonly PageContent[]): readonly PageContent[] {
  const keyOf = ({ box }: Figure) => [box.left, box.top, box.right, box.bottom].map(Math.round).join(" ");
  const first = new Map<string, number>();
  const counts = new Map<string, number>();
  for (const { figures, number } of pages)
    for (const key of figures.map(keyOf)) {
      counts.set(key, (counts.get(key) ?? 0) + 1);
      if (!first.has(key)) first.set(key, number);
    }
  return pages.map((page) => ({
    ...page,
    figures: page.figures.filter((figure) => (counts.get(keyOf(figure)) ?? 0) < fewestAlike || first.get(keyOf(figure)) === page.number),
  }));
}

/** The figures that another program can draw, on pages that are not turned. */
function placedIn(pages: readonly PageContent[]): readonly Placed[] {
  return pages.flatMap((page) =>
    page.isUpright ? page.figures.filter((figure) => !isBackground(figure, page)).map(({ box }) => ({ page: page.number, box })) : [],
  );
}

function isBackground({ box }: Figure, { runs, width, height }: PageContent): boolean {
  if ((box.right - box.left) * (box.bottom - box.top) < width * height * mostOfPage) return false;
  const all = runs.reduce((sum, { text }) => sum + letters(text), 0);
  const within = runs.filter(({ x, baseline }) => x > box.left && x < box.right && baseline > box.top && baseline < box.bottom);
  return all > 0 && within.reduce((sum, { text }) => sum + letters(text), 0) > all / 2;
}

/**
 * The pages with pictures of their drawings, which `ask` renders; pages whose drawings are lost are noted. Without `ask` all are left out.
 */
export async function withDrawn(pages: readonly PageContent[], notes: Notes, ask: Ask | undefined): Promise<readonly PageContent[]> {
  const unique = withoutRepeated(pages);
  const placed = placedIn(unique);
  const drawn: readonly Drawn[] =
    ask === undefined || placed.length === 0 ? [] : JSON.parse(await ask(placed.map((each) => JSON.stringify(each))));
  const byPage = Map.groupBy(drawn, ({ page }) => page);
  const left = unique.filter(({ figures, number }) => figures.length > (byPage.get(number)?.length ?? 0)).map(({ number }) => number);
  if (left.length > 0) notes.set("DRAWINGS_LEFT_OUT", `Drawings of these pages were left out: ${placesOf(left)}.`);
  return unique.map((page) => {
    const added = (byPage.get(page.number) ?? []).map(({ box, png }) => ({
      box,
      mark: markAt(box, page),
      png: Buffer.from(png, "base64"),
      isDrawn: true,
    }));
    // Drawings contain the pictures within them.
    const others = page.pictures.filter(({ box }) => !added.some((drawn) => holds(drawn.box, box)));
    return added.length === 0 ? page : { ...page, pictures: [...others, ...added] };
  });
}

/** In points. */
const overhang = 2;

const holds = (outer: Box, { left, right, top, bottom }: Box) =>
  left > outer.left - overhang && right < outer.right + overhang && top > outer.top - overhang && bottom < outer.bottom + overhang;

function markAt({ left, top }: Box, { figures }: PageContent): string | undefined {
  return figures.find(({ box }) => Math.abs(box.left - left) < 1 && Math.abs(box.top - top) < 1)?.mark;
}

export const placesOf = (pages: readonly number[]) =>
  pages.length > 10 ? `${pages.slice(0, 10).join(", ")} and ${pages.length - 10} more` : pages.join(", ");
