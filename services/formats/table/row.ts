/** The kinds in the public API. */
export const kinds = [
  "image", // Made of pixels.
  "vector", // Made of shapes.
  "document", // Text with or without layout, including markup.
  "spreadsheet",
  "presentation",
  "ebook", // Books and comics.
  "audio", // Sampled or sequenced.
  "video",
  "subtitle",
  "archive", // Files that contain files, and compressed streams.
  "font",
  "model", // Three-dimensional.
  "data", // Records and values.
  "geo", // Places, tracks and maps.
  "email", // Messages, contacts and appointments.
  "diagram", // Graphs.
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
