import { archiveFormats } from "./archive.ts";
import { audioFormats } from "./audio.ts";
import { dataFormats } from "./data.ts";
import { diagramFormats } from "./diagram.ts";
import { documentFormats } from "./document.ts";
import { ebookFormats } from "./ebook.ts";
import { emailFormats } from "./email.ts";
import { fontFormats } from "./font.ts";
import { geoFormats } from "./geo.ts";
import { imageFormats } from "./image.ts";
import { modelFormats } from "./model.ts";
import { presentationFormats } from "./presentation.ts";
import type { FormatRow } from "./row.ts";
import { spreadsheetFormats } from "./spreadsheet.ts";
import { subtitleFormats } from "./subtitle.ts";
import { vectorFormats } from "./vector.ts";
import { videoFormats } from "./video.ts";

/** Every format that this build knows, in the order of kinds. What a deployment can convert is up to the catalogue. */
export const formats: readonly FormatRow[] = [
  ...imageFormats,
  ...vectorFormats,
  ...documentFormats,
  ...spreadsheetFormats,
  ...presentationFormats,
  ...ebookFormats,
  ...audioFormats,
  ...videoFormats,
  ...subtitleFormats,
  ...archiveFormats,
  ...fontFormats,
  ...modelFormats,
  ...dataFormats,
  ...geoFormats,
  ...emailFormats,
  ...diagramFormats,
];

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
