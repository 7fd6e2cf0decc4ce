/** Reads a PDF with pdf.js: the content of each page, and the structure that the file declares. Each page is parsed once. */
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { getDocument as GetDocument, PDFDocumentProxy, PDFPageProxy } from "pdfjs-dist";
import { Failure, invalid, tooComplex } from "../failure.ts";
import { type Annotation, commentsIn, leadsWithinOf, linksOf, type PlacedLink, writtenIn } from "./annotations.ts";
import { appearancesOf } from "./appearances.ts";
import type { Box, PageContent, Run, StructureNode } from "./content.ts";
import { drawingsOf, type Matrix, multiply, type OperatorNumbers } from "./drawings.ts";
import { figuresOf } from "./figures.ts";
import { type Face, facesOf, isUnreadable, plainLetters, type Styles } from "./fonts.ts";
import { inked, inksOf } from "./inks.ts";
import { type IsVisible, layersOf, seenRuns } from "./layers.ts";
import { inLogicalOrder } from "./ligatures.ts";
import { type Bookmark, bookmarksIn } from "./outline.ts";
import { withoutCopies } from "./overprinted.ts";
import { picturesOf } from "./pictures.ts";
import { holdsRun } from "./placed.ts";
import { letterAt, partOf } from "./run-parts.ts";
import { inkOf, isScan, lettersIn, partOfScan } from "./scans.ts";

const maxPages = 5_000;
const maxRuns = 2_000_000;
/** Limit for all pictures together. */
const maxPictureBytes = 200_000_000;

/** What the file says about itself; its language as in RFC 3066. */
export type Said = { readonly [Key in "title" | "language" | "author" | "subject" | "keywords"]: string | undefined };

export type PdfContent = {
  readonly said: Said;
  readonly count: number;
  readonly bookmarks: readonly Bookmark[];
  /** Names of attached files. */
  readonly attachments: readonly string[];
  /** It replaces its page in Adobe's programs. */
  readonly isUnseenForm: boolean;
  readonly pages: readonly PageContent[];
  /** Numbers of pages that could not be read. */
  readonly damaged: readonly number[];
};

/** `isAsSeen`: pages are not turned upright, and runs have colours. */
export type Reading = { readonly isAsSeen: boolean };

/** Pages are counted from 1; `wanted` selects those to read. */
export async function readPdf(
  bytes: Uint8Array,
  wanted: (page: number) => boolean,
  reading: Reading = { isAsSeen: false },
): Promise<PdfContent> {
  const { document, ops } = await opened(bytes);
  try {
    if (document.numPages > maxPages) throw tooComplex(`A PDF with more than ${maxPages} pages cannot be read as text.`);
    const pages: PageContent[] = [];
    const damaged: number[] = [];
    const left = { runs: maxRuns, pictureBytes: maxPictureBytes };
    const layers = await document.getOptionalContentConfig();
    // Without hidden layers, nothing has to be looked for.
    const isVisible = [...layers].some(([, group]) => !group.visible) ? (group: unknown) => layers.isVisible(group) : undefined;
    for (let number = 1; number <= document.numPages; number++) {
      if (!wanted(number)) continue;
      try {
        pages.push(await pageOf(await document.getPage(number), ops, { left, reading, isVisible }));
      } catch (error) {
        if (!isDamage(error)) throw error;
        damaged.push(number);
      }
    }
    if (pages.length === 0 && damaged.length > 0) throw unreadable();
    const { info } = await document.getMetadata().catch(() => ({ info: {} }));
    const { Title, Language, Author, Subject, Keywords, IsXFAPresent, IsAcroFormPresent } = info as Readonly<Record<string, unknown>>;
    const [title, language, author, subject, keywords] = [Title, Language, Author, Subject, Keywords].map(saidIn);
    const said = { title, language, author, subject, keywords };
    const bookmarks = bookmarksIn(await document.getOutline().catch(() => undefined));
    const attachments = namesOf(await document.getAttachments().catch(() => undefined));
    const isUnseenForm = IsXFAPresent === true && IsAcroFormPresent !== true;
    return { said, count: document.numPages, bookmarks, attachments, isUnseenForm, pages, damaged };
  } finally {
    await document.loadingTask.destroy();
  }
}

const unreadable = () => invalid("The PDF is damaged and could not be read.");

/** What pdf.js finds wrong with a file, not with itself. */
const isDamage = (error: unknown): boolean =>
  error instanceof Error && "details" in error && /^(?:FormatError|ParserEOFException|XRef\w*Exception): /.test(String(error.details));

const saidIn = (text: unknown) => (typeof text === "string" && text.trim() !== "" ? text.trim() : undefined);

/** Typed as an object by pdf.js, which returns a map. */
const namesOf = (attachments: unknown): string[] => (attachments instanceof Map ? [...attachments.keys()].map(String) : []);

