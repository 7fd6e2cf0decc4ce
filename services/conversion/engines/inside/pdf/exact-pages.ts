/** Pages as they look, for Word: another program draws everything but the text, whole pages at a time. */
import type { Ask, Notes } from "../exchange.ts";
import type { PageContent } from "./content.ts";
import { placesOf } from "./drawn-figures.ts";
import type { Said } from "./read.ts";
import type { Backdrop } from "./word/exact.ts";

const usualDpi = 150;
const mostPixels = 9_000_000;
const pointsPerInch = 72;
/** Share of the page: larger pictures are photographs or scans. */
const partOfPhoto = 0.1;

type Drawn = { readonly page: number; readonly type: "png" | "jpg"; readonly data: string };

export async function exactly(
  pages: readonly PageContent[],
  said: Said,
  { notes, ask }: { readonly notes: Notes; readonly ask: Ask },
): Promise<Uint8Array> {
  const wanted = pages.filter(({ showsMore }) => showsMore);
  const drawn: readonly Drawn[] = wanted.length === 0 ? [] : JSON.parse(await ask(wanted.map((page) => JSON.stringify(backdropOf(page)))));
  const backdrops = drawn.map(({ data, ...each }): Backdrop => ({ ...each, data: Buffer.from(data, "base64") }));
  const missing = wanted.map(({ number }) => number).filter((number) => !backdrops.some(({ page }) => page === number));
  if (missing.length > 0) notes.set("DRAWINGS_LEFT_OUT", `Pictures and drawings of these pages were left out: ${placesOf(missing)}.`);
  if (wanted.length === 0 && pages.every(({ runs }) => runs.every(({ text }) => text.trim() === ""))) notes.set("PAGES_EMPTY", undefined);
  return (await import("./word/exact.ts")).exactOf(pages, backdrops, said);
}

/** In the host's format. */
function backdropOf({ number, width, height, pictures, isScanned, isTextHidden }: PageContent) {
  const inches = (width / pointsPerInch) * (height / pointsPerInch);
  const dpi = Math.max(1, Math.floor(Math.min(usualDpi, Math.sqrt(mostPixels / inches))));
  const covered = pictures.reduce((sum, { box }) => sum + (box.right - box.left) * (box.bottom - box.top), 0);
  const isPhoto = isScanned || isTextHidden || covered > width * height * partOfPhoto;
  return { page: number, withoutText: { type: isPhoto ? "jpg" : "png", dpi } };
}
