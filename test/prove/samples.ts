/** The typical file of each format, and its known content. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { formatOf, type Kind } from "#formats/index.ts";

/** A file of a known format, as a check sees it. */
export type KnownFile = { readonly path: string; readonly format: string; readonly kind: Kind };

export type Sample = KnownFile & {
  readonly name: string;
  /** Words, cells or cue text that the sample is known to contain. */
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
 * The typical data file is a list of records. Formats of settings, addresses or places use those samples,
 * OCR uses a page, converters of pages with files use a site, and joining audio uses an archive of it.
 */
const names = ["typical", "sounds", "settings", "people", "places", "page", "subtitled", "older"] as const;

/** Empty if the corpus has none: then nothing of this format is proven. Later samples are for routes that the earlier ones do not suit. */
export function samplesOf(format: string): readonly Sample[] {
  const kind = kindOf(format);
  return names.flatMap((name) => {
    // A transport stream must not look like TypeScript.
    const path = ["", ".bin"].map((end) => join(corpus, kind, `${name}.${format}${end}`)).find((each) => existsSync(each));
    const known = name === "typical" ? (contents[format] ?? contents[kind]) : contents[name];
    return path === undefined ? [] : [{ path, format, kind, name, contents: known ?? [] }];
  });
}
