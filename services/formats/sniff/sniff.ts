import { formatsOfFileName } from "#formats/table/lookup.ts";
import { binaryContentOf, networkGraphicsContentOf } from "./binary.ts";
import type { Content } from "./content.ts";
import { decodeText, encodingOf, isUnmarked16 } from "./encoding.ts";
import { headerless } from "./headerless.ts";
import { type SniffableFile, type Source, withSource } from "./source.ts";
import { textContentOf } from "./text.ts";

/** The detected format of a file. */
export type Sniffed = {
  /** A format id. Undefined: neither content nor name shows it or, with `nameDisagrees`, the content is not what the name claims. */
  readonly format: string | undefined;
  readonly toldBy: "content" | "name";
  /** The name stands for another format than the content. */
  readonly nameDisagrees: boolean;
  readonly sizeBytes: number;
};

/**
 * Detects a file's format by its content. Where the content leaves it open, the name chooses among what the content allows, but it never
 * overrides the content. Reads the first 64 KiB and limited parts elsewhere, such as a ZIP's directory. Rejects only if the file cannot
 * be read. An empty file has the format that its name says.
 */
export function sniff(file: SniffableFile, fileName: string): Promise<Sniffed> {
  return withSource(file, (source) => sniffSource(source, fileName));
}

/** The same for an open file. */
export async function sniffSource(source: Source, fileName: string): Promise<Sniffed> {
  const named = formatsOfFileName(fileName).map((row) => row.id);
  return { ...verdictOf(source, named, await contentOf(source)), sizeBytes: source.sizeBytes };
}

/** Formats accepted as UTF-16 of any script without a byte order mark if the name says so. */
const wide = [
  ..."csv tsv psv json ndjson json5 yaml toml xml ini properties srt vtt sbv sub lrc ass ssa ttml smi ics vcf".split(" "),
  ...headerless,
];

async function contentOf(source: Source): Promise<Content | undefined> {
  if (source.sizeBytes === 0) return undefined;
  // The PNG signature was designed not to be text, but a short broken file may pass for text in some code page.
  const picture = networkGraphicsContentOf(source.head);
  if (picture !== undefined) return picture;
  const encoding = encodingOf(source.head);
  if (encoding === undefined)
    return (await binaryContentOf(source)) ?? (isUnmarked16(source.head) ? { format: undefined, orNamed: wide } : undefined);
  const text = textContentOf(decodeText(source.head, encoding));
  // Raw samples may look like text in some code page.
  return encoding === "legacy" && text.format === "txt" ? { ...text, orNamed: [...(text.orNamed ?? []), ...headerless] } : text;
}

function verdictOf(source: Source, named: readonly string[], content: Content | undefined): Omit<Sniffed, "sizeBytes"> {
  if (source.sizeBytes === 0) return { format: named[0], toldBy: "name", nameDisagrees: false };
  if (content === undefined) {
    const believed = named.find((id) => headerless.has(id));
    return { format: believed, toldBy: "name", nameDisagrees: believed === undefined && named.length > 0 };
  }
  const { format, orNamed = [], under = [] } = content;
  if (format !== undefined && named.includes(format)) return { format, toldBy: "content", nameDisagrees: false };
  const chosen = named.find((id) => orNamed.includes(id));
  if (chosen !== undefined) return { format: chosen, toldBy: "name", nameDisagrees: false };
  const isNarrower = named.some((id) => under.includes(id));
  return { format, toldBy: "content", nameDisagrees: named.length > 0 && !isNarrower };
}
