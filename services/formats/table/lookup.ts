import data from "./data.json" with { type: "json" };
import documents from "./documents.json" with { type: "json" };
import media from "./media.json" with { type: "json" };
import { type FormatRow, type Kind, kinds } from "./row.ts";

type Cells = readonly [id: string, label: string, extensions: string, mime: string];
const table = { ...media, ...documents, ...data } as unknown as Readonly<Record<Kind, readonly Cells[]>>;

/** Every format that this build knows, in the order of kinds. What a deployment can convert is up to the catalogue. */
export const formats: readonly FormatRow[] = kinds.flatMap((kind) =>
  table[kind].map(([id, label, extensions, mime]) => ({ id, label, kind, extensions: extensions.split(" "), mime })),
);

/**
 * Extensions that several formats share, and the format that the bare extension means. The others are detected by content only, or
 * requested by their id.
 */
export const sharedExtensions: Readonly<Record<string, string>> = {
  amf: "amf",
  dot: "dot",
  fit: "fit",
  html: "html",
  hwp: "hwp",
  iff: "ilbm",
  json: "json",
  m4a: "m4a",
  mjpg: "mjpeg",
  pdf: "pdf",
  plt: "plt",
  stl: "stl",
  sub: "sub",
  svg: "svg",
  tab: "tsv",
  tex: "tex",
  xml: "xml",
};

const byId = new Map(formats.map((row) => [row.id, row]));
const byExtension = new Map<string, readonly FormatRow[]>();
for (const row of formats) {
  for (const extension of row.extensions) {
    const rows = [...(byExtension.get(extension) ?? []), row];
    const owner = sharedExtensions[extension];
    byExtension.set(
      extension,
      rows.toSorted((a, b) => Number(b.id === owner) - Number(a.id === owner)),
    );
  }
}

export function formatOf(id: string): FormatRow | undefined {
  return byId.get(id);
}

const writtenId = /^\.?[a-z0-9]{1,10}(\.[a-z0-9]{1,4})?$/i;

/** The format meant by `JPEG`, `.jpg` or `tar.gz`; undefined for anything else. An id takes precedence over an extension. */
export function parseFormatId(text: string): FormatRow | undefined {
  if (text.length > 16 || !writtenId.test(text)) return undefined;
  const name = text.toLowerCase().replace(/^\./, "");
  return byId.get(name) ?? byExtension.get(name)?.[0];
}

/** The formats that a file name's extension stands for, the most likely first. The longest extension wins (`a.tar.gz`). */
export function formatsOfFileName(name: string): readonly FormatRow[] {
  const parts = name.slice(-64).trimEnd().toLowerCase().split(".").slice(-3);
  for (let from = 1; from < parts.length; from++) {
    const rows = byExtension.get(parts.slice(from).join("."));
    if (rows !== undefined) return rows;
  }
  return [];
}

/** The format that a file name's extension stands for. */
export function formatOfFileName(name: string): FormatRow | undefined {
  return formatsOfFileName(name)[0];
}
