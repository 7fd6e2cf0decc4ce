/** Well-formedness of a file or the parts of a package. */
import { statSync } from "node:fs";
import { mkdtemp, open, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ended, linesOf } from "./program.ts";

const isPart = (name: string): boolean => /\.(xml|rels|xhtml|opf|ncx|svg|kml|rdf|model|vml|fpage|fdoc|fdseq)$/i.test(name);

async function isPackage(path: string): Promise<boolean> {
  await using file = await open(path);
  const { buffer } = await file.read(Buffer.alloc(4), 0, 4, 0);
  return buffer.toString("latin1") === "PK\x03\x04";
}

/** Loads nothing from elsewhere. */
async function checked(paths: readonly string[], folder: string): Promise<readonly string[]> {
  if (paths.length === 0) return [];
  const { code, said } = await ended("xmllint", "--noout", "--nonet", "--huge", ...paths);
  if (code === 0) return [];
  const lines = linesOf(said.replaceAll(`${folder}/`, ""), paths[0]).filter((line) => /error/.test(line));
  return lines.length === 0 ? [`exit code ${code}`] : lines;
}

export async function xmlComplaints(path: string): Promise<readonly string[]> {
  if (!(await isPackage(path))) return checked([path], "");
  const folder = await mkdtemp(join(tmpdir(), "filemill-judge-"));
  try {
    await ended("7z", "x", "-bd", "-y", "-p", `-o${folder}`, path);
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const parts = entries.filter((entry) => entry.isFile() && isPart(entry.name)).map(({ parentPath, name }) => join(parentPath, name));
    // Office programs reserve a part for keyboard shortcuts, which is empty without any.
    const filled = parts.filter((part) => statSync(part).size > 0);
    if (filled.length === 0) return ["holds no part of XML"];
    return await checked(filled, folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
