/**
 * Converts one column of a page to blocks: headings, paragraphs, lists, code, tables. A heading's level is its rank until all are known.
 */

import { tableAt } from "./aligned-tables.ts";
import type { Box, Picture } from "./content.ts";
import { withInnerColumns } from "./grid-columns.ts";
import { rowsWithin } from "./grid-rows.ts";
import { isHeading, type Letters, rankOf } from "./headings.ts";
import { codeOf, isIdeographic, linedParagraphOf, paragraphOf, type Vocabulary } from "./inlines.ts";
import { lookOfPiece, mergedLine, type Piece, piecesOf, rowsOf, textOfPiece } from "./lines.ts";
import { isLoneMarker, type Marker, markerOf } from "./markers.ts";
import { boundsOf } from "./placed.ts";
import { isRightToLeft } from "./reading-order.ts";
import { type Grid, linesWithin } from "./ruled-tables.ts";
import { settingOf } from "./setting.ts";
import { type Block, type Cell, type DrawnLines, type ListItem, markOfNote, textOf } from "./tree.ts";

export type PlacedPicture = Box & { readonly kind: "picture"; readonly picture: Picture; readonly labels: readonly Piece[] };
export type Atom = Piece | Grid | PlacedPicture;

export type Page = {
  readonly rules: readonly Box[];
  readonly dots: readonly Box[];
  readonly letters: Letters;
  readonly words: Vocabulary;
  readonly number: number;
};

type Line = { readonly piece: Piece; readonly marker: Marker | undefined };

/** Enough for any page. */
const maxTableRows = 400;

const isText = (row: readonly Atom[]): row is Piece[] => row.every(({ kind }) => kind === "text");

export function blocksOfFlow(atoms: readonly Atom[], page: Page): Block[] {
  const builder = new FlowBuilder(page, atoms);
  const rows = rowsOf(atoms);
  for (let index = 0; index < rows.length; ) {
    const row = rows[index] ?? [];
    if (!isText(row)) {
      for (const atom of row) builder.addBlocks(atom.kind === "text" ? [paragraph([atom], page)] : blocksOfAtom(atom, page));
      index += 1;
      continue;
    }
    const following = textRowsFrom(rows, index);
    const table = tableAt(following, page.rules, (piece) => isLoneMarker(piece) || markerOf(piece, page.dots) !== undefined);
    if (table !== undefined) {
      const lines = linesWithin(boundsOf(table.cells.flat(2)), page.rules);
      builder.addBlocks([
        tableOf(
          table.cells.map((cells) => cells.map((pieces) => blocksOfCell(pieces, page))),
          [],
          lines,
        ),
      ]);
      index += table.rows;
      continue;
    }
    const piece = mergedLine(row);
    const next = following[1];
    builder.addLine({ piece, marker: markerOf(piece, page.dots) }, next === undefined ? undefined : mergedLine(next));
    index += 1;
  }
  return builder.end();
}

function textRowsFrom(rows: readonly (readonly Atom[])[], start: number): (readonly Piece[])[] {
  const found: (readonly Piece[])[] = [];
  for (const row of rows.slice(start, start + maxTableRows)) {
    if (!isText(row)) break;
    found.push(row);
  }
  return found;
}

function blocksOfAtom(atom: Grid | PlacedPicture, page: Page): Block[] {
  if (atom.kind === "picture") {
    const labels = atom.labels.length === 0 ? [] : [paragraph(atom.labels, page)];
    return [{ kind: "picture", picture: atom.picture, alt: "", page: page.number }, ...labels];
  }
  const pieces = atom.rows.flatMap((row) => rowsWithin(row.map(({ runs, columns }) => ({ columns, pieces: piecesOf(runs) }))));
  const rows = withInnerColumns(pieces).map((row) => row.map(({ columns, pieces: own }) => ({ columns, blocks: blocksOfCell(own, page) })));
  return [
    tableOf(
      rows.map((row) => row.map(({ blocks }) => blocks)),
      rows.map((row) => row.map(({ columns }) => columns)),
      linesWithin(atom, page.rules),
    ),
  ];
}

/** Without tags, the first row is taken for the head. */
function tableOf(rows: readonly (readonly Block[][])[], spans: readonly (readonly number[])[], lines: DrawnLines | undefined): Block {
  const text = rows.flat(2).map((block) => ("inlines" in block ? textOf(block.inlines) : ""));
  const isReversed = isRightToLeft(text.join(" "));
  const cells = rows.map((row, index): Cell[] => {
    const own = row.map((blocks, place) => ({ isHead: index === 0 && rows.length > 1, blocks, columns: spans[index]?.[place] ?? 1 }));
    return isReversed ? own.reverse() : own;
  });
  return { kind: "table", rows: cells, lines };
}

