/** Archives repacked by bsdtar (libarchive): every member is hashed before and after. */
import { rm, stat } from "node:fs/promises";
import { FilemillError } from "#contract/errors.ts";
import { defineEngine, type EngineHost, type HopTask } from "#services/conversion/domain/engine.ts";
import { LacksContent } from "#services/conversion/domain/failure.ts";
import type { Answer } from "#services/conversion/domain/questions.ts";
import { askForFile, askMade } from "../shared/ask-inspector.ts";
import { inputInside, openToolSession, type ToolSession, versionLineOf } from "../shared/tool-run.ts";
import { archiveHops, packings, streams } from "./archive-hops.ts";
import {
  badInput,
  limits,
  list,
  listUnwanted,
  maxListingBytes,
  named,
  openListed,
  program,
  throwIfFailed,
  unpackWanted,
  type Work,
} from "./archive-members.ts";
import { assertStreamWhole, badStream, compressionOf, recompress, unpackerPrograms } from "./compressed-streams.ts";
import { noteLostExtras } from "./tar-extras.ts";

async function run({ sandbox, inspector }: EngineHost, task: HopTask): Promise<void> {
  await using session = await openToolSession(sandbox, task);
  if (streams[task.hop.to] === undefined) await repack({ session, task, inspector });
  else await recompress(session, task);
  await session.adopt("out");
}

async function repack(work: Work): Promise<void> {
  const { session, task } = work;
  const packing = packings[task.hop.to];
  if (packing === undefined) throw new FilemillError("INTERNAL", "No such archive.");
  await assertStreamWhole(session, task);
  await using archive = await openListed(work);
  const { source, listing, names } = archive;
  const members = await listUnwanted(work, archive);
  // Cabinets store no permissions, and LHA seldom does; bsdtar makes them up.
  if (members.isLoose && !["cab", "lzh"].includes(task.hop.from)) task.note("PERMISSIONS_REDUCED");
  const target = ["-cf", "/job/out", `--format=${packing.format}`, ...compressionOf(task, packing)];
  // Without inode numbers of their own, cpio readers take files for links to each other.
  const isNumberless = packing.format === "newc" && packings[task.hop.from]?.isUnix !== true;
  // Packing directly from one to the other keeps the most, but it may lose a file whose inode number is that of the result, and it keeps
  // `./` before names, under which readers of non-Unix archives do not find them. It also keeps permissions, every member of a repeated
  // name, and unchecked hard link targets.
  const isDotted = names.isDotted && source === inputInside;
  // libarchive composes decomposed accents as it reads names.
  const isAsNamed = !names.hasTwins && !names.isDecomposed;
  const isAsRead = isAsNamed && !names.hasOwnTimes;
  const isLinked = members.isLinked || (members.hasEmpty && hidesLinks.has(task.hop.from));
  const isStraight = !members.isLoose && !isLinked && isAsRead && (packing.isUnix ? !isNumberless : !isDotted);
  let held = isStraight ? await packStraight(work, archive, target) : undefined;
  if (held?.isResult !== true) {
    await rm(session.pathOf("out"), { force: true });
    const named = names.isDecomposed && source === inputInside ? [task.input.path] : [];
    await packFolder(work, { source, listing, named, isUnix: packing.isUnix }, target);
    held = isLinked ? undefined : await holds(work, listing);
    // Only what was unpacked shows the content of links, and of files that end with a hole.
    if (held?.isResult !== true) held = await holds(work, await listUnpacked(session));
  }
  if (!held.isResult) throw new LacksContent("The archive contains names or files that the target format cannot store.");
  const isSame = task.hop.from === task.hop.to && source === inputInside;
  const isWhole = isSame && members.unwanted.names.length === 0 && members.shadowed === 0 && !members.isLoose;
  if (isWhole && (await stat(session.pathOf("out"))).size >= task.input.sizeBytes) return await keepSource(session, task);
  noteTimes(task, held);
  if (names.isBeyondJoliet && task.hop.to === "iso") task.note("NAMES_CHANGED", namesCut);
  if (names.isCommented) task.note("METADATA_DROPPED", "Comments of the archive or its files were left out.");
  if (held.otherOwners.names.length > 0) task.note("METADATA_DROPPED", `Left out: owners, or their names, of ${named(held.otherOwners)}.`);
  await noteLostExtras(session, task);
}

