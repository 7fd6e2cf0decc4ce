/** Blocks from the structure tree of a page (ISO 32000-1, 14.8.4), as tagged by the author's program. */
import type { Look, PageContent, Picture, Run, StructureNode } from "./content.ts";
import { codeOf, linedParagraphOf, paragraphOf, type Vocabulary } from "./inlines.ts";
import { boundsOf, settingsIn } from "./placed.ts";
import { holdsRightToLeft, inReadingOrder } from "./reading-order.ts";
import { linesWithin } from "./ruled-tables.ts";
import { settingOf } from "./setting.ts";
import {
  holdsBlocks,
  holdsRole,
  isCodeBlock,
  isItem,
  isObject,
  marksUnder,
  noteRoles,
  notesUnder,
  plainId,
  withoutNotes,
} from "./structure.ts";
import { type LabelledItem, listWithLabels } from "./tagged-lists.ts";
import { evenRows } from "./tagged-rows.ts";
import type { Block, Cell, Inline, Setting } from "./tree.ts";

type Context = {
  readonly runs: ReadonlyMap<string, readonly Run[]>;
  readonly pictures: ReadonlyMap<string, readonly Picture[]>;
  readonly links: ReadonlyMap<string, string>;
  readonly words: Vocabulary;
  readonly page: PageContent;
  /** Maximum width of most lines of the page. */
  readonly measure: number | undefined;
};

function grouped<T extends { readonly mark: string | undefined }>(all: readonly T[]): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const each of all) {
    if (each.mark === undefined) continue;
    const group = groups.get(each.mark);
    if (group === undefined) groups.set(each.mark, [each]);
    else group.push(each);
  }
  return groups;
}

/** Share of a page's height. */
const edge = 0.1;

/** Untagged text: stamped on, or typed into a form, afterwards. */
export function untoldRuns(page: PageContent): readonly Run[] {
  const told = new Set(page.structure === undefined ? [] : marksUnder(page.structure));
  return page.runs.filter(({ mark, text }) => mark !== "artifact" && text.trim() !== "" && (mark === undefined || !told.has(mark)));
}

/** Untagged pictures and drawings. */
export function untoldPictures(page: PageContent): readonly Picture[] {
  const told = new Set(page.structure === undefined ? [] : marksUnder(page.structure));
  return page.pictures.filter(({ mark }) => mark !== "artifact" && (mark === undefined || !told.has(mark)));
}

/** Undefined if the page has no tree, or if the tree omits a tenth of its text and cannot be trusted. */
export function blocksOfTagged(page: PageContent, words: Vocabulary): Block[] | undefined {
  if (page.structure === undefined) return undefined;
  const context = { runs: grouped(page.runs), pictures: grouped(page.pictures), links: page.links, words, page, measure: measureOf(page) };
  const lettersOf = (runs: readonly Run[]) => runs.reduce((sum, { text }) => sum + text.trim().length, 0);
  const all = lettersOf(page.runs.filter((run) => run.mark !== "artifact" || isWithin(run, page)));
  const told = lettersOf(marksUnder(page.structure).flatMap((mark) => context.runs.get(mark) ?? []));
  if (told < all * 0.9) return undefined;
  return blocksUnder(page.structure.children?.flatMap((node) => pruned(node, context)) ?? [], context);
}

/** Form designers tag their labels as artifacts; real artifacts are running heads at the edge and stamps, which are turned. */
function isWithin({ baseline, width }: Run, { height }: PageContent): boolean {
  return baseline > height * edge && baseline < height * (1 - edge) && width > 0;
}

/** Removes empty items, left by content that the page does not show, such as hidden parts of a web page. */
function pruned(node: StructureNode, context: Context): StructureNode[] {
  if (node.type !== undefined) return [node];
  const marks = marksUnder(node);
  // A bullet or figure may be a drawn shape: the label shows that an item starts here, the alternative text what the figure shows.
  const isShape = marks.length > 0 && (node.role === "Lbl" || (node.role === "Figure" && (node.alt ?? "") !== ""));
  const isShown = isShape || marks.some((mark) => context.runs.has(mark) || context.pictures.has(mark));
  if (!isShown) return node.role === "TD" || node.role === "TH" ? [{ ...node, children: [] }] : [];
  return [{ ...node, children: (node.children ?? []).flatMap((child) => pruned(child, context)) }];
}

const asNote = (block: Block): Block => (block.kind === "paragraph" ? { ...block, isNote: true } : block);

/** Adjacent inline nodes form one paragraph. */
function blocksUnder(nodes: readonly StructureNode[], context: Context): Block[] {
  const blocks: Block[] = [];
  let inline: StructureNode[] = [];
  const flush = () => {
    blocks.push(...paragraphs(inline, context));
    inline = [];
  };
  for (const node of nodes) {
    if (!holdsBlocks(node)) {
      inline.push(node);
      continue;
    }
    flush();
    blocks.push(...blocksOf(node, context));
  }
  flush();
  return blocks;
}

