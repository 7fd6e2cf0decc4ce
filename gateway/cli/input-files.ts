/** Finds the input files of a command line, and the paths of their results. */
import { readdir, stat } from "node:fs/promises";
import { basename, dirname, extname, join, relative, resolve } from "node:path";
import { FilemillError } from "#contract/errors.ts";
import { unreadable } from "./unreadable.ts";

export type FilePair = { readonly inputPath: string; readonly outputPath: string };

/**
 * All named files, and all files in named folders and their subfolders, with the path of each result. Below `outDir`, results keep the
 * folder structure. If several files would get the same path, they keep their extension: `a.png.webp`, `a.jpg.webp`. Hidden files in
 * folders are skipped.
 *
 * @throws FilemillError BAD_REQUEST if two results would still get the same path, or a file does not exist
 */
export async function filePairsOf(paths: readonly string[], outDir: string, extension: string): Promise<FilePair[]> {
  const files = (await Promise.all(paths.map((path) => filesAt(path, outDir)))).flat();
  const short = ([, place]: FileAt): string => join(outDir, dirname(place), `${basename(place, extname(place))}.${extension}`);
  const alike = Map.groupBy(files, short);
  const taken = new Map<string, string>();
  return files.map((file) => {
    const [inputPath, place] = file;
    const isAlone = alike.get(short(file))?.length === 1;
    const outputPath = isAlone ? short(file) : join(outDir, `${place}.${extension}`);
    const other = taken.get(outputPath);
    if (other !== undefined) {
      throw new FilemillError(
        "BAD_REQUEST",
        `${other} and ${inputPath} would both become ${outputPath}; convert them into separate folders.`,
      );
    }
    taken.set(outputPath, inputPath);
    return { inputPath, outputPath };
  });
}

/** A path, and its relative path below the result folder. */
type FileAt = readonly [path: string, place: string];

async function filesAt(path: string, outDir: string): Promise<FileAt[]> {
  const facts = await stat(path).catch(unreadable(path, "BAD_REQUEST"));
  if (!facts.isDirectory()) return [[path, basename(path)]];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  // There, files are results of an earlier run. A result folder around this one says nothing about the files.
  const outDirIsInside = isInside(outDir, path);
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !isHidden(relative(path, file)) && !(outDirIsInside && isInside(file, outDir)))
    .sort()
    .map((file): FileAt => [file, relative(path, file)]);
}

function isHidden(place: string): boolean {
  return place.split("/").some((part) => part.startsWith("."));
}

/** Whether a path is below a folder. A folder is not inside itself. */
export function isInside(path: string, folder: string): boolean {
  const place = relative(resolve(folder), resolve(path));
  return place !== "" && place !== ".." && !place.startsWith("../");
}
