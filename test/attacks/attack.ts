/** A row of the attack table. */
import type { ErrorCode } from "#contract/errors.ts";

/** Targets of hostile files. All of them exist outside of every job, and none may be touched. */
export type Aim = {
  /** Address of a listener that records calls, without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** A text file that the service's user may read, with a random string. */
  readonly secretFile: string;
  /** A picture in a single colour with the same string. */
  readonly secretPicture: string;
  /** A stored file of another account, with the same string. */
  readonly neighbour: string;
  /** A folder that a successful attack would write to. */
  readonly outDir: string;
};

/** The engine that an attack targets, whatever hops the route has. */
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
  /** Class in the list of known attacks, and the specific variant: `IM8-entities`. */
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
   * `converts`: an answer with a result that contains nothing of the targets. `is bounded`: that, or any refusal by
   * the engine or its limits, depending on the machine's speed and the tool's age; time and memory stay within bounds.
   */
  readonly outcome: "converts" | "is bounded" | ErrorCode;
  /** Refused before any engine starts. */
  readonly isEarly?: boolean;
};

type Case = [id: string, what: string, fileName: string, content: Attack["content"], outcome: Attack["outcome"]];

/** Makes the rows of one engine. */
export function attackOn(engine: AimedEngine) {
  return (...[id, what, fileName, content, outcome, to, more]: [...Case, to: readonly string[], more?: Partial<Attack>]): Attack => ({
    ...{ id, what, engine, fileName, content, outcome, to },
    ...more,
  });
}

/** Makes rows that convert to the same formats, unless they say otherwise. */
export function attackTo(to: readonly string[]) {
  return (engine: AimedEngine, ...[id, what, fileName, content, outcome, more]: [...Case, more?: Partial<Attack>]): Attack =>
    attackOn(engine)(id, what, fileName, content, outcome, to, more);
}

/** Makes the rows of one engine that convert to the same formats, unless they say otherwise. */
export function attackOnTo(engine: AimedEngine, to: readonly string[]) {
  return (...row: [...Case, more?: Partial<Attack>]): Attack => attackTo(to)(engine, ...row);
}

export const early = { isEarly: true };
export const from = (format: string) => ({ query: `from=${format}` });
