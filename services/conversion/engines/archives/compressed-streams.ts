/**
 * Single compressed files. Each format is unpacked by its own program, which checks the content: bsdcat does not notice wrong checksums of
 * gzip, and it unpacks a compressed or uuencoded file inside as well.
 */
import { stat } from "node:fs/promises";
import { FilemillError } from "#contract/errors.ts";
import type { HopTask } from "#services/conversion/domain/engine.ts";
import { throwIfFailed as failUnlessDone } from "../shared/bad-input.ts";
import { numberOption } from "../shared/hop-table.ts";
import { inputInside, type ToolSession } from "../shared/tool-run.ts";
import { type Packing, streams } from "./archive-hops.ts";
import { limits, program, throwIfFailed } from "./archive-members.ts";

const unpackers: Readonly<Record<string, string>> = {
  gz: "gzip -dc",
  bz2: "bzip2 -dc",
  xz: "xz -dc --format=xz",
  lz4: "lz4 -dc",
  lz: "lzip -dc",
  lzma: "xz -dc --format=lzma",
  zst: "zstd -dcq",
};
export const unpackerPrograms = [...new Set(Object.values(unpackers).map((command) => command.split(" ")[0]))];

export const badStream = [
  /not in gzip format|invalid compressed data|[Uu]nexpected end|[Ee]nds? unexpectedly|integrity|[Cc]orrupt|not a bzip2 file|format not recogni[sz]ed/,
  /unsupported format|Decoding error|premature end|Decompression error|Unfinished stream|Unrecognized header|mismatch|Bad magic|Truncated|Data error/,
];

/** The exit code of gzip for a warning, which it gives about bytes after the end. */
const isWarning = 2;
const damaged = "The file is damaged or incomplete.";

/** Recompresses the one file of a compressed stream. */
export async function recompress(session: ToolSession, task: HopTask): Promise<void> {
  const target = streams[task.hop.to];
  const unpacker = unpackers[task.hop.from];
  if (target === undefined || unpacker === undefined) throw new FilemillError("INTERNAL", "No such stream.");
  // Captured standard output is small, so the shell redirects it to a file.
  const command = `exec ${unpacker} < ${inputInside} > /job/content`;
  const unpacked = await session.run({ program: "/bin/sh", args: ["-c", command], limits });
  const hasMore = /trailing garbage/.test(unpacked.stderr);
  if (!(hasMore && unpacked.exitCode === isWarning)) failUnlessDone(unpacked, badStream, damaged);
  if (hasMore) task.note("INPUT_DAMAGED", "The file goes on after the end of its compressed content; the rest was left out.");
  const { size } = await stat(session.pathOf("content"));
  const isBomb = size > unsuspiciousStreamBytes && size > task.input.sizeBytes * maxStreamRatio;
  if (isBomb) throw new FilemillError("INPUT_TOO_COMPLEX", "The file expands to far more than its size.");
  if (task.hop.from === "gz") await noteNameAndTime(session, task);
  const args = ["-cf", "/job/out", "--format=raw", ...compressionOf(task, target), "-C", "/job", "content"];
  throwIfFailed(await session.run({ program, args, limits }), "write");
}

/** Only gzip stores them: the flags are its fourth byte, followed by the time (RFC 1952). */
async function noteNameAndTime(session: ToolSession, { note }: HopTask): Promise<void> {
  const end = await session.run({ program: "/usr/bin/od", args: ["-An", "-v", "-tu1", "-N8", inputInside], limits });
  const [, , , flags = 0, ...time] = end.stdout.trim().split(/\s+/).map(Number);
  const lost = [
    ...((flags & 8) === 0 ? [] : ["name"]),
    ...(time.some((each) => each > 0) ? ["time"] : []),
    ...((flags & 16) === 0 ? [] : ["comment"]),
  ];
  if (lost.length > 0) note("METADATA_DROPPED", `Stored by gzip and left out: the file's ${lost.join(", ")}.`);
}

const unsuspiciousStreamBytes = 100_000_000;
const maxStreamRatio = 300;

/** Refuses a TAR compressed by gzip whose checksum is wrong. bsdtar reports it for the other compressions. */
export async function assertStreamWhole(session: ToolSession, { hop }: HopTask): Promise<void> {
  if (hop.from !== "tgz") return;
  const end = await session.run({ program: "/bin/sh", args: ["-c", `exec gzip -t < ${inputInside}`], limits });
  if (end.exitCode !== isWarning) failUnlessDone(end, badStream, damaged);
}

export function compressionOf(task: HopTask, { filter, level, options }: Pick<Packing, "filter" | "level" | "options">): readonly string[] {
  const wanted = numberOption(task.options, "level");
  const [module, highest] = level ?? [];
  const isSet = wanted !== undefined && module !== undefined && highest !== undefined;
  return [
    ...(filter === undefined ? [] : [filter]),
    // bsdtar heeds only one such argument.
    ...(isSet ? [`--options=${module}:compression-level=${Math.max(1, Math.round((wanted * highest) / 9))}`] : []),
    ...(options === undefined ? [] : [`--options=${options}`]),
  ];
}
