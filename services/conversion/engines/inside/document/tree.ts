/** Converts pandoc's tree to the JSON of documents (see ../pdf/document.schema.json). Reflowable text has no pages and no boxes. */
import { invalid } from "../failure.ts";
import { type Node, plainOf, runsOf, type Written } from "./inlines.ts";

type Blocks = readonly Node[];

export type Tree = {
  readonly title?: string;
  readonly language?: string;
  readonly pages: readonly never[];
  readonly blocks: readonly object[];
};

/** @throws Failure if it is not a pandoc tree. */
export function treeOf(document: unknown): { readonly tree: Tree; readonly pictures: number } {
  const { blocks, meta } = document as { readonly blocks?: Blocks; readonly meta?: Readonly<Record<string, Node>> };
  if (!Array.isArray(blocks)) throw invalid("The document is damaged.");
  const writing = new Writing();
  const [title, language] = [textOfMeta(meta?.["title"]), textOfMeta(meta?.["lang"])];
  const tree = { ...(title !== "" && { title }), ...(language !== "" && { language }), pages: [], blocks: writing.blocks(blocks) };
  return { tree, pictures: writing.pictures };
}

function textOfMeta(value: Node | undefined): string {
  if (value?.t === "MetaString") return String(value.c);
  return value?.t === "MetaInlines" ? plainOf(value.c as Blocks) : "";
}

class Writing {
  pictures = 0;

  blocks(nodes: Blocks): object[] {
    return nodes.flatMap((node) => this.#block(node));
  }

  #block({ t, c }: Node): readonly object[] {
    // Pandoc's type documentation describes the content of each: https://hackage.haskell.org/package/pandoc-types
    const parts = c as readonly never[];
    const items = (c as readonly unknown[] | undefined) ?? [];
    switch (t) {
      case "Para":
      case "Plain":
        return this.#text(parts, (text) => ({ type: "paragraph", text }));
      case "Header":
        return this.#text(parts[2] ?? [], (text) => ({ type: "heading", level: Math.min(6, Math.max(1, Number(parts[0]))), text }));
      case "LineBlock":
        return this.#text(linesJoined(parts), (text) => ({ type: "paragraph", text }));
      case "CodeBlock":
        return [{ type: "code", code: String(parts[1]) }];
      case "BlockQuote":
        return [{ type: "quote", blocks: this.blocks(parts) }];
      case "BulletList":
        return [{ type: "list", items: (parts as readonly Blocks[]).map((item) => this.blocks(item)) }];
      case "OrderedList":
        return [
          {
            type: "list",
            start: Number((items[0] as readonly unknown[])[0]),
            items: (items[1] as readonly Blocks[]).map((item) => this.blocks(item)),
          },
        ];
      case "DefinitionList":
        return [
          { type: "list", items: (parts as readonly (readonly [Blocks, readonly Blocks[]])[]).map((entry) => this.#definition(entry)) },
        ];
      case "Table":
        return this.#table(parts);
      case "Div":
        return this.blocks(parts[1] ?? []);
      case "Figure":
        return [...this.blocks(parts[2] ?? []), ...this.blocks(parts[1]?.[1] ?? [])];
      default:
        return [];
    }
  }

  /** A block for the text, if any, and one for each picture in it. */
  #text(inlines: Blocks, blockOf: (text: readonly Written[]) => object): readonly object[] {
    const { runs, pictures } = runsOf(inlines, (blocks) => this.blocks(blocks));
    this.pictures += pictures.length;
    const shown = pictures.map((description) => ({ type: "picture", ...(description !== "" && { description }) }));
    return [...(runs.length > 0 ? [blockOf(runs)] : []), ...shown];
  }

  #definition([term, meanings]: readonly [Blocks, readonly Blocks[]]): object[] {
    return [...this.#text(term, (text) => ({ type: "paragraph", text })), ...meanings.flatMap((meaning) => this.blocks(meaning))];
  }

  /** The caption above a table, then its rows: head, bodies, foot. */
  #table([, caption, , head, bodies, foot]: readonly never[]): readonly object[] {
    type Row = readonly [unknown, readonly (readonly [unknown, unknown, number, number, Blocks])[]];
    const rowsIn = (rows: readonly Row[] | undefined, isHead: boolean) =>
      (rows ?? []).map(([, cells]) =>
        cells.map(([, , rowSpan, columns, blocks], place) => ({
          ...((isHead || place < this.#headColumns) && { head: true }),
          ...(columns > 1 && { columns }),
          ...(rowSpan > 1 && { rows: rowSpan }),
          blocks: this.blocks(blocks),
        })),
      );
    const rows = rowsIn(head?.[1], true);
    for (const [, headColumns, more, body] of (bodies ?? []) as readonly (readonly [unknown, number, readonly Row[], readonly Row[]])[]) {
      this.#headColumns = headColumns;
      rows.push(...rowsIn(more, true), ...rowsIn(body, false));
      this.#headColumns = 0;
    }
    rows.push(...rowsIn(foot?.[1], false));
    return [...this.blocks(caption?.[1] ?? []), { type: "table", rows }];
  }

  /** Of the table body being written. */
  #headColumns = 0;
}

function linesJoined(lines: readonly Blocks[]): Blocks {
  return lines.flatMap((line, place) => (place === 0 ? line : [{ t: "LineBreak" }, ...line]));
}