/** A label is smaller than the text below it by this factor; inline code differs by less. */
const otherLetters = 1.23;

/** A form has labels in small print above the filled-in text. */
function blocksOfCell(pieces: readonly Piece[], page: Page): Block[] {
  const parts: Piece[][] = [];
  for (const line of rowsOf(pieces).map(mergedLine)) {
    const last = parts.at(-1)?.at(-1);
    if (last !== undefined && Math.max(last.size, line.size) < Math.min(last.size, line.size) * otherLetters) parts.at(-1)?.push(line);
    else parts.push([line]);
  }
  return parts.map((lines) => paragraph(lines, page));
}

function paragraph(pieces: readonly Piece[], { words, number }: Page, measure?: number): Block {
  const lines = pieces.map(({ runs }) => runs);
  const inlines = measure === undefined ? paragraphOf(lines, words) : linedParagraphOf(lines, words, measure);
  return { kind: "paragraph", inlines, at: settingOf(lines, number) };
}

type OpenList = { readonly markerX: number; bodyLeft: number; readonly start: number | undefined; readonly items: ListItem[] };

/** A number other than the next one starts a new list, which keeps it. */
const isNext = ({ start, items }: OpenList, number: number | undefined) =>
  start === undefined ? number === undefined : number === start + items.length;

class FlowBuilder {
  readonly #page: Page;
  readonly #right: number;
  readonly #blocks: Block[] = [];
  #lists: OpenList[] = [];
  #paragraph: Piece[] = [];
  #code: Piece[] = [];
  #heading: Piece[] = [];
  #last: Piece | undefined;

  constructor(page: Page, atoms: readonly Box[]) {
    this.#page = page;
    this.#right = Math.max(...atoms.map(({ right }) => right));
  }

  addBlocks(blocks: readonly Block[]): void {
    this.#flush();
    this.#lists = [];
    this.#blocks.push(...blocks);
    this.#last = undefined;
  }

