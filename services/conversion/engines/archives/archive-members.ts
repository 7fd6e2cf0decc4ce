/** The members of an archive, listed by bsdtar (libarchive) and checked before any of them is used. */
import { rm, stat } from "node:fs/promises";
import { FilemillError } from "#contract/errors.ts";
import type { EngineHost, HopTask } from "#services/conversion/domain/engine.ts";
import type { Answer } from "#services/conversion/domain/questions.ts";
import type { SandboxEnd } from "#services/conversion/domain/sandbox.ts";
import { askForFile } from "../shared/ask-inspector.ts";
import { throwIfFailed as failUnlessDone } from "../shared/bad-input.ts";
import { firstNames } from "../shared/hop-table.ts";
import { inputInside, type ToolSession } from "../shared/tool-run.ts";
import { guessesNames, packings } from "./archive-hops.ts";
import { behindLink, isProtected } from "./archive-refusals.ts";

export const program = "/usr/bin/bsdtar";
export const limits = { addressSpace: false, fileBytes: 4.5 * 2 ** 30, folderBytes: 9 * 2 ** 30 };
const listingArgs = ["--format=mtree", "--options=!all,type,size,link,sha256,mode,uid,gid,uname,gname,time"];
export const maxListingBytes = 64 * 2 ** 20;

export type Work = { readonly session: ToolSession; readonly task: HopTask } & Pick<EngineHost, "inspector">;

