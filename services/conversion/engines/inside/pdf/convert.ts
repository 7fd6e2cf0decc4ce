/** Converts a PDF to HTML with its structure, from its tags if it has them, otherwise from its layout. */
import { type Ask, type Converted, type Notes, noteAlso, type Question } from "../exchange.ts";
import { Failure, inexpressible } from "../failure.ts";
import { pagesWanted } from "../pages-wanted.ts";
import { unseenForm } from "../unseen-form.ts";
import type { PageContent, Run } from "./content.ts";
import { placesOf, withDrawn } from "./drawn-figures.ts";
import { exactly } from "./exact-pages.ts";
import { withEndnotes, withFootnotes } from "./footnotes.ts";
import { lettersOf } from "./furniture.ts";
import { htmlOf } from "./html.ts";
import { type Vocabulary, vocabularyOf } from "./inlines.ts";
import { joinPages } from "./join-pages.ts";
import { documentOf } from "./json.ts";
import { blocksOfLayout } from "./layout.ts";
import { type Bookmark, levelledBy } from "./outline.ts";
import { withPictures } from "./placed.ts";
import { readPdf } from "./read.ts";
import { blocksOfTagged, untoldPictures, untoldRuns } from "./tagged.ts";
import type { Block } from "./tree.ts";
import { withoutTypewriter } from "./typewritten.ts";

/** Programs append a little after the end, such as the rest of a message. */
const tailBytes = 4096;

/** Targets that can show the drawings of a page. */
const shows = new Set(["html", "docx"]);

export async function convertPdf(bytes: Buffer, { to, options }: Question, notes: Notes, ask: Ask): Promise<Converted> {
  const {
    said,
    pages: read,
    count,
    bookmarks,
    attachments,
    isUnseenForm,
    damaged,
  } = await readPdf(bytes, pagesWanted(options.pages), { isAsSeen: options.layout === "exact" });
  if (read.length === 0) throw new Failure("INVALID_OPTION", `The PDF has ${count} ${count === 1 ? "page" : "pages"}.`);
  // Without the trailer, the library reconstructs the file from the objects that it finds.
  if (!bytes.toString("latin1", Math.max(0, bytes.length - tailBytes)).includes("startxref")) notes.set("INPUT_DAMAGED", undefined);
  if (damaged.length > 0) notes.set("INPUT_DAMAGED", `These pages are damaged and were left out: ${placesOf(damaged)}.`);
  // Blanks are characters that show nothing; whether a page has nothing else is known only if nothing was recognised.
  const isRead = ({ pictures, figures }: PageContent) => options.ocr === "never" && pictures.length + figures.length === 0;
  const scanned = read.filter((page) => page.isScanned && !isRead(page)).map(({ number }) => number);
  // With OCR disabled, the pages stay pictures.
  if (scanned.length === read.length && options.ocr !== "never") throw inexpressible("No text was found in the pages.");
  noteUnread(scanned, read, notes);
  const isTablesAlone = to === "csv" || to === "xlsx" || options.content === "tables";
  noteLeftOut(isTablesAlone ? [] : read, isTablesAlone ? [] : attachments, isUnseenForm, notes);
  if (options.layout === "exact") return await exactly(read, said, { notes, ask });
  const pages = isTablesAlone ? read : await withDrawn(read, notes, shows.has(to) ? ask : undefined);
  const isTagged = pages.some(({ structure }) => structure !== undefined);
  const words = vocabularyOf(
    pages.flatMap(({ runs }) => runs),
    isTagged,
  );
  const blocks = withEndnotes(joinPages(withFootnotes(blocksOf(pages, bookmarks, { words, notes }))));
  const isShown = blocks.length > 0 || pages.some(({ figures }) => figures.length > 0);
  if (!isShown && !isTablesAlone) notes.set("PAGES_EMPTY", undefined);
  if (to === "html") return htmlOf(blocks, said);
  if (to === "docx") return (await import("./word/document.ts")).wordOf(blocks, pages, said);
  if (to === "json" && options.content !== "tables") return documentOf(blocks, pages, said, notes);
  return (await import("./tables.ts")).writeTables(blocks, to, options, notes);
}

