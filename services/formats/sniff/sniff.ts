import { formatsOfFileName } from "#formats/table/lookup.ts";
import { binaryContentOf, networkGraphicsContentOf } from "./binary.ts";
import type { Content } from "./content.ts";
import { decodeText, encodingOf, isUnmarked16 } from "./encoding.ts";
import { headerless } from "./headerless.ts";
import { type SniffableFile, type Source, withSource } from "./source.ts";
import { textContentOf } from "./text.ts";

/** What a file is. */
export type Sniffed = {
  /** A format id. Undefined: neither content nor name tells, or, with `nameDisagrees`, the content is not what the name claims. */
  readonly format: string | undefined;
  readonly toldBy: "content" | "name";
  /** The name stands for another format than the content. */
  readonly nameDisagrees: boolean;
  readonly sizeBytes: number;
};

/**
 * Tells a file's format by its content, and by its name where the content leaves it open: a name chooses among what the
 * content allows, and is never believed against it. Reads the first 64 KiB and bounded parts elsewhere (a ZIP's directory, say).
 * Rejects only when the file cannot be read. An empty file is what its name says.
 */
export function sniff(file: SniffableFile, fileName: string): Promise<Sniffed> {
  return withSource(file, (source) => sniffSource(source, fileName));
}

/** The same of a file that is opened already. */
export async function sniffSource(source: Source, fileName: string): Promise<Sniffed> {
  const named = formatsOfFileName(fileName).map((row) => row.id);
  return { ...verdictOf(source, named, await contentOf(source)), sizeBytes: source.sizeBytes };
}

/** What is read as UTF-16 of any script without a mark, where the name says so. */
const wide = [
  ..."csv tsv psv json ndjson json5 yaml toml xml ini properties srt vtt sbv sub lrc ass ssa ttml smi ics vcf".split(" "),
  ...headerless,
];

async function contentOf(source: Source): Promise<Content | undefined> {
  if (source.sizeBytes === 0) return undefined;
  // Its mark was made to be no text, but a short broken one may pass for it in some code page.
  const picture = networkGraphicsContentOf(source.head);
  if (picture !== undefined) return picture;
  const encoding = encodingOf(source.head);
  if (encoding === undefined)
    return (await binaryContentOf(source)) ?? (isUnmarked16(source.head) ? { format: undefined, orNamed: wide } : undefined);
  const text = textContentOf(decodeText(source.head, encoding));
  // Raw samples may look like a text in some code page.
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
