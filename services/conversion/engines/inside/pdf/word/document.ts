/** An editable Word document: styles, lists, tables and pictures in running text, on paper of the same size. */
import { Document, type ISectionOptions, Packer, type Paragraph, SectionType, type Table } from "docx";
import type { PageContent } from "../content.ts";
import { placeOf, settingsIn } from "../placed.ts";
import type { Said } from "../read.ts";
import { isRightToLeft } from "../reading-order.ts";
import { type Block, innerOf, type Setting, shownBy } from "../tree.ts";
import { aboutOf } from "./about.ts";
import { BlockWriter, type HeadLetters } from "./blocks.ts";
import type { Letters } from "./paragraphs.ts";
import { columnsAt, type Sheet, sheetsOf } from "./sheets.ts";

const twips = (points: number) => Math.round(points * 20);

type Section = { readonly sheet: Sheet; readonly columns: number; readonly children: (Paragraph | Table)[] };

/** If there are more sections per page, the columns were not intended. */
const mostSections = 4;

export async function wordOf(blocks: readonly Block[], pages: readonly PageContent[], said: Said): Promise<Uint8Array> {
  const sheets = sheetsOf(pages, blocks);
  const settings = settingsIn(blocks);
  const usual = lettersOf(settings.filter(({ lines }) => lines.length > 1)) ?? lettersOf(settings) ?? { size: 11, font: undefined };
  const writer = new BlockWriter(sheets, usual, headLetters(blocks));
  const sections = sectionsOf(blocks, sheets, writer);
  const language = languageOf(said.language, blocks);
  const document = new Document({
    ...aboutOf(said),
    styles: {
      default: {
        document: { run: { size: Math.round(usual.size * 2), ...(usual.font === undefined ? {} : { font: usual.font }), ...language } },
        ...headStyles(writer.heads, usual),
      },
    },
    footnotes: writer.notes,
    numbering: { config: writer.lists.map(({ reference, levels }) => ({ reference, levels })) },
    sections: sections.map(propertiesOf),
  });
  return Packer.toBuffer(document);
}

/** Sections with the same paper and number of columns. */
function sectionsOf(blocks: readonly Block[], sheets: ReadonlyMap<number, Sheet>, writer: BlockWriter): Section[] {
  const [anySheet] = sheets.values();
  let sheet = anySheet as Sheet;
  const places = blocks.map((block) => {
    const place = placeOf(block);
    sheet = sheets.get(place?.page ?? sheet.number) ?? sheet;
    return { block, sheet, columns: place === undefined ? undefined : columnsAt(sheet, place) };
  });
  const changes = places.filter(({ columns }, index) => columns !== places[index - 1]?.columns).length;
  const isPlain = changes > sheets.size * mostSections;
  const sections: Section[] = [];
  for (const { block, sheet: own, columns } of places) {
    const last = sections.at(-1);
    const count = isPlain ? 1 : (columns ?? last?.columns ?? 1);
    const isSame = last !== undefined && last.columns === count && isAlike(last.sheet, own);
    const children = writer.write(block, own, count);
    if (isSame) last.children.push(...children);
    else sections.push({ sheet: own, columns: count, children });
  }
  return sections;
}

const isAlike = (one: Sheet, other: Sheet) => Math.abs(one.width - other.width) < 1 && Math.abs(one.height - other.height) < 1;

function propertiesOf({ sheet, columns, children }: Section, index: number, all: readonly Section[]): ISectionOptions {
  const before = all[index - 1];
  const { width, height, left, top, right, bottom } = sheet;
  const isContinued = before !== undefined && isAlike(before.sheet, sheet);
  return {
    properties: {
      ...(isContinued ? { type: SectionType.CONTINUOUS } : {}),
      ...(columns > 1 ? { column: { count: columns, space: twips(14), equalWidth: true } } : {}),
      page: {
        size: { width: twips(width), height: twips(height) },
        // Another font may need one more line, so a little of the margin is left for it.
        margin: {
          left: twips(left),
          right: twips(width - right),
          top: twips(top),
          bottom: twips(Math.max(18, (height - bottom) * 0.8)),
          header: twips(18),
          footer: twips(18),
        },
      },
    },
    children,
  };
}

/** The most common font and size. */
function lettersOf(settings: readonly Setting[]): Letters | undefined {
  const most = <T>(keyOf: (setting: Setting) => T): T | undefined => {
    const weights = new Map<T, number>();
    for (const setting of settings)
      weights.set(
        keyOf(setting),
        (weights.get(keyOf(setting)) ?? 0) + setting.lines.reduce((sum, { left, right }) => sum + right - left, 0),
      );
    return [...weights].sort(([, one], [, other]) => other - one)[0]?.[0];
  };
  const size = most((setting) => Math.round(setting.size * 2) / 2);
  return size === undefined ? undefined : { size, font: most(({ font }) => font) };
}

function headLetters(blocks: readonly Block[]): ReadonlyMap<number, HeadLetters> {
  const heads = new Map<number, Setting[]>();
  const collect = (block: Block): void => {
    if (block.kind === "heading" && block.at !== undefined) heads.set(block.level, [...(heads.get(block.level) ?? []), block.at]);
    for (const each of innerOf(block)) collect(each);
  };
  for (const block of blocks) collect(block);
  return new Map(
    [...heads].flatMap(([level, settings]) => {
      const letters = lettersOf(settings);
      return letters === undefined
        ? []
        : [[level, { ...letters, isBold: settings.filter(({ isBold }) => isBold).length * 2 >= settings.length }] as const];
    }),
  );
}

function headStyles(heads: ReadonlyMap<number, HeadLetters>, usual: Letters) {
  return Object.fromEntries(
    [1, 2, 3, 4, 5, 6].map((level) => {
      const { size, font, isBold } = heads.get(level) ?? { ...usual, isBold: true };
      const run = { size: Math.round(size * 2), bold: isBold, color: "000000", ...(font === undefined ? {} : { font }) };
      return [`heading${level}`, { run, paragraph: { keepNext: true, spacing: { before: 0, after: 0 } } }];
    }),
  );
}

/** As declared in the file, otherwise that of most characters. */
function languageOf(said: string | undefined, blocks: readonly Block[]) {
  const text = blocks.slice(0, 200).map(shownBy).join(" ").slice(0, 20_000);
  const given = said !== undefined && /^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}$/i.test(said) ? said : undefined;
  if (!isRightToLeft(text)) return given === undefined ? {} : { language: { value: given } };
  return { language: { bidirectional: given ?? (/[\u0590-\u05ff]/.test(text) ? "he-IL" : "ar-SA") } };
}
