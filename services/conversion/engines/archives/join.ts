/**
 * Many into one: each file of an archive is converted by its own best route, then one tool joins them. The joining engines share unpacking,
 * order, and which entry a failure names (decision 52).
 */
import { rename, rm, stat } from "node:fs/promises";
import { FilemillError } from "#contract/errors.ts";
import { formatOf, type Kind } from "#formats/index.ts";
import {
  defineEngine,
  type Engine,
  type EngineHost,
  type FileRef,
  type Hop,
  type HopTask,
  type OptionDefinition,
} from "#services/conversion/domain/engine.ts";
import { expecting } from "#services/conversion/domain/expectations.ts";
import { EntryFailed } from "#services/conversion/domain/failure.ts";
import { noteTable } from "#services/conversion/domain/notes.ts";
import type { Sandbox } from "#services/conversion/domain/sandbox.ts";
import { askForFile, askMade } from "../shared/ask-inspector.ts";
import { gatheringNotes } from "../shared/gathering-notes.ts";
import { words } from "../shared/hop-table.ts";
import { openToolSession, type ToolSession } from "../shared/tool-run.ts";
import { badInput, limits, listUnwanted, openListed, throwIfFailed, unpackWanted } from "./archive-members.ts";

export const joinedSources = words("zip tar tgz tbz2 txz tzst 7z");

/** A file of the archive, outside the sandbox. */
export type Entry = FileRef & {
  readonly name: string;
  readonly kind: Kind;
  readonly isMisnamed: boolean;
  /** Its actual format, if it was prepared for joining. */
  readonly writtenAs?: string;
};

export type Joining = {
  readonly session: ToolSession;
  readonly task: HopTask;
  readonly inspector: EngineHost["inspector"];
  readonly entries: readonly Entry[];
  /** Converts by the entry's own best route, or through a format; a failure names the entry, and its notes are gathered. */
  convert(entry: Entry, to: string, through?: string): Promise<FileRef>;
  /** Notes what changed in an entry. */
  remark(entry: Pick<Entry, "name">, what: string): void;
};

type JoinEngine = Pick<Engine, "id" | "label" | "lane" | "packages" | "badInput"> & {
  readonly targets: Readonly<
    Record<string, Pick<Hop, "fidelity" | "cost"> & { readonly options?: readonly OptionDefinition[]; readonly expects?: Hop["expects"] }>
  >;
  probe(sandbox: Sandbox): Promise<string | undefined>;
  /** Replaces the entries to be joined, as some may belong to others. */
  prepare?(joining: Joining, kept: AsyncDisposableStack): Promise<readonly Entry[]>;
  /** Leaves the result at `/job/out`. */
  join(joining: Joining): Promise<void>;
};

const expects = [
  expecting(
    "ENTRIES_CHANGED",
    "If a file is converted to another format before joining, content that the format does not support is left out.",
  ),
  expecting(
    "ENTRIES_LEFT_OUT",
    "Special files, links that do not lead to a file in the archive, all but the last file of a name, and files missing from `order.txt` are left out.",
  ),
];
const ofNames = expecting("ENCODING_GUESSED", "The encoding of names that are not Unicode is guessed.");
const ofZip = expecting("NAMES_CHANGED", "Backslashes in names are treated as folder separators.");

export function joinEngineOf({ targets, prepare, join, badInput: own, ...engine }: JoinEngine): Engine {
  const sharedOf = (from: string, own: Hop["expects"] = []) => {
    const others = [...expects, ofNames, ...(from === "zip" ? [ofZip] : [])].filter(({ code }) => !own.some((each) => each.code === code));
    return { async: true, maxInputMb: 200, expects: [...own, ...others] };
  };
  const hops = joinedSources.flatMap((from) =>
    Object.entries(targets).map(([to, { options = [], ...rest }]) => ({ from, to, ...rest, options, ...sharedOf(from, rest.expects) })),
  );
  return defineEngine({ ...engine, hops, badInput: [...badInput, ...own], run: (host, task) => run(host, task, { prepare, join }) });
}

async function run(
  { sandbox, inspector }: EngineHost,
  given: HopTask,
  { prepare, join }: { readonly prepare: JoinEngine["prepare"]; readonly join: JoinEngine["join"] },
): Promise<void> {
  const { task, tell } = gatheringNotes(given);
  await using session = await openToolSession(sandbox, task);
  await using kept = new AsyncDisposableStack();
  const { entries, isSite } = await unpackedEntries({ session, task, inspector }, kept);
  if (isSite) return await convertSite(given);
  const remarks = new Map<string, string[]>();
  const remark: Joining["remark"] = ({ name }, what) => void remarks.set(name, [...new Set([...(remarks.get(name) ?? []), what])]);
  let [done, bytes] = [0, 0];
  async function convert(entry: Entry, to: string, through?: string): Promise<FileRef> {
    const { name } = entry;
    const { convertEntry } = task;
    if (convertEntry === undefined) throw new FilemillError("INPUT_TOO_COMPLEX", "An archive inside an archive cannot be joined.");
    if (entry.isMisnamed) remark(entry, noteTable.CONTENT_TYPE_CORRECTED);
    const converted = (file: FileRef, format: string) =>
      convertEntry(file, format, (code, message) => remark(entry, message ?? noteTable[code]));
    try {
      const halfway = through === undefined ? entry : await converted(entry, through);
      await using between = new AsyncDisposableStack();
      if (halfway.path !== entry.path) between.defer(() => rm(halfway.path, { force: true }));
      const made = await converted(halfway, to);
      if (made.path !== entry.path) kept.defer(() => rm(made.path, { force: true }));
      bytes += made.sizeBytes;
      if (bytes > maxTotalBytes) throw new FilemillError("INPUT_TOO_COMPLEX", "The files are too large in total; join fewer.");
      return made;
    } catch (error) {
      throw error instanceof FilemillError ? named(name, error) : error;
    } finally {
      done += 1;
      task.progress(Math.min(0.9, (0.9 * done) / entries.length));
    }
  }
  const joining = { session, task, inspector, entries, convert, remark };
  await join({ ...joining, entries: (await prepare?.(joining, kept)) ?? entries });
  if (remarks.size > 0) task.note("ENTRIES_CHANGED", remarksOf(remarks));
  tell();
  await session.adopt("out");
}

