/** Writes each kind of block as paragraphs and tables for Word. */
import {
  AlignmentType,
  HeadingLevel,
  type ILevelsOptions,
  ImageRun,
  type IParagraphPropertiesOptions,
  LevelFormat,
  LineRuleType,
  Paragraph,
  type Table,
  TextRun,
} from "docx";
import type { Box } from "../content.ts";
import { type Place, placeOf } from "../placed.ts";
import { type Block, type Cell, type Inline, type Note, type Setting, shownBy } from "../tree.ts";
import { formatOf, type Letters, monospaced, runsOf } from "./paragraphs.ts";
import { frameOf, type Sheet } from "./sheets.ts";
import { type Alignment, tableOf } from "./tables.ts";

const twips = (points: number) => Math.round(points * 20);
const headings = [
  HeadingLevel.HEADING_1,
  HeadingLevel.HEADING_2,
  HeadingLevel.HEADING_3,
  HeadingLevel.HEADING_4,
  HeadingLevel.HEADING_5,
  HeadingLevel.HEADING_6,
];
/** Word supports nine list levels. */
const deepest = 8;
/** Share of the text height: a page whose text ends above it was left partly empty on purpose. */
const fullPage = 0.7;
/** Word's pixels per point. */
const pixels = 96 / 72;

export type HeadLetters = Letters & { readonly isBold: boolean };
type List = { readonly reference: string; readonly levels: readonly ILevelsOptions[] };
type Within = {
  readonly list?: { readonly reference: string; readonly level: number };
  readonly isFirst?: boolean;
  readonly alignment?: Alignment;
  readonly indent?: number;
  readonly isInCell?: boolean;
};
type Written = Paragraph | Table;

export class BlockWriter {
  readonly lists: List[] = [];
  readonly notes: Record<string, { readonly children: Paragraph[] }> = {};
  readonly heads: ReadonlyMap<number, HeadLetters>;
  readonly #usual: Letters;
  readonly #sheets: ReadonlyMap<number, Sheet>;
  #sheet: Sheet | undefined;
  #columns = 1;
  #last: Place | undefined;
  #lowest = 0;

  constructor(sheets: ReadonlyMap<number, Sheet>, usual: Letters, heads: ReadonlyMap<number, HeadLetters>) {
    this.#sheets = sheets;
    this.#usual = usual;
    this.heads = heads;
  }