function noteUnread(scanned: readonly number[], read: readonly PageContent[], notes: Notes): void {
  const unreadable = read.filter((page) => page.isUnreadable).map(({ number }) => number);
  const told = [
    ...(scanned.length === 0 ? [] : [`Text in the pictures of these pages was not recognised: ${placesOf(scanned)}.`]),
    ...(unreadable.length === 0
      ? []
      : [`Fonts of these pages do not say which characters they show, so that text is missing or wrong: ${placesOf(unreadable)}.`]),
  ];
  if (told.length > 0) notes.set("TEXT_NOT_RECOGNISED", told.join(" "));
}

function noteLeftOut(read: readonly PageContent[], attachments: readonly string[], isUnseenForm: boolean, notes: Notes): void {
  const commented = read.filter(({ comments }) => comments > 0).map(({ number }) => number);
  const layered = read.filter(({ hasHiddenText }) => hasHiddenText).map(({ number }) => number);
  const told = [
    ...(isUnseenForm ? [unseenForm] : []),
    ...(commented.length === 0 ? [] : [`Comments on these pages were left out: ${placesOf(commented)}.`]),
    ...(layered.length === 0 ? [] : [`Text in hidden layers of these pages was left out: ${placesOf(layered)}.`]),
  ];
  if (told.length > 0) notes.set("TEXT_LEFT_OUT", told.join(" "));
  if (attachments.length > 0)
    notes.set(
      "STRUCTURE_DROPPED",
      `Attached files were left out: ${attachments
        .slice(0, 4)
        .map((name) => name.slice(0, 100))
        .join(", ")}.`,
    );
}

/** If the tags cannot be trusted, neither can their artifacts. */
const undecorated = (page: PageContent): PageContent =>
  page.structure === undefined
    ? page
    : { ...page, runs: page.runs.map((run) => (run.mark === "artifact" && run.width > 0 ? { ...run, mark: undefined } : run)) };

/** Each is searched for in the whole text. */
const mostDecoration = 200;

/** Running heads are decoration to the tags, also if they alone name the sender or the number of a letter. */
function noteDecoration(pages: readonly PageContent[], isTrusted: (page: PageContent, index: number) => boolean, notes: Notes): void {
  const isDecoration = ({ mark, width, text }: Run) => mark === "artifact" && width > 0 && /\p{L}{3}/u.test(text);
  const rest = lettersOf(pages.flatMap(({ runs }) => runs.filter(({ mark }) => mark !== "artifact")));
  const decoration = new Set(pages.filter(isTrusted).flatMap(({ runs }) => runs.filter(isDecoration).map(({ text }) => text.trim())));
  const only = [...decoration].slice(0, mostDecoration).find((text) => !rest.includes(lettersOf([{ text }])));
  if (only !== undefined)
    noteAlso(notes, "ENTRIES_LEFT_OUT", `Text that the tags call decoration was left out, such as “${only.slice(0, 80)}”.`);
}

/** Uses the tags of pages with complete ones, and the layout of the others. */
function blocksOf(
  pages: readonly PageContent[],
  bookmarks: readonly Bookmark[],
  { words, notes }: { readonly words: Vocabulary; readonly notes: Notes },
): Block[][] {
  const tagged = pages.map((page) => blocksOfTagged(page, words));
  const bare = pages.filter((_, index) => tagged[index] === undefined).map(undecorated);
  const laidOut = levelledBy(bookmarks, blocksOfLayout(withoutTypewriter(bare), words, notes));
  noteDecoration(pages, ({ structure }, index) => structure === undefined || tagged[index] !== undefined, notes);
  return tagged.map((blocks, index) => {
    const page = pages[index];
    if (blocks === undefined || page === undefined) return laidOut.shift() ?? [];
    const untold = untoldRuns(page);
    const all = withPictures(blocks, untoldPictures(page), page.number);
    return untold.length === 0 ? all : [...all, ...blocksOfLayout([{ ...page, runs: untold, pictures: [] }], words, notes).flat()];
  });
}
