/** Archives repacked by bsdtar (libarchive): every member is hashed before and after. */
import { rm, stat } from "node:fs/promises";
import { FilemillError } from "#kit/errors.ts";
import { defineEngine, type EngineHost, type HopTask } from "../domain/engine.ts";
import { LacksContent } from "../domain/failure.ts";
import type { SandboxEnd } from "../domain/sandbox.ts";
import { archiveHops, packings, streams } from "./archive-hops.ts";
import { behindLink } from "./archive-refusals.ts";
import { askForFile, askMade } from "./ask-inspector.ts";
import { throwIfFailed as failUnlessDone } from "./bad-input.ts";
import { numberOption } from "./hop-table.ts";
import { inputInside, openToolSession, type ToolSession, versionLineOf } from "./tool-run.ts";

const program = "/usr/bin/bsdtar";
const limits = { addressSpace: false, fileBytes: 4.5 * 2 ** 30, folderBytes: 9 * 2 ** 30 };
const listingArgs = ["--format=mtree", "--options=!all,type,size,link,sha256,mode,uid,gid,uname,gname,time"];
const maxListingBytes = 64 * 2 ** 20;

type Work = { readonly session: ToolSession; readonly task: HopTask } & Pick<EngineHost, "inspector">;

/** It calls a file bad that is damaged as well as one that is packed in a way it does not know. */
const badInput = [
  /Unrecognized archive format|[Tt]runcated|[Dd]amaged|[Cc]orrupt|decompression failed|Lzma library error|Bad (?:RAR|LHa) file|CRC|header sum|checksum/,
  /[Ii]nvalid|Unexpected Property|Parsing error|[Ii]nconsistent|wrong size|unreadable filename|cannot be converted|[Uu]nsupported|not supported/,
  /Hard-link target|Path contains '\.\.'|Path is absolute|extract through symlink/,
  // Nothing more is known to it of a 7-Zip that ends too soon.
  /^bsd(?:tar|cat): \(null\)$/m,
];

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
  await using archive = await openListed(work);
  const { source, listing, names } = archive;
  const made = { signal: task.signal, maxBytes: 4 * maxListingBytes };
  const members = await askForFile(work.inspector, "archiveMembers", [listing], session.pathOf("unwanted"), made);
  if (members.unwanted > 0) {
    const left = members.unwanted === 1 ? "One link or special file was" : `${members.unwanted} links or special files were`;
    task.note("ENTRIES_LEFT_OUT", `${left} left out.`);
  }
  // Cabinets have none, and bsdtar makes some up.
  if (members.isLoose && task.hop.from !== "cab") task.note("PERMISSIONS_REDUCED");
  const target = ["-cf", "/job/out", `--format=${packing.format}`, ...compressionOf(task, packing)];
  // Without numbers of their own, files are taken for links to each other by readers of cpio.
  const isNumberless = packing.format === "newc" && packings[task.hop.from]?.isUnix !== true;
  const pack = async (): Promise<boolean> => {
    throwIfFailed(await session.run({ program, args: [...target, "-X", "/job/unwanted", `@${source}`], limits }), "write");
    return await isResult(work, listing);
  };
  // Straight from one to the other keeps the most. It may lose a file whose number is that of the result, and it keeps
  // `./` before names, by which readers of other than Unix archives do not find them.
  // It keeps the permissions, too, every member of one name, and targets of hard links that nobody has looked at.
  const isDotted = names.isDotted && source === inputInside;
  const isStraight = !members.isLoose && !members.isLinked && !names.hasTwins && (packing.isUnix ? !isNumberless : !isDotted);
  if (isStraight && (await pack())) return;
  await rm(session.pathOf("out"), { force: true });
  await packFolder(work, source, listing, target);
  if (!(await isResult(work, listing))) throw new LacksContent("The archive holds names or files that the target format cannot store.");
}

/**
 * The archive that is packed anew, with the listing of its members, which no later run can change: the input, or the same with readable
 * names. What no honest archive holds is refused.
 */
