/** Joins chapters into one HTML page with pandoc, one file after another; the ordinary routes turn that page into a book. */
import { join } from "node:path";
import { FilemillError } from "#contract/errors.ts";
import type { FileRef } from "#services/conversion/domain/engine.ts";
import { throwIfFailed } from "../shared/bad-input.ts";
import { words } from "../shared/hop-table.ts";
import { probeOf } from "../shared/tool-run.ts";
import { bound, type Joining, joinEngineOf } from "./join.ts";
import { withPictures } from "./join-pictures.ts";

const program = "/usr/bin/pandoc";
const title = join(import.meta.dirname, "join-title.lua");
const titleInside = "/engine/title.lua";
const badInput = [64, 65, 91, 93];
/** Text formats without styles of their own. */
const plain = new Set(words("md txt rst org adoc textile mediawiki dokuwiki ipynb tex"));

async function joinHtml({ session, task, entries, convert, remark }: Joining): Promise<void> {
  const parts: FileRef[] = [];
  for (const entry of entries) {
    const isPicture = entry.kind === "image" || entry.kind === "vector";
    if (isPicture) {
      const picture = await convert(entry, "png");
      parts.push({ ...picture, format: "png" });
      continue;
    }
    parts.push(await convert(entry, "html"));
    if (!plain.has(entry.writtenAs ?? entry.format)) remark(entry, "Fonts, colours and positions are left out.");
  }
  const { paths, readOnly } = bound(parts);
  const chapters: string[] = [];
  for (const [index, path] of paths.entries()) chapters.push(await chapterOf(path, index));
  async function chapterOf(path: string, index: number): Promise<string> {
    const made = `/job/chapter-${index}.html`;
    const pictured = `{ printf '<p><img src="data:image/png;base64,'; base64 -w0 ${path}; printf '"></p>'; } > ${made}`;
    // Pandoc treats the page title as a repetition of the metadata and drops it.
    const titled = `LC_ALL=C sed 's/<h1 class="title">/<h1>/' ${path} > ${made}`;
    await session.run({ program: "/bin/sh", args: ["-c", path.endsWith(".png") ? pictured : titled], readOnly });
    return made;
  }
  const args = [
    ...words("+RTS -M1g -RTS --sandbox -f html -t html --standalone --file-scope --mathml --wrap=preserve -o /job/out"),
    `--lua-filter=${titleInside}`,
    ...chapters,
  ];
  const end = await session.run({ program, args, readOnly: { ...readOnly, [title]: titleInside }, limits: { addressSpace: false } });
  if (end.exitCode === 251)
    throw new FilemillError("INPUT_TOO_COMPLEX", "The chapters need more memory than a conversion is allowed to use.");
  throwIfFailed(end, badInput, "One of the files is damaged.");
  task.progress(0.95);
}

export const joinHtmlEngine = joinEngineOf({
  id: "join-html",
  label: "Pandoc, joining files",
  lane: "document",
  packages: ["libarchive-tools", "pandoc"],
  targets: { html: { fidelity: "high", cost: 1000 } },
  badInput,
  prepare: withPictures,
  probe: probeOf(program, ["--version"], /^pandoc\S* (\d[\d.]*)/),
  join: joinHtml,
});
