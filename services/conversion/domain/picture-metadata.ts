/** One rule for the metadata of pictures (decision 56): it is carried over, or a note names what is not. */
import { canHave, formatOf } from "#formats/index.ts";
import type { FileRef, OptionValues } from "./engine.ts";
import type { NoteCode } from "./notes.ts";
import { attached, exif, type Tellable, tellable } from "./tellable.ts";

export type Told = { readonly source: readonly Tellable[]; readonly result: readonly Tellable[] };

export type MetadataPorts = {
  /** Undefined if it cannot be determined. */
  metadata(source: Pick<FileRef, "path" | "format">, result: Pick<FileRef, "path" | "format">): Promise<Told | undefined>;
};

/** A page may contain a whole JPEG with all its metadata. */
const isPage = (format: string): boolean => format === "pdf";

/** Whether metadata can be lost or kept between these formats. */
export function mayTell(from: string, to: string): boolean {
  return canHave(from, "metadata") && (formatOf(to)?.kind === "image" || to === "svg" || isPage(to));
}

/** Whether a result can contain the location. */
export function mayKeepPlace(from: string, to: string): boolean {
  // FFmpeg, the only engine that converts APNG to pictures other than JPEG XL, reads no metadata.
  const isRead = from !== "apng" || to === "jxl";
  return mayTell(from, to) && isRead && (canHave(to, "metadata") || (isPage(to) && from === "jpg"));
}

/** Notes which metadata a picture has lost, and that it still contains its location. */
export async function noteMetadata(
  ports: MetadataPorts,
  source: Pick<FileRef, "path" | "format">,
  result: Pick<FileRef, "path" | "format">,
  asked: OptionValues,
  note: (code: NoteCode, message?: string) => void,
): Promise<void> {
  if (!mayTell(source.format, result.format)) return;
  const told = await ports.metadata(source, result);
  if (told === undefined) return;
  const isLost = ([name]: readonly [string, string]): boolean => told.source.some((each) => each === name && !told.result.includes(each));
  // A client that requested the removal of metadata needs no note about it.
  const isStripped = asked.metadata === "strip";
  const fields = isStripped ? [] : Object.entries(exif).filter(isLost);
  const others = Object.entries(isStripped ? attached : tellable).filter((each) => !(each[0] in exif) && isLost(each));
  const lost = [...(fields.length === 0 ? [] : [`EXIF (${wordsOf(fields)})`]), ...others.map(([, words]) => words)];
  if (lost.length > 0) note("METADATA_DROPPED", `Not carried over: ${lost.join("; ")}.`);
  if (told.result.includes("place")) note("PLACE_KEPT");
}

const wordsOf = (rows: readonly (readonly [string, string])[]): string => rows.map(([, words]) => words).join(", ");