async function opened(data: Uint8Array): Promise<{ document: PDFDocumentProxy; ops: OperatorNumbers }> {
  const { getDocument, OPS } = (await import("pdfjs-dist/legacy/build/pdf.mjs")) as {
    getDocument: typeof GetDocument;
    OPS: OperatorNumbers;
  };
  const root = dirname(createRequire(import.meta.url).resolve("pdfjs-dist/package.json"));
  const folder = (name: string) => `${join(root, name)}/`;
  const asked = getDocument({
    data: new Uint8Array(data),
    ...{ verbosity: 0, disableFontFace: true, useSystemFonts: false, fontExtraProperties: true },
    ...{ standardFontDataUrl: folder("standard_fonts"), cMapUrl: folder("cmaps"), cMapPacked: true, wasmUrl: folder("wasm") },
  });
  try {
    return { document: await asked.promise, ops: OPS };
  } catch (error) {
    if (error instanceof Error && error.name === "PasswordException") {
      throw new Failure("PASSWORD_REQUIRED", "The PDF is protected by a password.");
    }
    throw unreadable();
  }
}

type Left = { runs: number; pictureBytes: number };

type Limits = { readonly left: Left; readonly reading: Reading; readonly isVisible: IsVisible | undefined };

async function pageOf(page: PDFPageProxy, ops: OperatorNumbers, { left, reading: { isAsSeen }, isVisible }: Limits): Promise<PageContent> {
  const viewport = page.getViewport({ scale: 1 });
  const [text, all, structure, annotations] = await Promise.all([
    page.getTextContent({ includeMarkedContent: true }),
    page.getOperatorList(),
    page.getStructTree().catch(() => null),
    page.getAnnotations().catch(() => []),
  ]);
  const upright = viewport.transform as unknown as Matrix;
  const items = inLogicalOrder(text.items as TextItem[], all, ops);
  const layers = isVisible === undefined ? undefined : layersOf(all, ops, isVisible);
  const list = layers?.seen ?? all;
  const { width, height } = viewport;
  const turn = isAsSeen ? { matrix: upright, width, height } : turnOf(items, upright, viewport);
  const drawings = drawingsOf(list, ops, turn.matrix, (id) => `p${page.ref?.num}R_mc${id}`);
  const links = linksOf(annotations as Annotation[], turn.matrix);
  const within = leadsWithinOf(annotations as Annotation[], turn.matrix);
  const given = runsOf(items, turn.matrix, facesOf(page, text.styles as Styles), links);
  const seen = layers === undefined ? given : seenRuns(given, layers, ops, turn.matrix);
  const drawn = withoutCopies(seen).map((run) =>
    isMark(run) && within.some((box) => holdsRun(box, run)) ? { ...run, leadsWithin: true } : run,
  );
  const written = [...drawn, ...writtenIn(annotations as Annotation[], turn.matrix, { drawn, appearances: appearancesOf(list, ops) })];
  const runs = isAsSeen ? inked(written, inksOf(list, ops, turn.matrix)) : written;
  left.runs -= runs.length;
  if (left.runs < 0) throw tooComplex("The PDF contains too much text to convert.");
  const shown = drawings.placed.filter(({ box }) => isOnPage(box, turn));
  // The picture of a page with a hidden text layer shows that same text.
  const isTextHidden = drawings.hiddenLetters > drawings.shownLetters;
  const shareOf = ({ box }: { readonly box: Box }) => ((box.right - box.left) * (box.bottom - box.top)) / (turn.width * turn.height);
  const beside = isTextHidden && isAsSeen ? shown.filter((picture) => shareOf(picture) < partOfScan) : shown;
  const pictures = await picturesOf(page, beside, left, isTextHidden && !isAsSeen ? runs : undefined);
  const shapes = { rules: drawings.rules, shapes: drawings.shapes, runs, width: turn.width, height: turn.height };
  const cover = {
    letters: lettersIn(drawn),
    pictures: shown.reduce((sum, picture) => sum + shareOf(picture), 0),
    text: inkOf(drawn) / (turn.width * turn.height),
  };
  const content = {
    number: page.pageNumber,
    width: turn.width,
    height: turn.height,
    ...{ runs, rules: drawings.rules, dots: drawings.dots, pictures },
    // Recognised text belongs to the drawing.
    figures: isTextHidden ? [] : figuresOf(shapes),
    isUpright: turn.matrix === upright,
    isTextHidden,
    hasHiddenText: seen.length < given.length,
    comments: commentsIn(annotations as Annotation[]),
    showsMore: drawings.isPaintedBeside || annotations.length > 0,
    // A signature on a scan is not the page's text.
    isScanned: drawings.isPainted && (lettersIn(runs) < 1 || (drawings.hiddenLetters === 0 && isScan(cover))),
    isUnreadable: isUnreadable(runs),
    structure: (structure ?? undefined) as StructureNode | undefined,
    links: new Map(links.map(({ id, href }) => [id, href])),
  };
  page.cleanup();
  return content;
}

/** The mark of a footnote. */
const isMark = ({ text }: Run) => text.length < 12 && text.trim() !== "";