/** A web page with its files is not a list of entries: the engine that reads zipped pages makes the PDF. */
async function convertSite({ convertEntry, input, note, outputPath }: HopTask): Promise<void> {
  if (convertEntry === undefined) throw new FilemillError("INPUT_TOO_COMPLEX", "An archive inside an archive cannot be joined.");
  const made = await convertEntry({ ...input, format: "htmlz" }, "pdf", (code, message) => {
    note("ENTRIES_CHANGED", `index.html: ${message ?? noteTable[code]}`);
  });
  await rename(made.path, outputPath);
}

/** The files to join, in order, identified by content and name. */
async function unpackedEntries(
  work: Parameters<typeof openListed>[0],
  kept: AsyncDisposableStack,
): Promise<{ readonly entries: readonly Entry[]; readonly isSite: boolean }> {
  const { session, task, inspector } = work;
  await using archive = await openListed(work);
  await listUnwanted(work, archive);
  await unpackWanted(work, archive.source);
  await shell(session, "cd /job/tree; [ -f order.txt ] && [ ! -L order.txt ] && cat order.txt > /job/order || echo > /job/order");
  const order = `${task.outputPath}.order`;
  kept.defer(() => rm(order, { force: true }));
  // On the host, a link in its place would be followed.
  await session.adopt("order", order);
  const asked = { signal: task.signal, maxBytes: maxNameBytes };
  const { names, isSite, left } = await askForFile(inspector, "joinOrder", [archive.listing, order], session.pathOf("wanted"), asked);
  if (left > 0) {
    const files = left === 1 ? "One file that is not in `order.txt` was" : `${left} files that are not in \`order.txt\` were`;
    task.note("ENTRIES_LEFT_OUT", `${files} left out.`);
  }
  await shell(
    session,
    'n=0; while IFS= read -r name; do n=$((n+1)); cat -- "/job/tree/$name" > "/job/entry-$n" || exit 1; done < /job/wanted',
  );
  if (isSite && task.hop.to === "pdf" && task.hop.from === "zip") return { entries: [], isSite };
  const entries: Entry[] = [];
  for (const [index, name] of names.entries()) entries.push(await entryOf(work, kept, index + 1, name));
  return { entries, isSite: false };
}

const maxNameBytes = 4_000_000;
/** Total size of the converted entries, which stay on disk until they are joined. */
const maxTotalBytes = 2e9;

async function shell(session: ToolSession, script: string): Promise<void> {
  throwIfFailed(await session.run({ program: "/bin/sh", args: ["-c", script], limits }), "read");
}

async function entryOf(
  { session, task, inspector }: Parameters<typeof openListed>[0],
  kept: AsyncDisposableStack,
  number: number,
  name: string,
): Promise<Entry> {
  const inside = `entry-${number}`;
  const { size } = await stat(session.pathOf(inside));
  if (size === 0) throw named(name, new FilemillError("INVALID_INPUT", "The file is empty."));
  const more = { fileName: name.slice(name.lastIndexOf("/") + 1), withGuards: false };
  const { format, nameDisagrees } = await askMade(inspector, "sniff", [session.pathOf(inside)], { more, signal: task.signal });
  const kind = format === undefined ? undefined : formatOf(format)?.kind;
  if (format === undefined || kind === undefined) {
    throw named(name, new FilemillError("INVALID_INPUT", "The format cannot be told from content or name; remove or rename the file."));
  }
  if (kind === "archive")
    throw named(name, new FilemillError("INPUT_TOO_COMPLEX", "An archive inside an archive cannot be joined; unpack it first."));
  const path = `${task.outputPath}.${number}.${format}`;
  kept.defer(() => rm(path, { force: true }));
  await session.adopt(inside, path);
  return { path, format, kind, name, isMisnamed: nameDisagrees, sizeBytes: size };
}

/** The same failure with the name of its entry. */
export function named(name: string, failure: FilemillError): FilemillError {
  return new EntryFailed(shown(name), failure);
}

const shown = (name: string): string => (name.length <= 80 ? name : `${name.slice(0, 79).toWellFormed()}…`);
const mostShown = 12;

function remarksOf(remarks: ReadonlyMap<string, readonly string[]>): string {
  const lines = [...remarks].map(([name, what]) => `${shown(name)}: ${what.join(" ")}`);
  const more = lines.length - mostShown;
  return [...lines.slice(0, mostShown), ...(more > 0 ? [`And ${more} more.`] : [])].join(" ");
}

/** Files for one tool run, bound under `/parts` in this order. */
export function bound(parts: readonly FileRef[]): {
  readonly paths: readonly string[];
  readonly readOnly: Readonly<Record<string, string>>;
} {
  const pairs = parts.map(({ path, format }, index) => [path, `/parts/${String(index + 1).padStart(4, "0")}.${format}`] as const);
  return { paths: pairs.map(([, inside]) => inside), readOnly: Object.fromEntries(pairs) };
}
