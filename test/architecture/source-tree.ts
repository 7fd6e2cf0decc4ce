import { readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { readSource, type SourceFile } from "./source-file.ts";

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Every source file of these folders. */
export function readTree(...folders: readonly string[]): readonly SourceFile[] {
  return pathsBelow(folders)
    .filter((path) => /\.(ts|mts|mjs|js|tsx)$/.test(path))
    .map((path) => readSource(root, path));
}

/** Every file of these folders, relative to the root. */
export function pathsBelow(folders: readonly string[]): readonly string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(root, join(entry.parentPath, entry.name)))
      .filter((path) => !path.includes("node_modules")),
  );
}