/** Browsers also draw content of the next page, outside of this one. */
function isOnPage({ left, top, right, bottom }: Box, { width, height }: Turned): boolean {
  const [seenX, seenY] = [Math.min(right, width) - Math.max(left, 0), Math.min(bottom, height) - Math.max(top, 0)];
  return seenX > 0 && seenY > 0 && seenX * seenY > (right - left) * (bottom - top) * 0.1;
}

/** A tenth of a degree. */
const leastSlope = Math.PI / 1800;

type TextItem = {
  readonly str?: string;
  readonly width: number;
  readonly height: number;
  readonly transform: readonly number[];
  readonly fontName: string;
  readonly hasEOL?: boolean;
  readonly type?: string;
  readonly id?: string | null;
  readonly tag?: string;
};

type Turned = { readonly matrix: Matrix; readonly width: number; readonly height: number };

/** Turns pages that are read sideways without a rotation entry, and deskews crooked scans, following most of the text. */
function turnOf(items: readonly TextItem[], matrix: Matrix, size: { readonly width: number; readonly height: number }): Turned {
  const turned = quarterTurnOf(items, matrix, size);
  const slopes = items.flatMap(({ str = "", transform }) => {
    const [a, b] = multiply(turned.matrix, transform ?? []);
    return str.trim().length > 1 && Math.abs(b) < a * 0.15 ? [Math.atan2(b, a)] : [];
  });
  const slope = slopes.sort((one, other) => one - other)[Math.floor(slopes.length / 2)] ?? 0;
  if (Math.abs(slope) < leastSlope) return turned;
  const [cosine, sine] = [Math.cos(slope), Math.sin(slope)];
  return { ...turned, matrix: multiply([cosine, -sine, sine, cosine, 0, 0], turned.matrix) };
}

function quarterTurnOf(
  items: readonly TextItem[],
  matrix: Matrix,
  { width, height }: { readonly width: number; readonly height: number },
): Turned {
  const letters = [0, 0, 0, 0];
  for (const { str, transform } of items) {
    if (str === undefined || str.trim() === "") continue;
    const [a, b] = multiply(matrix, transform);
    const quarter = (Math.round(Math.atan2(b, a) / (Math.PI / 2)) + 4) % 4;
    letters[quarter] = (letters[quarter] ?? 0) + str.length;
  }
  const most = letters.indexOf(Math.max(...letters));
  if (most === 1) return { matrix: multiply([0, -1, 1, 0, 0, width], matrix), width: height, height: width };
  if (most === 2) return { matrix: multiply([-1, 0, 0, -1, width, height], matrix), width, height };
  if (most === 3) return { matrix: multiply([0, 1, -1, 0, height, 0], matrix), width: height, height: width };
  return { matrix, width, height };
}

function runsOf(items: readonly TextItem[], matrix: Matrix, faceOf: (font: string) => Face, links: readonly PlacedLink[]): Run[] {
  const marks: (string | undefined)[] = [];
  return items.flatMap((item) => {
    if (item.str === undefined) {
      if (item.type === "endMarkedContent") marks.pop();
      else marks.push(item.tag === "Artifact" ? "artifact" : (item.id ?? marks.at(-1)));
      return [];
    }
    const [a, b, c, d, x, baseline] = multiply(matrix, item.transform);
    const isUpright = Math.abs(b) <= Math.abs(a) * 0.1;
    const size = Math.hypot(c, d);
    const turn = { angle: Math.atan2(b, a), length: item.width };
    const { look, family, symbols } = faceOf(item.fontName);
    const run: Run = {
      ...{ text: plainLetters(item.str, symbols), x, baseline, width: isUpright ? item.width : 0, size },
      ...(isUpright ? {} : { turn }),
      look: item.str.search(ideograph) === -1 ? look : { ...look, isMono: false },
      font: family,
      endsLine: item.hasEOL === true,
      mark: marks.at(-1),
      href: undefined,
    };
    return linkedParts(run, links);
  });
}

/** A run may extend beyond a link on either side: it is split at the link's edges, at a space if one is near. */
function linkedParts(run: Run, links: readonly PlacedLink[]): Run[] {
  const middle = run.baseline - run.size * 0.3;
  const link = links.find(
    ({ box }) => middle > box.top && middle < box.bottom && box.left < run.x + run.width - 1 && box.right > run.x + 1,
  );
  if (link === undefined || run.width === 0) return [run];
  const { text, width, x } = run;
  const from = link.box.left <= x + 1 ? 0 : letterAt(run, link.box.left);
  const to = link.box.right >= x + width - 1 ? text.length : letterAt(run, link.box.right);
  const after =
    to < text.length
      ? linkedParts(
          partOf(run, to, text.length),
          links.filter((each) => each !== link),
        )
      : [];
  return [
    ...(from > 0 ? [partOf(run, 0, from)] : []),
    ...(to > from ? [{ ...partOf(run, from, to), href: link.href, link: link.link }] : []),
    ...after,
  ];
}

/** Equally wide in every font. */
const ideograph = /[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uff60]/;
