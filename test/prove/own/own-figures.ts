/** Stored measurements: own-figures.json. */
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { OwnFigure } from "#gateway/docs/own-figures.ts";

export const ownFigureFile = join(import.meta.dirname, "own-figures.json");

/** Key of a requested change. */
export function keyOfAsked({ format, options }: Pick<OwnFigure, "format" | "options">): string {
  return `${format} ${JSON.stringify(options)}`;
}

export async function readOwnFigures(): Promise<readonly OwnFigure[]> {
  return readFile(ownFigureFile, "utf8").then(JSON.parse, (error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
}

/** One line per row, so that diffs show only changed figures. */
export async function writeOwnFigures(rows: readonly OwnFigure[]): Promise<void> {
  await writeFile(`${ownFigureFile}.new`, `[\n${rows.map((row) => JSON.stringify(row)).join(",\n")}\n]\n`);
  await rename(`${ownFigureFile}.new`, ownFigureFile);
}
