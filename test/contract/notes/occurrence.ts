/** A file that raises a note. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { OptionValues } from "#services/conversion/domain/engine.ts";
import type { NoteCode } from "#services/conversion/domain/notes.ts";

export type Content = string | Buffer | ((path: string, folder: string) => Promise<unknown>);
export type Occurrence = {
  readonly engine: string;
  readonly hop: string;
  readonly code: NoteCode;
  readonly content: Content;
  /** The options that raise the note, if the defaults do not. */
  readonly options?: OptionValues;
};

export async function writeContent(content: Content, path: string, folder: string): Promise<void> {
  if (typeof content === "function") await content(path, folder);
  else await writeFile(path, content);
}

export const latin = (text: string) => Buffer.from(text, "latin1");

/** Copies a sample from the corpus. */
export async function copy(sample: string, path: string): Promise<void> {
  await writeFile(path, await readFile(join("test/corpus/typical", sample)));
}

/** A drawing with text on a path, a transformation about a point, and a WebP. */
export const undrawn =
  '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><path id="a" d="M0 9h9"/><text><textPath href="#a">A</textPath></text>' +
  '<g transform="rotate(9)" transform-origin="4 4"><image href="data:image/webp;base64,UklGRg=="/></g></svg>';
