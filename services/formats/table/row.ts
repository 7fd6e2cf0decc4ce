/** The kinds in the public API. */
export const kinds = [
  "image",
  "vector",
  "document",
  "spreadsheet",
  "presentation",
  "ebook",
  "audio",
  "video",
  "subtitle",
  "archive",
  "font",
  "model",
  "data",
  "geo",
  "email",
  "diagram",
] as const;
export type Kind = (typeof kinds)[number];

export type FormatRow = {
  /** Matches `^[a-z0-9]{1,16}$`. Clients write it and engines declare it. */
  readonly id: string;
  readonly label: string;
  readonly kind: Kind;
  /** Lower case, without a leading dot, the preferred one first. May contain a dot (`tar.gz`). */
  readonly extensions: readonly string[];
  /** As sent in Content-Type. */
  readonly mime: string;
};

/** Id, label, extensions separated by spaces, media type. */
type Cells = readonly [id: string, label: string, extensions: string, mime: string];

/** The rows of one kind, written as a table. */
export function rowsOf(kind: Kind, table: readonly Cells[]): readonly FormatRow[] {
  return table.map(([id, label, extensions, mime]) => ({ id, label, kind, extensions: extensions.split(" "), mime }));
}
