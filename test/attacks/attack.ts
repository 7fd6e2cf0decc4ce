/** What a row of the table of attacks is. */
import type { ErrorCode } from "#contract/errors.ts";

/** What hostile files point at. All of it exists, outside of every job, and none of it may be touched. */
export type Aim = {
  /** Of a listener that counts who calls, without a slash at the end. */
  readonly url: string;
  readonly port: number;
  /** A text file that the service's user may read, with a random string. */
  readonly secretFile: string;
  /** A picture that is all of one colour and carries the same string. */
  readonly secretPicture: string;
  /** The stored file of another account, with the same string. */
  readonly neighbour: string;
  /** A folder that a successful attack would write into. */
  readonly outDir: string;
};

/** Whatever the hop or hops of an attack run by, the one that it is made for. */
export const aimedEngines = [
  ...(["sharp", "imagemagick", "libheif", "libjxl", "libtiff", "potrace", "tesseract", "rsvg", "svgo"] as const),
  ...([
    "poppler",
    "pdf",
    "pdf-change",
    "office-change",
    "mupdf",
    "ghostscript",
    "pandoc",
    "libreoffice",
    "chromium",
    "fontforge",
    "fonttools",
  ] as const),
  ...(["ffmpeg", "archive", "data", "subtitle", "mail", "libraw", "icnsutils", "fluidsynth"] as const),
  ...(["graphviz", "assimp", "meshoptimizer", "shapes", "djvulibre", "calibre", "gdal", "gpsbabel", "join-pdf"] as const),
] as const;
export type AimedEngine = (typeof aimedEngines)[number];

export type Attack = {
  /** Class in the list of known attacks, and what is special about this one: `IM8-entities`. */
  readonly id: string;
  /** For the table in SECURITY.md. */
  readonly what: string;
  readonly engine: AimedEngine;
  readonly fileName: string;
  content(aim: Aim): Uint8Array | string;
  readonly to: readonly string[];
  /** Query of the request, without `?`. */
  readonly query?: string;
  /**
   * `converts`: an answer with a result in which nothing of the aim is. `is bounded`: that, or any refusal of the engine or of its
   * limits, as the speed of the machine and the age of the tool decide; time and memory stay within their bounds.
   */
  readonly outcome: "converts" | "is bounded" | ErrorCode;
  /** The refusal comes before any engine is started. */
  readonly isEarly?: boolean;
};
