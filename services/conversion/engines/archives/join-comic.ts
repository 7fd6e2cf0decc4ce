/**
 * Packs pictures into a comic with bsdtar. Pictures that comic readers show keep their bytes; they are numbered, as not all readers sort
 * names as people do.
 */
import { FilemillError } from "#contract/errors.ts";
import type { FileRef } from "#services/conversion/domain/engine.ts";
import { expecting } from "#services/conversion/domain/expectations.ts";
import { noteTable } from "#services/conversion/domain/notes.ts";
import { firstNames, words } from "../shared/hop-table.ts";
import { probeOf } from "../shared/tool-run.ts";
import { limits, program, throwIfFailed } from "./archive-members.ts";
import { bound, type Entry, type Joining, joinEngineOf } from "./join.ts";

const shown = new Set(words("jpg png gif webp"));
/** Title and authors of a comic, in the file that readers know. */
const facts = "ComicInfo.xml";
const isFacts = ({ name }: Entry): boolean => name.slice(name.lastIndexOf("/") + 1) === facts;
const message =
  "Files that are not pictures, special files, links that do not lead to a file in the archive, and files missing from `order.txt` are left out.";

async function joinComic({ session, task, entries, convert, remark }: Joining): Promise<void> {
  const pages: FileRef[] = [];
  const left: string[] = [];
  for (const entry of entries) {
    if (shown.has(entry.format)) {
      if (entry.isMisnamed) remark(entry, noteTable.CONTENT_TYPE_CORRECTED);
      pages.push(entry);
    } else if (entry.kind === "image" || entry.kind === "vector") pages.push(await convert(entry, "png"));
    else if (!isFacts(entry)) left.push(entry.name);
  }
  if (pages.length === 0) throw new FilemillError("INVALID_INPUT", "The archive contains no pictures.");
  if (left.length > 0) task.note("ENTRIES_LEFT_OUT", `Files that are not pictures were left out: ${firstNames(left, 5)}.`);
  const info = entries.filter(isFacts).slice(0, 1);
  const { paths, readOnly } = bound([...pages, ...info]);
  const copy = `mkdir /job/comic; for each in "$@"; do cp "$each" /job/comic/ || exit 1; done`;
  const naming = info.length === 0 ? "" : `; mv "/job/comic/\${each##*/}" /job/comic/${facts}`;
  throwIfFailed(await session.run({ program: "/bin/sh", args: ["-c", copy + naming, "sh", ...paths], readOnly, limits }), "write");
  // Pictures are already compressed, and files from an archive have no meaningful time of their own.
  const how = words("-cf /job/out --format=zip --options=zip:compression=store -C /job/comic");
  const pack = `cd /job/comic && ${program} ${how.join(" ")} *`;
  throwIfFailed(await session.run({ program: "/bin/sh", args: ["-c", pack], limits }), "write");
}

export const joinComicEngine = joinEngineOf({
  id: "join-comic",
  label: "bsdtar, joining files",
  lane: "document",
  packages: ["libarchive-tools"],
  targets: { cbz: { fidelity: "high", cost: 500, expects: [expecting("ENTRIES_LEFT_OUT", message)] } },
  badInput: [],
  probe: probeOf(program, ["--version"], /libarchive (\d[\d.]*)/),
  join: joinComic,
});