  /** `columns`: column count at its position. */
  write(block: Block, sheet: Sheet, columns: number): Written[] {
    const isNewPage = this.#sheet !== undefined && sheet.number !== this.#sheet.number;
    const breaks = isNewPage && columns === 1 && this.#columns === 1 && this.#isShort(this.#sheet as Sheet);
    if (isNewPage) [this.#last, this.#lowest] = [undefined, 0];
    [this.#sheet, this.#columns] = [sheet, columns];
    const written = this.#written(block, {});
    if (!breaks) return written;
    return [new Paragraph({ pageBreakBefore: true, spacing: { before: 0, after: 0, line: 20 }, run: { size: 2 } }), ...written];
  }

  #isShort({ top, bottom }: Sheet): boolean {
    return this.#lowest > 0 && this.#lowest < top + (bottom - top) * fullPage;
  }

  #written(block: Block, within: Within): Written[] {
    switch (block.kind) {
      case "heading":
        return [
          this.#paragraph(
            block.inlines,
            block.at,
            within,
            { heading: headings[block.level - 1] ?? HeadingLevel.HEADING_6 },
            this.heads.get(block.level),
          ),
        ];
      case "paragraph":
        return [this.#paragraph(block.inlines, block.at, within)];
      case "code":
        return [this.#code(block, within)];
      case "quote":
        return block.blocks.flatMap((each) => this.#written(each, { ...within, indent: (within.indent ?? 0) + 24 }));
      case "list":
        return this.#list(block, within);
      case "picture":
        return [this.#picture(block, within)];
      case "table":
        return this.#table(block);
    }
  }

  #paragraph(
    inlines: readonly Inline[],
    at: Setting | undefined,
    within: Within,
    given: IParagraphPropertiesOptions = {},
    usual: Letters = this.#usual,
  ): Paragraph {
    const isPlaced = within.list === undefined && within.indent === undefined && within.isInCell !== true;
    const format =
      at === undefined
        ? { spacing: { after: 0 } }
        : formatOf(inlines, { at, frame: this.#frameOf(at), above: within.isInCell === true ? undefined : this.#above(at) }, { isPlaced });
    if (within.isInCell !== true) this.#passed(at);
    return new Paragraph({
      ...format,
      ...cellFormat(within, format),
      ...given,
      ...listFormat(within),
      children: runsOf(inlines, at, usual, (note) => this.#note(note)),
    });
  }

  /** The number of a footnote, which may contain only paragraphs. */
  #note({ blocks }: Note): number {
    const number = Object.keys(this.notes).length + 1;
    const children: Paragraph[] = [];
    this.notes[number] = { children };
    for (const block of blocks) {
      const [inlines, at] = "inlines" in block ? [block.inlines, block.at] : [[{ text: shownBy(block) }], undefined];
      children.push(
        new Paragraph({ children: runsOf(inlines, at, this.#usual, (note) => this.#note(note)), spacing: { before: 0, after: 0 } }),
      );
    }
    return number;
  }

  #frameOf(at: Setting): { readonly left: number; readonly right: number } {
    const sheet = this.#sheets.get(at.page) ?? this.#sheet;
    return sheet === undefined ? at : frameOf(sheet, at);
  }

  /** The block above it in the same column. */
  #above(at: Place): Box | undefined {
    const last = this.#last;
    return last !== undefined && last.page === at.page && last.bottom <= at.top + 2 && last.left < at.right && last.right > at.left
      ? last
      : undefined;
  }

  #passed(place: Place | undefined): void {
    if (place === undefined) return;
    this.#last = place;
    if (place.page === this.#sheet?.number) this.#lowest = Math.max(this.#lowest, place.bottom);
  }

  #code({ text, at }: Extract<Block, { kind: "code" }>, within: Within): Paragraph {
    const size = at === undefined ? {} : { size: Math.round(at.size * 2) };
    const children = text
      .split("\n")
      .map((line, index) => new TextRun({ text: line, font: monospaced, ...size, noProof: true, ...(index > 0 ? { break: 1 } : {}) }));
    const above = at === undefined ? undefined : this.#above(at);
    const before = above === undefined || at === undefined ? 0 : Math.min(24, Math.max(0, at.top - above.bottom - at.size * 0.22));
    this.#passed(at);
    return new Paragraph({ children, spacing: { before: twips(before), after: 0 }, ...listFormat({ ...within, isFirst: false }) });
  }

  #list(block: Extract<Block, { kind: "list" }>, within: Within): Written[] {
    const level = Math.min(deepest, (within.list?.level ?? -1) + 1);
    const reference = `list-${this.lists.length + 1}`;
    this.lists.push({ reference, levels: levelsOf(level, block.start) });
    return block.items.flatMap(({ blocks }) =>
      blocks.flatMap((each, index) => this.#written(each, { ...within, list: { reference, level }, isFirst: index === 0 })),
    );
  }

  #picture({ picture, alt, page }: Extract<Block, { kind: "picture" }>, within: Within): Paragraph {
    const { box, png } = picture;
    const sheet = this.#sheet;
    const room = sheet === undefined ? 450 : (sheet.right - sheet.left) / this.#columns;
    const [width, height] = [box.right - box.left, box.bottom - box.top];
    const scale = Math.min(1, room / width, sheet === undefined ? 1 : ((sheet.bottom - sheet.top) * 0.98) / height);
    const transformation = { width: width * scale * pixels, height: height * scale * pixels };
    const image = new ImageRun({
      type: "png",
      data: png,
      transformation,
      ...(alt === "" ? {} : { altText: { name: "", description: alt } }),
    });
    const frame = sheet === undefined ? box : frameOf(sheet, box);
    const [before, after] = [box.left - frame.left, frame.right - box.right];
    const alignment =
      before < 6 ? undefined : Math.abs(before - after) < 12 ? AlignmentType.CENTER : after < 6 ? AlignmentType.RIGHT : undefined;
    this.#passed({ ...box, page });
    return new Paragraph({
      children: [image],
      spacing: { before: 60, after: 60 },
      ...(alignment === undefined ? {} : { alignment }),
      ...listFormat({ ...within, isFirst: false }),
    });
  }

  #table(block: Extract<Block, { kind: "table" }>): Written[] {
    const sheet = this.#sheet;
    const place = placeOf(block);
    const above = place === undefined ? undefined : this.#above(place);
    const gap = place === undefined || above === undefined ? 0 : place.top - above.bottom;
    const width = sheet === undefined ? 450 : (sheet.right - sheet.left) / this.#columns;
    const frame = sheet === undefined || this.#columns > 1 ? { left: place?.left ?? 0, right: (place?.left ?? 0) + width } : sheet;
    const table = tableOf(block, frame, (cell, alignment) => this.#cell(cell, alignment));
    this.#passed(place);
    // Word merges two tables without a paragraph between them.
    return [...(gap > leastGap ? [gapOf(Math.min(24, gap - leastGap))] : []), table, gapOf(2)];
  }

  #cell({ blocks }: Cell, alignment: Alignment): Written[] {
    const written = blocks.flatMap((block) => this.#written(block, { isInCell: true, alignment }));
    // A cell must end with a paragraph.
    return written.length === 0 || !(written.at(-1) instanceof Paragraph) ? [...written, new Paragraph({})] : written;
  }
}

/** Tables have no space-before property. */
const leastGap = 5;
const gapOf = (points: number) =>
  new Paragraph({ spacing: { before: 0, after: 0, line: twips(points), lineRule: LineRuleType.EXACT }, run: { size: 2 } });

/** In a cell, the column determines the position of a line. */
function cellFormat({ isInCell, alignment }: Within, { bidirectional }: IParagraphPropertiesOptions): IParagraphPropertiesOptions {
  if (isInCell !== true) return {};
  return { spacing: { before: 0, after: 0 }, alignment: alignment ?? (bidirectional === true ? AlignmentType.START : AlignmentType.LEFT) };
}

function listFormat({ list, isFirst, indent }: Within): IParagraphPropertiesOptions {
  if (list === undefined) return indent === undefined ? {} : { indent: { start: twips(indent) } };
  return isFirst === true ? { numbering: { reference: list.reference, level: list.level } } : { indent: { start: 360 * (list.level + 1) } };
}

/** The only level that the list uses. */
function levelsOf(level: number, start: number | undefined): ILevelsOptions[] {
  const indent = { start: 360 * (level + 1), hanging: 360 };
  const own =
    start === undefined ? { format: LevelFormat.BULLET, text: "•" } : { format: LevelFormat.DECIMAL, text: `%${level + 1}.`, start };
  return [{ level, ...own, alignment: AlignmentType.START, style: { paragraph: { indent } } }];
}