/** Undamaged files may be compressed by these, as Windows does with files above 2 GB. */
const unreadMethod =
  /Unsupported ZIP compression method \(\d+: ([\w -]{1,40})|Unsupported lzh compression method (-\w{1,8}-)|(?:Un(?:known|expected) codec ID:|Unsupported filter) (\w{1,16})|RAR (solid) archive support/;

/** bsdtar reports the same errors for damaged files and for unknown compression methods. */
export const badInput = [
  /Unrecognized archive format|[Tt]runcated|[Dd]amaged|[Cc]orrupt|decompression failed|Lzma library error|Bad (?:RAR|LHa) file|CRC|header sum|checksum/,
  /[Ii]nvalid|Unexpected Property|Parsing error|[Ii]nconsistent|Extra data overflow|wrong size|unreadable filename|can(?:no|')t be converted|[Uu]nsupported|not supported/,
  /[Mm]alformed|End of file trying|before finding valid header|[Tt]oo (?:small|large|long)\b|no (?:data found|window buffer)|[Ff]ailed to decode|Decompression failed/,
  /Hard-link target|Path contains '\.\.'|Path is absolute|extract through symlink/,
  // All that bsdtar prints for a truncated 7-Zip.
  /^bsd(?:tar|cat): \(null\)$/m,
];

/**
 * The archive to repack (the input itself, or a copy with readable names) and the listing of its members, which no later run can change.
 * Refuses what no honest archive contains.
 */
export async function openListed(work: Work) {
  const { session, task, inspector } = work;
  await using stack = new AsyncDisposableStack();
  const keep = async (name: string): Promise<string> => {
    const path = `${task.outputPath}.${name}`;
    stack.defer(() => rm(path, { force: true }));
    await session.adopt(name, path);
    return path;
  };
  const { isCommented } = await inspector.ask("archiveStart", [task.input.path], { signal: task.signal });
  let end = await listNames(session, inputInside);
  // LHA is common in Japan, and bsdtar lists no names beyond ASCII without their code page.
  const isJapanese = end.exitCode !== 0 && task.hop.from === "lzh";
  const original = (isJapanese ? await renameMembers(session, task, "shift_jis") : undefined) ?? inputInside;
  if (original !== inputInside) end = await listNames(session, original);
  throwIfFailed(end, "read");
  await assertListing(session.pathOf("names"));
  const listed = await keep("names");
  const isZip = packings[task.hop.from]?.format === "zip";
  const named = await inspector.ask("archiveNames", [listed, ...(isZip ? [task.input.path] : [])], { signal: task.signal });
  const names = { ...named, isCommented: named.isCommented || isCommented };
  if (names.isBackslashed)
    task.note("NAMES_CHANGED", "Backslashes in names were treated as folder separators, because some programs write them so.");
  await listSource(session, original, "before");
  let listing = await keep("before");
  await inspector.ask("archiveSafety", [listing, listed], { more: { packedBytes: task.input.sizeBytes }, signal: task.signal });
  const isLegacy = names.guess !== undefined && guessesNames(task.hop.from, task.hop.to);
  const renamed = isLegacy ? await renameMembers(session, task, names.guess ?? "") : undefined;
  if (renamed !== undefined) {
    await listSource(session, renamed, "renamed");
    listing = await keep("renamed");
  }
  if (names.hasOwnTimes) {
    const timed = `${task.outputPath}.timed`;
    stack.defer(() => rm(timed, { force: true }));
    const asked = { signal: task.signal, maxBytes: 2 * maxListingBytes };
    await askForFile(inspector, "archiveTimed", [listing, task.input.path], timed, asked);
    listing = timed;
  }
  const owned = stack.move();
  return { source: renamed ?? original, listing, listed, names, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Writes patterns of the members to leave out to `/job/unwanted`: links that lead outside and special files. */
export async function listUnwanted(
  { session, task, inspector }: Work,
  { listing, listed }: { readonly listing: string; readonly listed: string },
) {
  const made = { signal: task.signal, maxBytes: 4 * maxListingBytes };
  const members = await askForFile(inspector, "archiveMembers", [listing, listed], session.pathOf("unwanted"), made);
  const { unwanted, shadowed } = members;
  const left = [
    ...(unwanted.names.length === 0 ? [] : [`Links that lead nowhere or outside, and special files, were left out: ${named(unwanted)}.`]),
    ...(shadowed === 0
      ? []
      : [
          `${shadowed === 1 ? "One file with the name of a later file was" : `${shadowed} files with the names of later files were`} left out.`,
        ]),
  ];
  if (left.length > 0) task.note("ENTRIES_LEFT_OUT", left.join(" "));
  return members;
}

/** Unpacks the remaining members into `/job/tree`. */
export async function unpackWanted({ session }: Work, source: string): Promise<void> {
  await session.run({ program: "/usr/bin/mkdir", args: ["/job/tree"] });
  const args = ["-xf", source, "-C", "/job/tree", "-X", "/job/unwanted", "--no-same-owner", "--no-same-permissions"];
  throwIfFailed(await session.run({ program, args, limits }), "read");
  // Some files are not readable even for their owner.
  await session.run({ program: "/bin/chmod", args: ["-R", "u+rwX", "/job/tree"], limits });
}

/**
 * Renames the members of an archive whose names are in a code page: the path of a new archive, or undefined if that fails. If the guess
 * points to no particular language, the code page of the ZIP standard is used (APPNOTE 4.4.4, bit 11).
 */
async function renameMembers(session: ToolSession, task: HopTask, guess: string): Promise<string | undefined> {
  const isZip = packings[task.hop.from]?.format === "zip";
  const charset = isZip && guess === "windows-1252" ? "CP437" : guess === "shift_jis" ? "CP932" : guess.toUpperCase();
  await session.run({ program: "/usr/bin/mkdir", args: ["/job/named"] });
  const unpack = ["-xpf", inputInside, `--options=hdrcharset=${charset}`, "-C", "/job/named", "--no-same-owner"];
  if ((await session.run({ program, args: unpack, limits })).exitCode !== 0) return undefined;
  // Without the sandbox's owner, and in a format without access and change times, which would be those of unpacking.
  const nobody = ["--uid", "0", "--gid", "0", "--uname", "", "--gname", ""];
  const pack = ["-cf", "/job/named.tar", "--format=gnutar", ...nobody, "-s", "|^\\./||S", "-s", "|^\\.$||S", "-C", "/job/named", "."];
  throwIfFailed(await session.run({ program, args: pack, limits }), "write");
  task.note("ENCODING_GUESSED", `The encoding of the file names was guessed to be ${charset}.`);
  return "/job/named.tar";
}

export const named = ({ names, more }: Answer<"archiveHolds">["otherTimes"]) => firstNames(names, names.length, names.length + more);

function listNames(session: ToolSession, archive: string): Promise<SandboxEnd> {
  return session.run({ program: "/bin/sh", args: ["-c", `exec ${program} -P -tf ${archive} > /job/names`], limits });
}

async function listSource(session: ToolSession, archive: string, name: string): Promise<void> {
  const end = await list(session, archive, name);
  if (/is not directory|file type is different/.test(end.stderr)) throw behindLink();
  if (end.exitCode !== 0) {
    // bsdtar reports an encrypted member only when it unpacks it.
    const unpack = ["-c", `exec ${program} -xOf ${archive} > /dev/null`];
    throwIfFailed(await session.run({ program: "/bin/sh", args: unpack, limits }), "read");
  }
  throwIfFailed(end, "read");
  await assertListing(session.pathOf(name));
}

/** Writes through a pipe, as bsdtar mistakes a member with the inode number of its output file for that file and leaves it out. */
export async function list(session: ToolSession, archive: string, name: string): Promise<SandboxEnd> {
  const command = `${program} -P -cf - "$@" | cat > /job/${name}`;
  const args = ["-o", "pipefail", "-c", command, "list", ...listingArgs, `@${archive}`];
  return await session.run({ program: "/bin/bash", args, limits });
}

async function assertListing(path: string): Promise<void> {
  const { size } = await stat(path);
  if (size === 0) throw new FilemillError("INVALID_INPUT", "The archive contains no files.");
  if (size > maxListingBytes) throw new FilemillError("INPUT_TOO_COMPLEX", "The archive contains too many entries.");
}

export function throwIfFailed(end: SandboxEnd, step: "read" | "write"): void {
  if (/passphrase|encrypt/i.test(end.stderr)) throw isProtected();
  const method = unreadMethod.exec(end.stderr)?.slice(1).join("");
  if (step === "read" && method !== undefined)
    throw new FilemillError("CONVERSION_FAILED", `The archive has files compressed by a method that is not supported (${method}).`);
  if (step === "read") failUnlessDone(end, badInput, "The file is not an archive, is damaged, or uses an unknown compression.");
  if (end.exitCode !== 0) throw new FilemillError("CONVERSION_FAILED", "The archive could not be written in this format.");
}