async function openListed(work: Work) {
  const { session, task, inspector } = work;
  await using stack = new AsyncDisposableStack();
  const keep = async (name: string): Promise<string> => {
    const path = `${task.outputPath}.${name}`;
    stack.defer(() => rm(path, { force: true }));
    await session.adopt(name, path);
    return path;
  };
  const { isList } = await inspector.ask("isFileList", [task.input.path], { signal: task.signal });
  if (isList) throw new FilemillError("INVALID_INPUT", "The file is not an archive.");
  const command = `exec ${program} -P -tf ${inputInside} > /job/names`;
  throwIfFailed(await session.run({ program: "/bin/sh", args: ["-c", command], limits }), "read");
  await assertListing(session.pathOf("names"));
  const listed = await keep("names");
  const names = await inspector.ask("archiveNames", [listed], { signal: task.signal });
  await list(session, inputInside, "before");
  let listing = await keep("before");
  await inspector.ask("archiveSafety", [listing, listed], { more: { packedBytes: task.input.sizeBytes }, signal: task.signal });
  const isLegacy = packings[task.hop.from]?.format === "zip" && names.guess !== undefined;
  const renamed = isLegacy ? await renameMembers(session, task, names.guess ?? "") : undefined;
  if (renamed !== undefined) {
    await list(session, renamed, "renamed");
    listing = await keep("renamed");
  }
  const owned = stack.move();
  return { source: renamed ?? inputInside, listing, names, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function isResult({ session, task, inspector }: Work, listing: string): Promise<boolean> {
  await list(session, "/job/out", "after");
  return (await askMade(inspector, "archiveHolds", [session.pathOf("after"), listing], { signal: task.signal })).isResult;
}

/**
 * By a list of what is wanted, with contents from where all of it was unpacked: a second name of a file is only known as such there.
 * Formats without links get the file twice.
 */
async function packFolder({ session, task, inspector }: Work, source: string, listing: string, target: readonly string[]): Promise<void> {
  await session.run({ program: "/usr/bin/mkdir", args: ["/job/tree"] });
  const unpack = ["-xf", source, "-C", "/job/tree", "-X", "/job/unwanted", "--no-same-owner", "--no-same-permissions"];
  throwIfFailed(await session.run({ program, args: unpack, limits }), "read");
  const asked = { more: { folder: "/job/tree" }, signal: task.signal, maxBytes: 4 * maxListingBytes };
  await askForFile(inspector, "archiveWanted", [listing], session.pathOf("wanted"), asked);
  const end = await session.run({ program, args: [...target, "@/job/wanted"], limits });
  throwIfFailed(end, "write");
}

/**
 * The members of a ZIP whose names are of a code page, under readable ones: the path of an archive, undefined when that fails.
 * What no language is told of is the code page of the format's standard (APPNOTE 4.4.4, bit 11).
 */
async function renameMembers(session: ToolSession, task: HopTask, guess: string): Promise<string | undefined> {
  const charset = guess === "windows-1252" ? "CP437" : guess === "shift_jis" ? "CP932" : guess.toUpperCase();
  await session.run({ program: "/usr/bin/mkdir", args: ["/job/named"] });
  const unpack = [
    "-xf",
    inputInside,
    `--options=zip:hdrcharset=${charset}`,
    "-C",
    "/job/named",
    "--no-same-owner",
    "--no-same-permissions",
  ];
  if ((await session.run({ program, args: unpack, limits })).exitCode !== 0) return undefined;
  const pack = ["-cf", "/job/named.tar", "--format=pax", "-s", "|^\\./||S", "-C", "/job/named", "."];
  throwIfFailed(await session.run({ program, args: pack, limits }), "write");
  task.note("ENCODING_GUESSED", `The encoding of the members' names was guessed to be ${charset}.`);
  return "/job/named.tar";
}

/** Through a pipe: a member whose inode number is that of the file being written is taken for that file, and left out. */
async function list(session: ToolSession, archive: string, name: string): Promise<void> {
  const command = `${program} -P -cf - "$@" | cat > /job/${name}`;
  const args = ["-o", "pipefail", "-c", command, "list", ...listingArgs, `@${archive}`];
  const end = await session.run({ program: "/bin/bash", args, limits });
  if (/is not directory|file type is different/.test(end.stderr)) throw behindLink();
  throwIfFailed(end, "read");
  await assertListing(session.pathOf(name));
}

async function assertListing(path: string): Promise<void> {
  const { size } = await stat(path);
  if (size === 0) throw new FilemillError("INVALID_INPUT", "The archive holds no files.");
  if (size > maxListingBytes) throw new FilemillError("INPUT_TOO_COMPLEX", "The archive holds too many entries.");
}

function compressionOf(
  task: HopTask,
  { filter, level }: { readonly filter?: string; readonly level?: readonly [string, number] },
): readonly string[] {
  const wanted = numberOption(task.options, "level");
  const [module, highest] = level ?? [];
  const isSet = wanted !== undefined && module !== undefined && highest !== undefined;
  return [
    ...(filter === undefined ? [] : [filter]),
    ...(isSet ? [`--options=${module}:compression-level=${Math.max(1, Math.round((wanted * highest) / 9))}`] : []),
  ];
}

/** The one file of a compressed stream, compressed anew. */
async function recompress(session: ToolSession, task: HopTask): Promise<void> {
  const target = streams[task.hop.to];
  if (target === undefined) throw new FilemillError("INTERNAL", "No such stream.");
  // Standard output holds little: the shell lays it into a file.
  const unpacked = await session.run({ program: "/bin/sh", args: ["-c", `exec /usr/bin/bsdcat ${inputInside} > /job/content`], limits });
  throwIfFailed(unpacked, "read");
  const { size } = await stat(session.pathOf("content"));
  const isBomb = size > unsuspiciousStreamBytes && size > task.input.sizeBytes * maxStreamRatio;
  if (isBomb) throw new FilemillError("INPUT_TOO_COMPLEX", "The file expands to far more than its size.");
  const args = ["-cf", "/job/out", "--format=raw", ...compressionOf(task, target), "-C", "/job", "content"];
  throwIfFailed(await session.run({ program, args, limits }), "write");
}

const unsuspiciousStreamBytes = 100_000_000;
const maxStreamRatio = 300;

function throwIfFailed(end: SandboxEnd, step: "read" | "write"): void {
  if (/passphrase|encrypt/i.test(end.stderr)) {
    throw new FilemillError("PASSWORD_REQUIRED", "The archive is protected by a password; remove it and try again.");
  }
  if (step === "read") failUnlessDone(end, badInput, "The file is not an archive, is damaged, or is packed in an unknown way.");
  if (end.exitCode !== 0) throw new FilemillError("CONVERSION_FAILED", "The archive could not be written in this format.");
}

export const archiveEngine = defineEngine({
  id: "archive",
  label: "bsdtar (libarchive)",
  lane: "document",
  packages: ["libarchive-tools"],
  hops: archiveHops,
  badInput,
  async probe(sandbox) {
    const line = await versionLineOf(sandbox, program, ["--version"]);
    return line === undefined ? undefined : /libarchive (\d[\d.]*)/.exec(line)?.[1];
  },
  async open(host) {
    return { run: (task) => run(host, task), [Symbol.asyncDispose]: async () => undefined };
  },
});