/** Used if nothing had to be left out and repacking saved nothing. */
async function keepSource(session: ToolSession, task: HopTask): Promise<void> {
  const end = await session.run({ program: "/bin/cp", args: [inputInside, "/job/out"], limits });
  if (end.exitCode !== 0) throw new FilemillError("CONVERSION_FAILED", "The archive could not be returned unchanged.");
  task.note("SOURCE_KEPT");
}

const namesCut =
  "Names of more than 103 characters are shortened for Windows, and the characters * : ; ? and \\ replaced; other systems see them as they are.";

/** libarchive lists links to a file in these as empty files, and so does it the file itself if its content comes with the last link. */
const hidesLinks: ReadonlySet<string> = new Set(["cpio", "rpm", "xar", "iso", "rar", "cbr"]);

function noteTimes({ hop, note }: HopTask, { hasCutTimes, otherTimes }: Answer<"archiveHolds">): void {
  // libarchive writes times before 1970 to 7z but does not read them.
  const isReadable = packings[hop.to]?.format !== "7zip";
  const said = [
    ...(hasCutTimes ? ["File times were truncated to what the format stores, usually whole seconds."] : []),
    ...(isReadable && otherTimes.names.length > 0
      ? [`The format cannot store some files' times, which were changed: ${named(otherTimes)}.`]
      : []),
  ];
  if (said.length > 0) note("NUMBERS_ROUNDED", said.join(" "));
}

const none = { names: [], more: 0 };

async function holds({ session, task, inspector }: Work, listing: string): Promise<Answer<"archiveHolds">> {
  // A result that bsdtar cannot read does not count, and is not the fault of the file.
  if ((await list(session, "/job/out", "after")).exitCode !== 0)
    return { isResult: false, hasCutTimes: false, otherTimes: none, otherOwners: none };
  return await askMade(inspector, "archiveHolds", [session.pathOf("after"), listing], { signal: task.signal });
}

async function packStraight(
  work: Work,
  { source, listing }: Pick<Archive, "source" | "listing">,
  target: readonly string[],
): Promise<Answer<"archiveHolds">> {
  const { session, task } = work;
  const from = ["-X", "/job/unwanted", `@${source}`];
  // bsdtar writes 1970 for access and creation times that a ZIP lacks; the old TAR format has no fields for them.
  const isInvented = packings[task.hop.from]?.format === "zip" && packings[task.hop.to]?.format === "7zip";
  const throughTar = `${program} -cf - --format=gnutar ${from.join(" ")} | ${program} "$@" @-`;
  const command = isInvented
    ? { program: "/bin/bash", args: ["-o", "pipefail", "-c", throughTar, "pack", ...target], limits }
    : { program, args: [...target, ...from], limits };
  throwIfFailed(await session.run(command), "write");
  return await holds(work, listing);
}

/** The members as they were unpacked. */
async function listUnpacked(session: ToolSession): Promise<string> {
  throwIfFailed(await list(session, "/job/wanted", "unpacked"), "read");
  return session.pathOf("unpacked");
}

/** `named`: the original file, if its names differ from those in the listing. `isUnix`: of the target. */
type Archive = { readonly source: string; readonly listing: string; readonly named: readonly string[]; readonly isUnix: boolean };

/**
 * Packs from a list of wanted members, with contents from the folder where everything was unpacked: only there is it known which names are
 * links to one file. Formats without links store the file twice.
 */
async function packFolder(work: Work, { source, listing, named, isUnix }: Archive, target: readonly string[]): Promise<void> {
  const { session, task, inspector } = work;
  await unpackWanted(work, source);
  const asked = { more: { folder: "/job/tree", isUnix }, signal: task.signal, maxBytes: 4 * maxListingBytes };
  await askForFile(inspector, "archiveWanted", [listing, ...named], session.pathOf("wanted"), asked);
  const end = await session.run({ program, args: [...target, "@/job/wanted"], limits });
  throwIfFailed(end, "write");
}

export const archiveEngine = defineEngine({
  id: "archive",
  label: "bsdtar (libarchive)",
  lane: "document",
  packages: ["libarchive-tools", "python3", "gzip", "bzip2", "xz-utils", "zstd", "lz4", "lzip"],
  hops: archiveHops,
  badInput: [...badInput, ...badStream],
  async probe(sandbox) {
    const needed = ["/usr/bin/python3", ...unpackerPrograms].map((each) => `command -v ${each} > /dev/null`);
    const line = await versionLineOf(sandbox, "/bin/sh", ["-c", `${needed.join(" && ")} && exec ${program} --version`]);
    return line === undefined ? undefined : /libarchive (\d[\d.]*)/.exec(line)?.[1];
  },
  run,
});
