/** Archives repacked by bsdtar (libarchive): every member is hashed before and after. */
import { open, readFile, rm, stat, writeFile } from "node:fs/promises";
import { FilemillError } from "#kit/errors.ts";
import { defineEngine, type HopTask } from "../domain/engine.ts";
import { LacksContent } from "../domain/failure.ts";
import type { Sandbox, SandboxEnd } from "../domain/sandbox.ts";
import { archiveHops, packings, streams } from "./archive-hops.ts";
import { assertNothingBehindLinks, behindLink, hasTwins, unwantedOf } from "./archive-links.ts";
import {
  assertSafe,
  holdsAll,
  isLoose,
  leavesFolder,
  linesOf,
  type Member,
  maxMembers,
  parseListing,
  readListed,
  tooManyMembers,
} from "./archive-listing.ts";
import { numberOption } from "./hop-table.ts";
import { guessEncoding } from "./inside/guess-encoding.ts";
import { inputInside, openToolSession, type ToolSession, versionLineOf } from "./tool-run.ts";

const program = "/usr/bin/bsdtar";
const limits = { addressSpace: false, fileBytes: 4.5 * 2 ** 30, folderBytes: 9 * 2 ** 30 };
const listingArgs = ["--format=mtree", "--options=!all,type,size,link,sha256,mode,uid,gid,uname,gname,time"];
const maxListingBytes = 64 * 2 ** 20;

async function run(sandbox: Sandbox, task: HopTask): Promise<void> {
  await using session = await openToolSession(sandbox, task);
  if (streams[task.hop.to] === undefined) await repack(session, task);
  else await recompress(session, task);
  await session.adopt("out");
}

async function repack(session: ToolSession, task: HopTask): Promise<void> {
  const packing = packings[task.hop.to];
  if (packing === undefined) throw new FilemillError("INTERNAL", "No such archive.");
  await assertArchive(task);
  const names = await assertNames(session);
  const listed = await list(session, inputInside, "before");
  assertSafe(listed, task.input.sizeBytes);
  assertNothingBehindLinks(names.all, listed);
  const isLegacy = packings[task.hop.from]?.format === "zip" && names.legacy.length > 0;
  const renamed = isLegacy ? await renameMembers(session, task, names.legacy) : undefined;
  const source = renamed ?? inputInside;
  const isDotted = names.isDotted && renamed === undefined;
  const members = renamed === undefined ? listed : await list(session, renamed, "renamed");
  const unwanted = unwantedOf(members);
  if (unwanted.size > 0) {
    task.note(
      "ENTRIES_LEFT_OUT",
      `${unwanted.size === 1 ? "One link or special file was" : `${unwanted.size} links or special files were`} left out.`,
    );
  }
  const wanted = members.filter((member) => !unwanted.has(member));
  const isLooseSomewhere = wanted.some(isLoose);
  // Cabinets have none, and bsdtar makes some up.
  if (isLooseSomewhere && task.hop.from !== "cab") task.note("PERMISSIONS_REDUCED");
  await writeFile(
    session.pathOf("unwanted"),
    [...unwanted]
      .flatMap(({ name }) => patternsOf(name))
      .map((pattern) => `${pattern}\n`)
      .join(""),
    { mode: 0o644 },
  );
  const target = ["-cf", "/job/out", `--format=${packing.format}`, ...compressionOf(task, packing)];
  // Without numbers of their own, files are taken for links to each other by readers of cpio.
  const isNumberless = packing.format === "newc" && packings[task.hop.from]?.isUnix !== true;
  const isLinked = wanted.some(({ sort, digest, sizeBytes }) => sort === "file" && digest === undefined && sizeBytes === 0);
  const pack = async (): Promise<boolean> => {
    throwIfFailed(await session.run({ program, args: [...target, "-X", "/job/unwanted", `@${source}`], limits }), "write");
    return isResult(await list(session, "/job/out", "after"), wanted);
  };
  // Straight from one to the other keeps the most. It may lose a file whose number is that of the result, and it keeps
  // `./` before names, by which readers of other than Unix archives do not find them.
  // It keeps the permissions, too, every member of one name, and targets of hard links that nobody has looked at.
  const isStraight = !isLooseSomewhere && !isLinked && !hasTwins(names.all) && (packing.isUnix ? !isNumberless : !isDotted);
  if (isStraight && (await pack())) return;
  await rm(session.pathOf("out"), { force: true });
  await packFolder(session, source, target, wanted);
  if (!isResult(await list(session, "/job/out", "after"), wanted)) {
    throw new LacksContent("The archive holds names or files that the target format cannot.");
  }
}

