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

/**
 * A list of records is typical of data; what holds named settings, addresses or places takes these, what reads text in pictures a page,
 * what shows a page with its files a site, and what joins sounds an archive of them.
 */
const names = ["typical", "sounds", "settings", "people", "places", "page", "subtitled"] as const;

/** Empty when the corpus has none: then nothing of this format is proven. A later one is for what an earlier one does not suit. */
export function samplesOf(format: string): readonly Sample[] {
  const kind = kindOf(format);
  return names.flatMap((name) => {
    // A transport stream must not look like a program text.
    const path = ["", ".bin"].map((end) => join(corpus, kind, `${name}.${format}${end}`)).find((each) => existsSync(each));
    const known = name === "typical" ? (contents[format] ?? contents[kind]) : contents[name];
    return path === undefined ? [] : [{ path, format, kind, name, contents: known ?? [] }];
  });
}
