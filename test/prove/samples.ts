/** The typical file of each format, and what is known to be in it. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { formatOf, type Kind } from "#formats/index.ts";

/** A file of a known format, as a check sees it. */
export type KnownFile = { readonly path: string; readonly format: string; readonly kind: Kind };

export type Sample = KnownFile & {
  readonly name: string;
  /** Words, cells or cue texts that whoever made the sample put in. */
  readonly contents: readonly string[];
};

const corpus = join(import.meta.dirname, "../corpus/typical");
const contents: Readonly<Record<string, readonly string[]>> = JSON.parse(readFileSync(join(corpus, "contents.json"), "utf8"));

export function kindOf(format: string): Kind {
  const row = formatOf(format);
  if (row === undefined) throw new Error(`no such format: ${format}`);
  return row.kind;
}

/** Undefined when the corpus has none: then nothing of this format is proven. */
export function sampleOf(format: string): Sample | undefined {
  const kind = kindOf(format);
  // A transport stream must not look like a program text.
  const path = ["", ".bin"].map((end) => join(corpus, kind, `typical.${format}${end}`)).find((each) => existsSync(each));
  if (path === undefined) return undefined;
  return { path, format, kind, name: "typical", contents: contents[format] ?? contents[kind] ?? [] };
}