  addLine({ piece, marker }: Line, next: Piece | undefined): void {
    const last = this.#last;
    this.#last = piece;
    if (this.#isCode(piece, last, next)) {
      if (this.#code.length === 0) this.#leaveLists(piece);
      this.#code.push(piece);
      return;
    }
    if (marker !== undefined && !(marker.isUnsure && last !== undefined && this.#goesOn(last, piece))) this.#beginItem(marker);
    else if (isHeading(piece, this.#page.letters, this.#standsAlone(piece, last, next))) this.#addHeading(piece, last);
    else this.#addText(piece, last);
  }

  #addText(piece: Piece, last: Piece | undefined): void {
    if (this.#paragraph.length === 0 || last === undefined || this.#breaks(last, piece)) {
      this.#flush();
      this.#leaveLists(piece);
    }
    this.#paragraph.push(piece);
  }

  end(): Block[] {
    this.#flush();
    return this.#blocks;
  }

  #pitchOf({ size }: Piece): number {
    const { body, pitch } = this.#page.letters;
    return (pitch * size) / body;
  }

  #isCode(piece: Piece, last: Piece | undefined, next: Piece | undefined): boolean {
    if (this.#code.length > 0 && isCodeWithIdeographs(piece)) return true;
    if (!lookOfPiece(piece).isMono) return next !== undefined && lookOfPiece(next).isMono && isCodeWithIdeographs(piece);
    if (this.#code.length > 0) return true;
    const follows = this.#paragraph.length > 0 && last !== undefined && piece.baseline - last.baseline < this.#pitchOf(last) * 1.25;
    const isBold = lookOfPiece(piece).isBold && !(next !== undefined && lookOfPiece(next).isMono);
    return !follows && !isBold;
  }

  #standsAlone(piece: Piece, last: Piece | undefined, next: Piece | undefined): boolean {
    const pitch = this.#pitchOf(piece);
    const isApart = last === undefined || piece.baseline - last.baseline > pitch * 1.2;
    return isApart && (next === undefined || next.baseline - piece.baseline > pitch * 1.1 || !lookOfPiece(next).isBold);
  }

  #addHeading(piece: Piece, last: Piece | undefined): void {
    const { letters } = this.#page;
    const [first] = this.#heading;
    const goesOn =
      first !== undefined &&
      last !== undefined &&
      Math.abs(rankOf(first, letters) - rankOf(piece, letters)) < 1 &&
      piece.baseline - last.baseline < piece.size * 1.6;
    if (!goesOn) this.#flush();
    this.#lists = [];
    this.#heading.push(piece);
  }

  /** A full line that does not end a sentence, followed directly by a line at the same indent. */
  #goesOn(last: Piece, piece: Piece): boolean {
    const [first] = this.#paragraph;
    if (first === undefined || this.#breaks(last, piece)) return false;
    const isFull = last.right + wordWidth(piece) + piece.size > this.#right;
    return isFull && Math.abs(piece.left - last.left) < piece.size * 0.5 && !/[.!?:;]["'”’)]?$/.test(textOfPiece(last).trimEnd());
  }

  /** A new paragraph starts after a gap, at another font size or an indent, or where its first word would have fit on the line before. */
  #breaks(last: Piece, piece: Piece): boolean {
    const step = piece.baseline - last.baseline;
    if (beginsNote(piece) && beginsNote(this.#paragraph[0] ?? last)) return true;
    if (step > this.#pitchOf(last) * 1.35 || step < 0) return true;
    if (Math.max(piece.size, last.size) > Math.min(piece.size, last.size) * 1.25) return true;
    // Right-to-left lines start at the right and are ragged at the left.
    if (isRightToLeft(textOfPiece(last))) return last.right - piece.right > piece.size * 0.9;
    const [first] = this.#paragraph;
    const indent = piece.left - (this.#paragraph.length > 1 ? last.left : Math.min(last.left, first?.left ?? last.left));
    if (indent > piece.size * 0.9 && indent < piece.size * 4 && this.#lists.length === 0) return true;
    return last.right + wordWidth(piece) + piece.size * 1.5 < this.#right && /[.!?:;]["'”’)]?$/.test(textOfPiece(last).trimEnd());
  }

  #beginItem({ x, number, text }: Marker): void {
    this.#flush();
    const near = text.size * 0.8;
    while ((this.#lists.at(-1)?.markerX ?? -Infinity) > x + near) this.#lists.pop();
    const open = this.#lists.at(-1);
    const item = { blocks: [], isContinued: false };
    if (open !== undefined && Math.abs(open.markerX - x) <= near && isNext(open, number)) {
      open.items.push(item);
      open.bodyLeft = text.left;
    } else {
      if (open !== undefined && Math.abs(open.markerX - x) <= near) this.#lists.pop();
      const list = { markerX: x, bodyLeft: text.left, start: number, items: [item] };
      this.#target().push({ kind: "list", start: number, items: list.items });
      this.#lists.push(list);
    }
    this.#paragraph = [text];
    this.#last = text;
  }

  /** Text further left than an item's text is not part of it. */
  #leaveLists({ left, size }: Piece): void {
    this.#flush();
    while (this.#lists.length > 0 && left < (this.#lists.at(-1)?.bodyLeft ?? 0) - size * 0.7) this.#lists.pop();
  }

  #target(): Block[] {
    return this.#lists.at(-1)?.items.at(-1)?.blocks ?? this.#blocks;
  }

  #flush(): void {
    const { words, letters, number } = this.#page;
    const [heading] = this.#heading;
    const runsOf = (pieces: readonly Piece[]) => pieces.map(({ runs }) => runs);
    if (heading !== undefined)
      this.#blocks.push({
        kind: "heading",
        level: rankOf(heading, letters),
        inlines: paragraphOf(runsOf(this.#heading), words, { isHeading: true }),
        at: settingOf(runsOf(this.#heading), number),
      });
    if (this.#paragraph.length > 0)
      this.#target().push(paragraph(this.#paragraph, this.#page, this.#right - Math.min(...this.#paragraph.map(({ left }) => left))));
    const code = runsOf(this.#code);
    if (code.length > 0) this.#target().push({ kind: "code", text: codeOf(code), at: settingOf(code, number) });
    [this.#heading, this.#paragraph, this.#code] = [[], [], []];
  }
}

/** A raised mark at the start of a line; within a sentence it would follow a word. */
function beginsNote({ runs, size, baseline }: Piece): boolean {
  const first = runs.find(({ text }) => text.trim() !== "");
  return first !== undefined && first.size < size * 0.88 && baseline - first.baseline > size * 0.2 && markOfNote(first.text) !== undefined;
}

/** Code fonts lack ideographs, which come from another font: a line with some still counts as code if it starts with code. */
function isCodeWithIdeographs({ runs }: Piece): boolean {
  const inked = runs.filter(({ text }) => text.trim() !== "");
  return inked[0]?.look.isMono === true && inked.every(({ look, text }) => look.isMono || isIdeographic(text));
}

function wordWidth({ runs }: Piece): number {
  const [first] = runs;
  const [word = ""] = /^\S+/.exec(first?.text.trimStart() ?? "") ?? [];
  return first === undefined ? 0 : (first.width * word.length) / first.text.length;
}