function blocksOf(node: StructureNode, context: Context): Block[] {
  const { role = "", children = [] } = node;
  if (isCodeBlock(node)) return codeBlock(runsUnder(node, context), context);
  const level = role === "Title" || role === "H" ? 1 : Number(/^H([1-6])$/.exec(role)?.[1] ?? 0);
  if (level > 0) {
    const inlines = inlinesOf(children, context, true);
    return inlines.length === 0 ? [] : [{ kind: "heading", level, inlines, at: settingUnder(children, context) }];
  }
  if (role === "L") return listOf(children, context);
  if (role === "Table") return tableOf(children, context);
  if (role === "BlockQuote") return [{ kind: "quote", blocks: blocksUnder(children, context) }];
  if (role === "Figure") return pictureOf(node, context);
  if (noteRoles.has(role)) return blocksUnder(children, context).map(asNote);
  if (role !== "P") return blocksUnder(children, context);
  // Word nests a note in the paragraph that refers to it.
  const notes = notesUnder(children);
  return notes.length === 0
    ? blocksUnder(children, context)
    : [...blocksUnder(children.flatMap(withoutNotes), context), ...notes.flatMap((note) => blocksOf(note, context))];
}

function paragraphs(nodes: readonly StructureNode[], context: Context): Block[] {
  const runs = nodes.flatMap((node) => runsUnder(node, context));
  const pictures = nodes.flatMap(marksUnder).flatMap((mark) => context.pictures.get(mark) ?? []);
  const inked = runs.filter(({ text }) => text.trim() !== "");
  const shown: Block[] = pictures.map((picture) => ({ kind: "picture", picture, alt: "", page: context.page.number }));
  // Office programs have no role for code: a paragraph set entirely in a monospaced font counts as code.
  const isCode = inked.length > 0 && inked.every(({ look }) => look.isMono) && !nodes.some((node) => holdsRole(node, "Code", "Link"));
  if (isCode) return [...shown, ...codeBlock(runs, context)];
  const inlines = inlinesOf(nodes, context);
  return inlines.length === 0 ? shown : [...shown, { kind: "paragraph", inlines, at: settingUnder(nodes, context) }];
}

function runsUnder(node: StructureNode, { runs }: Context): readonly Run[] {
  return marksUnder(node).flatMap((mark) => runs.get(mark) ?? []);
}

/** A run may be empty and only end the line before it. */
function linesOf(runs: readonly Run[]): Run[][] {
  const lines: Run[][] = [[]];
  const isReversed = holdsRightToLeft(runs);
  let last: Run | undefined;
  for (const run of runs) {
    // An empty one only ends a line.
    const isInked = run.text !== "";
    const step = isInked && last !== undefined ? (run.baseline - last.baseline) / Math.max(run.size, last.size) : undefined;
    const isBare = lines.at(-1)?.every(({ text }) => text === "") === true;
    // Where the direction changes, the library misses line ends and reports false ones.
    if (!isBare && step !== undefined && step > 0.7) lines.push([]);
    if (isBare && isReversed && lines.length > 1 && step !== undefined && Math.abs(step) < 0.1) lines.at(-2)?.push(...(lines.pop() ?? []));
    lines.at(-1)?.push(run);
    if (run.endsLine) lines.push([]);
    if (isInked) last = run;
  }
  return lines
    .filter((line) => line.some(({ text }) => text !== ""))
    .map((line) => (holdsRightToLeft(line) ? inReadingOrder([...line].sort((one, other) => one.x - other.x)) : line));
}

function settingUnder(nodes: readonly StructureNode[], context: Context): Setting | undefined {
  return settingOf(linesOf(nodes.flatMap((node) => runsUnder(node, context))), context.page.number);
}

const linesToTell = 5;

function measureOf({ runs }: PageContent): number | undefined {
  const lines = linesOf(runs.filter(({ mark }) => mark !== "artifact"));
  const widths = lines.map((line) => Math.max(...line.map(({ x, width }) => x + width)) - Math.min(...line.map(({ x }) => x)));
  return widths.length < linesToTell ? undefined : widths.sort((one, other) => other - one)[Math.floor(widths.length / 10)];
}

function codeBlock(runs: readonly Run[], { page }: Context): Block[] {
  const lines = linesOf(runs);
  return lines.length === 0 ? [] : [{ kind: "code", text: codeOf(lines), at: settingOf(lines, page.number) }];
}

type Given = { readonly look: Partial<Look>; readonly href?: string | undefined; readonly link?: string | undefined };

const looks: Readonly<Record<string, Partial<Look>>> = { Code: { isMono: true }, Strong: { isBold: true }, Em: { isItalic: true } };