/** All that is wanted and nothing that is not, whatever was made of the patterns of names. */
function isResult(found: readonly Member[], wanted: readonly Member[]): boolean {
  return holdsAll(found, wanted) && unwantedOf(found).size === 0 && !found.some(isLoose);
}

/**
 * By a list of what is wanted, with contents from where all of it was unpacked: a second name of a file is only known as such there.
 * Formats without links get the file twice.
 */
async function packFolder(session: ToolSession, source: string, target: readonly string[], wanted: readonly Member[]): Promise<void> {
  await session.run({ program: "/usr/bin/mkdir", args: ["/job/tree"] });
  const unpack = ["-xf", source, "-C", "/job/tree", "-X", "/job/unwanted", "--no-same-owner", "--no-same-permissions"];
  throwIfFailed(await session.run({ program, args: unpack, limits }), "read");
  const lines = ["#mtree", ...wanted.flatMap((member) => linesOf(member, "/job/tree"))];
  await writeFile(session.pathOf("wanted"), `${lines.join("\n")}\n`, { mode: 0o644 });
  const end = await session.run({ program, args: [...target, "@/job/wanted"], limits });
  throwIfFailed(end, "write");
}

/**
 * The members of a ZIP whose names are of a code page, under readable ones: the path of an archive, undefined when that fails.
 * What no language is told of is the code page of the format's standard (APPNOTE 4.4.4, bit 11).
 */
async function renameMembers(session: ToolSession, task: HopTask, letters: Buffer): Promise<string | undefined> {
  const guess = guessEncoding(letters);
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

/** A list of files is an archive to bsdtar, and names files from outside. */
async function assertArchive({ input }: HopTask): Promise<void> {
  await using file = await open(input.path);
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(6), position: 0 });
  if (buffer.toString("latin1", 0, bytesRead) === "#mtree") throw new FilemillError("INVALID_INPUT", "The file is not an archive.");
}

type Names = { readonly isDotted: boolean; readonly legacy: Buffer; readonly all: readonly string[] };

/**
 * The listing simplifies names, so that `../x` would pass for `x`. Says whether names begin with `./`, as `tar -c .` writes them,
 * and which of them, each on a line, are no UTF-8.
 */
async function assertNames(session: ToolSession): Promise<Names> {
  let [isUnsafe, isDotted] = [false, false];
  let legacy = Buffer.alloc(0);
  const all: string[] = [];
  const onLine = (line: string) => {
    const listed = readListed(line);
    if (all.length <= maxMembers) all.push(listed.name);
    isDotted ||= line.startsWith("./") && line.length > 2;
    isUnsafe ||= leavesFolder(listed.name);
    if (listed.legacy !== undefined && legacy.length < 65_536) legacy = Buffer.concat([legacy, listed.legacy, Buffer.from("\n")]);
  };
  throwIfFailed(await session.run({ program, args: ["-P", "-tf", inputInside], limits, onLine }), "read");
  if (isUnsafe) throw new FilemillError("INVALID_INPUT", "The archive has an entry whose name leaves its folder.");
  if (all.length > maxMembers) throw tooManyMembers();
  return { isDotted, legacy, all };
}

async function list(session: ToolSession, archive: string, name: string): Promise<readonly Member[]> {
  const end = await session.run({ program, args: ["-P", "-cf", `/job/${name}`, ...listingArgs, `@${archive}`], limits });
  if (/is not directory|file type is different/.test(end.stderr)) throw behindLink();
  throwIfFailed(end, "read");
  const path = session.pathOf(name);
  if ((await stat(path)).size > maxListingBytes) throw new FilemillError("INPUT_TOO_COMPLEX", "The archive holds too many entries.");
  return parseListing(await readFile(path, "latin1"));
}

/** Exactly this name. A line feed in it would begin another pattern: any character stands for it. */
function patternsOf(name: string): readonly string[] {
  const exact = name.replace(/[\\*?[\]^$]/g, "\\$&").replace(/[\r\n]/g, "?");
  return [`^${exact}$`, `^./${exact}$`];
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
  if (end.exitCode === 0) return;
  if (step === "read")
    throw new FilemillError("INVALID_INPUT", "The archive is damaged, packed in a way that is not known, or none at all.");
  throw new FilemillError("CONVERSION_FAILED", "The archive could not be written in this format.");
}

export const archiveEngine = defineEngine({
  id: "archive",
  label: "bsdtar (libarchive)",
  lane: "document",
  packages: ["libarchive-tools"],
  hops: archiveHops,
  async probe(sandbox) {
    const line = await versionLineOf(sandbox, program, ["--version"]);
    return line === undefined ? undefined : /libarchive (\d[\d.]*)/.exec(line)?.[1];
  },
  async open({ sandbox }) {
    return { run: (task) => run(sandbox, task), [Symbol.asyncDispose]: async () => undefined };
  },
});
