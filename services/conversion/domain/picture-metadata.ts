/** One rule for what a picture's file says beside the picture (decision 56): it is carried over, or a note names what is not. */
import { canHave, formatOf } from "#formats/index.ts";
import type { FileRef, OptionValues } from "./engine.ts";
import type { NoteCode } from "./notes.ts";

/** What is told, in words for people. */
export const tellable = {
  details: "camera, date and author (EXIF)",
  place: "the place where it was taken (GPS)",
  xmp: "XMP",
  iptc: "IPTC",
  comments: "comments",
} as const;
export type Tellable = keyof typeof tellable;
export type Told = { readonly source: readonly Tellable[]; readonly result: readonly Tellable[] };

export type MetadataPorts = {
  /** Undefined where it cannot be told. */
  metadata(source: Pick<FileRef, "path" | "format">, result: Pick<FileRef, "path" | "format">): Promise<Told | undefined>;
};

/** A page may hold a whole JPEG, with all that it says. */
const isPage = (format: string): boolean => format === "pdf";

/** Whether anything can be lost or kept between these formats. */
export function mayTell(from: string, to: string): boolean {
  return canHave(from, "metadata") && (formatOf(to)?.kind === "image" || to === "svg" || isPage(to));
}

/** Whether a result can say where the picture was taken. */
export function mayKeepPlace(from: string, to: string): boolean {
  // FFmpeg, which alone makes other pictures of an APNG, reads none.
  const isRead = from !== "apng" || to === "jxl";
  return mayTell(from, to) && isRead && (canHave(to, "metadata") || (isPage(to) && from === "jpg"));
}

/** Notes what a picture no longer says, and that it says where it was taken. */
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
  const lost = Object.entries(tellable).filter(([name]) => told.source.some((each) => each === name && !told.result.includes(each)));
  // Who asks for it to be left out need not be told that it was.
  if (lost.length > 0 && asked.metadata !== "strip") {
    note("METADATA_DROPPED", `Not carried over: ${lost.map(([, words]) => words).join("; ")}.`);
  }
  if (told.result.includes("place")) note("PLACE_KEPT");
}