function inlinesOf(nodes: readonly StructureNode[], context: Context, isHeading = false): Inline[] {
  const runs: Run[] = [];
  const put = (node: StructureNode, given: Given): void => {
    if (node.type === "content") {
      for (const run of context.runs.get(node.id ?? "") ?? []) {
        const look = { ...run.look, ...given.look, isMono: given.look.isMono === true || run.look.isMono };
        runs.push({ ...run, look, href: given.href ?? run.href, link: given.href === undefined ? run.link : given.link });
      }
    }
    const [link] = (node.children ?? []).flatMap(({ type, id = "" }) =>
      isObject(type) && context.links.has(plainId(id)) ? [plainId(id)] : [],
    );
    const href = node.role === "Link" ? context.links.get(link ?? "") : given.href;
    const look = { ...given.look, ...looks[node.role ?? ""] };
    for (const child of node.children ?? []) put(child, { look, href, link: node.role === "Link" ? link : given.link });
  };
  for (const node of nodes) put(node, { look: {} });
  const lines = linesOf(runs);
  return isHeading ? paragraphOf(lines, context.words, { isHeading }) : linedParagraphOf(lines, context.words, context.measure);
}

function listOf(nodes: readonly StructureNode[], context: Context): Block[] {
  const items: LabelledItem[] = [];
  for (const node of nodes) {
    const last = items.at(-1);
    // A list directly inside another belongs to the item before it.
    if (!isItem(node) && last !== undefined) last.blocks.push(...blocksUnder([node], context));
    else if (!isItem(node)) items.push({ label: "", blocks: blocksUnder([node], context) });
    else {
      const [labels, rest] = [true, false].map((isLabel) => (node.children ?? []).filter(({ role }) => (role === "Lbl") === isLabel));
      const runs = (labels ?? []).flatMap((each) => runsUnder(each, context));
      const label = labels?.length === 0 ? undefined : runs.map(({ text }) => text).join("");
      items.push({ label, blocks: blocksUnder(rest ?? [], context) });
    }
  }
  return items.length === 0 ? [] : [listWithLabels(items)];
}

function tableOf(nodes: readonly StructureNode[], context: Context): Block[] {
  const rows: Cell[][] = [];
  const captions: Block[] = [];
  // Excel tags the charts on a sheet as parts of its table.
  const others: StructureNode[] = [];
  const below: number[] = [];
  const put = (node: StructureNode): void => {
    const { role = "", children = [] } = node;
    if (role === "Caption") captions.push(...blocksUnder(children, context));
    else if (role === "TR") rows.push(rowOf(children, context, below));
    else if (holdsRole(node, "TR", "Caption")) for (const child of children) put(child);
    else others.push(node);
  };
  for (const node of nodes) put(node);
  const after = blocksUnder(others, context);
  return rows.length === 0
    ? [...captions, ...after]
    : [
        ...captions,
        {
          kind: "table",
          rows: evenRows(rows),
          lines: linesWithin(boundsOf(settingsIn(rows.flat().flatMap(({ blocks }) => blocks))), context.page.rules),
        },
        ...after,
      ];
}

const maxSpan = 1000;
const spanOf = (given: number | undefined) => Math.min(maxSpan, Math.max(1, Math.trunc(given ?? 1)));

/** `below` counts, for each column, how many more rows a cell from above spans: an empty cell keeps its place. */
function rowOf(nodes: readonly StructureNode[], context: Context, below: number[]): Cell[] {
  const row: Cell[] = [];
  let column = 0;
  const skip = () => {
    for (; (below[column] ?? 0) > 0; column++) {
      below[column] = (below[column] ?? 1) - 1;
      row.push({ isHead: false, blocks: [] });
    }
  };
  for (const node of nodes) {
    skip();
    const columns = spanOf(node.colSpan);
    row.push({ isHead: node.role === "TH", blocks: blocksUnder(node.children ?? [], context).map(inOneLine), columns });
    for (const end = column + columns; column < end; column++) below[column] = spanOf(node.rowSpan) - 1;
  }
  skip();
  return row;
}

/** Cells are narrow, so a line end in one means nothing. */
function inOneLine(block: Block): Block {
  if (block.kind !== "paragraph") return block;
  const inlines: Inline[] = [];
  for (const [index, inline] of block.inlines.entries()) {
    const [last, next] = [inlines.at(-1), block.inlines[index + 1]];
    const isInLink = inline.text === "\n" && last?.href !== undefined && last.href === next?.href;
    if (inline.text === "\n") inlines.push(isInLink ? { ...last, text: " " } : { text: " " });
    else inlines.push(last?.text === " " && last.href !== undefined ? { ...inline, link: last.link } : inline);
  }
  return { ...block, inlines };
}

function pictureOf(node: StructureNode, context: Context): Block[] {
  const pictures = marksUnder(node).flatMap((mark) => context.pictures.get(mark) ?? []);
  const shown: Block[] = pictures.map((picture) => ({ kind: "picture", picture, alt: node.alt ?? "", page: context.page.number }));
  const written = blocksUnder(node.children ?? [], { ...context, pictures: new Map() });
  // For a vector drawing, only its alternative text is available.
  const said: Block[] = shown.length + written.length > 0 || !node.alt ? [] : [{ kind: "paragraph", inlines: [{ text: node.alt }] }];
  return [...shown, ...written, ...said];
}
