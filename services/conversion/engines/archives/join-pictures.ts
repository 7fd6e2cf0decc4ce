/** Embeds the pictures of an archive in the chapters that show them, so that they do not become chapters themselves. */
import { rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { FileRef } from "#services/conversion/domain/engine.ts";
import { markups, pandocFilter, pandocFilters } from "../documents/pandoc-hops.ts";
import { words } from "../shared/hop-table.ts";
import { bound, type Entry, type Joining } from "./join.ts";

const program = "/usr/bin/pandoc";
const picturesFilter = "/engine/pictures.lua";
const filters = { [join(import.meta.dirname, "join-pictures.lua")]: picturesFilter, ...pandocFilters };
const listInside = "/engine/pictures.txt";

const chapterFormats = new Set(words("md html rst org textile mediawiki dokuwiki"));
/** Formats that every book and document reader shows. */
const shown: Readonly<Record<string, string>> = { png: "image/png", jpg: "image/jpeg", gif: "image/gif" };

/** The chapters unchanged, or as HTML with their pictures embedded, without the picture files that any of them shows. */
export async function withPictures(joining: Joining, kept: AsyncDisposableStack): Promise<readonly Entry[]> {
  const { entries, session, task } = joining;
  const pictures = entries.filter(({ kind }) => kind === "image" || kind === "vector");
  const hasChapters = entries.some(({ format }) => chapterFormats.has(format));
  if (pictures.length === 0 || !hasChapters) return entries;
  const files: FileRef[] = [];
  for (const picture of pictures) files.push(shown[picture.format] === undefined ? await joining.convert(picture, "png") : picture);
  const { paths, readOnly } = bound(files);
  const coding = `for each in "$@"; do base64 -w0 "$each" > "/job/coded-\${each##*/}" || exit 1; done`;
  await session.run({ program: "/bin/sh", args: ["-c", coding, "sh", ...paths], readOnly });
  const list = files.map(({ format }, index) => {
    const place = paths[index] ?? "";
    return `${shown[format]} /job/coded-${place.slice(place.lastIndexOf("/") + 1)} ${pictures[index]?.name}\n`;
  });
  const used = new Set<Entry>();
  const made: Entry[] = [];
  for (const [index, entry] of entries.entries()) {
    const path = `${task.outputPath}.chapter-${index + 1}.html`;
    const found = chapterFormats.has(entry.format) ? await embedded(joining, entry, { list: list.join(""), path }) : [];
    if (found.length === 0) {
      made.push(entry);
      continue;
    }
    kept.defer(() => rm(path, { force: true }));
    for (const number of found) used.add(pictures[number - 1] ?? entry);
    made.push({ ...entry, path, format: "html", writtenAs: entry.format });
  }
  return made.filter((entry) => !used.has(entry));
}

type Embedding = { readonly list: string; readonly path: string };

/** Numbers, from 1, of the pictures that a chapter shows, which is written to `path`. None if it shows none or cannot be read here. */
async function embedded({ session, task, remark }: Joining, entry: Entry, { list, path }: Embedding): Promise<readonly number[]> {
  const reader = markups[entry.format]?.reader;
  if (reader === undefined) return [];
  const hostList = `${task.outputPath}.pictures`;
  await writeFile(hostList, `${dirname(entry.name)}\n${list}`, { mode: 0o644 });
  const { paths, readOnly } = bound([entry]);
  const end = await session.run({
    program,
    args: [
      ...words("+RTS -M512m -RTS --sandbox -t html --mathml --standalone -o /job/chapter.html -f"),
      reader,
      ...[picturesFilter, pandocFilter].map((inside) => `--lua-filter=${inside}`),
      ...paths,
    ],
    readOnly: { ...readOnly, ...filters, [hostList]: listInside },
    limits: { addressSpace: false },
  });
  await rm(hostList, { force: true });
  // Not UTF-8, or damaged: the format's own route can handle it.
  if (end.exitCode !== 0 || /falling back to latin1/.test(end.stderr) || /^filemill:zeros$/m.test(end.stdout)) return [];
  const numbers = [...end.stdout.matchAll(/^filemill:shows=(\d{1,4})$/gm)].map(([, number]) => Number(number));
  if (numbers.length === 0) return [];
  const missing = Number(/^filemill:images-removed=(\d+)$/m.exec(end.stdout)?.[1] ?? 0);
  if (missing > 0) remark(entry, missing === 1 ? "One picture was left out." : `${missing} pictures were left out.`);
  await session.adopt("chapter.html", path);
  return numbers;
}
