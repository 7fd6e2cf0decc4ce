/** Reads an archive's contents from bsdtar's listing in mtree format, with a digest of each file, and decides what may be passed on. */
import { isUtf8 } from "node:buffer";
import { FilemillError } from "#contract/errors.ts";

export type Member = {
  /** As in the archive, without a leading `./`. */
  readonly name: string;
  /** As the listing escapes it, without a leading `./`. */
  readonly listed: string;
  /** file, dir, link, or the type of a special file. */
  readonly sort: string;
  /** Permissions. Some archives store none. */
  readonly mode: number;
  /** Ids and names of the owner, and the time, as in the listing. */
  readonly owner: readonly string[];
  readonly sizeBytes: number;
  /** Of a file. A hard link to another file has none. */
  readonly digest: string | undefined;
  /** Target of a symbolic link. */
  readonly link: string | undefined;
};

export const maxMembers = 100_000;
const maxExpandedBytes = 4_000_000_000;
/** Only above this size does expansion matter. */
const unsuspiciousBytes = 100_000_000;
const maxRatio = 200;

/** @see mtree(5): one line per member, with spaces and bytes outside ASCII in octal. */
export function parseListing(text: string): readonly Member[] {
  return text.split("\n").flatMap((line) => {
    if (line === "" || line.startsWith("#")) return [];
    const [path = "", ...words] = line.split(" ");
    const values = new Map(words.map((word) => [word.slice(0, word.indexOf("=")), word.slice(word.indexOf("=") + 1)]));
    const listed = path.replace(/^(\.\/)+/, "");
    const name = plainOf(listed);
    if (name === "" || name === "." || name === "/.") return [];
    const link = values.get("link");
    return {
      name,
      listed,
      sort: values.get("type") ?? "",
      mode: Number.parseInt(values.get("mode") ?? (values.get("type") === "dir" ? "755" : "644"), 8),
      owner: words.filter((word) => /^(uid|gid|uname|gname|time)=/.test(word)),
      sizeBytes: Number(values.get("size") ?? 0),
      digest: values.get("sha256digest"),
      link: link === undefined ? undefined : plainOf(link),
    };
  });
}

/** The listing with other times for some names. */
export function retimed(text: string, timeOf: (name: string) => string | undefined): string {
  return text
    .split("\n")
    .map((line) => {
      const [member] = parseListing(line);
      const time = member === undefined ? undefined : timeOf(member.name);
      return time === undefined ? line : line.replace(/ time=[\d.-]+/, ` time=${time}`);
    })
    .join("\n");
}

function plainOf(escaped: string): string {
  return Buffer.from(
    escaped.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8))),
    "latin1",
  ).toString("utf8");
}

/**
 * Refuses what no honest archive contains.
 *
 * @throws FilemillError INVALID_INPUT for an archive without files or names with control characters, INPUT_TOO_COMPLEX for too much
 * content.
 */
export function assertSafe(members: readonly Member[], packedBytes: number): void {
  if (!members.some(({ sort }) => sort === "file")) throw new FilemillError("INVALID_INPUT", "The archive contains no files.");
  if (members.some(({ name }) => commandsTerminals(name))) {
    throw new FilemillError("INVALID_INPUT", "The archive has an entry whose name contains control characters.");
  }
  if (members.length > maxMembers) throw tooManyMembers();
  const expandedBytes = members.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  if (expandedBytes > maxExpandedBytes || (expandedBytes > unsuspiciousBytes && expandedBytes > packedBytes * maxRatio)) {
    throw new FilemillError("INPUT_TOO_COMPLEX", "The archive expands to far more than its size.");
  }
}

export function tooManyMembers(): FilemillError {
  return new FilemillError("INPUT_TOO_COMPLEX", `The archive contains more than ${maxMembers} entries.`);
}

/** Listing the result in a terminal would execute them. `Icon` with a carriage return is macOS's name for the icon of a folder. */
function commandsTerminals(name: string): boolean {
  return /\p{Cc}/u.test(name.replace(/(^|\/)Icon\r$/, ""));
}

/**
 * A name in bsdtar's listing, which writes bytes that are not UTF-8, and letters newer than the system, in octal. Returns its text, with
 * U+FFFD for bytes that are not UTF-8, and its bytes if there are any such.
 */
export function readListed(line: string): { readonly name: string; readonly legacy: Buffer | undefined } {
  const listed = Buffer.from(line).toString("latin1");
  const named = listed.replace(/\\(\\|[0-7]{3})/g, (_, code: string) =>
    code === "\\" ? code : String.fromCharCode(Number.parseInt(code, 8)),
  );
  const bytes = Buffer.from(named, "latin1");
  return { name: bytes.toString(), legacy: isUtf8(bytes) ? undefined : bytes };
}

/** Checks the rules of this system and of Windows. */
export function leavesFolder(name: string): boolean {
  return /^[/\\]|^[A-Za-z]:[/\\]|(^|[/\\])\.\.([/\\]|$)|\0/.test(name);
}

/** Set-uid, set-gid, sticky, and writable by anyone. */
const looseBits = 0o7002;

/** Whether its permissions exceed what an unknown archive may pass on. Those of links have no meaning. */
export function isLoose({ sort, mode }: Member): boolean {
  return sort !== "link" && (mode & looseBits) !== 0;
}

/**
 * Lines that make bsdtar pack the member from below `folder`, renamed to `name` if given, without excessive permissions. libarchive writes
 * hard links to ISO that it reads as empty.
 */
export function linesOf(
  { listed, sort, mode, owner, link }: Member,
  { folder, isUnix }: { readonly folder: string; readonly isUnix: boolean },
  name?: string,
): readonly string[] {
  const permissions = `mode=0${(sort === "link" ? 0o777 : mode & ~looseBits).toString(8)}`;
  const more =
    sort === "file"
      ? [`contents=${folder}/${listed}`, ...(isUnix ? [] : ["nlink=1"])]
      : sort === "link"
        ? [`link=${escapedOf(link ?? "")}`]
        : [];
  const line = [name === undefined ? listed : escapedOf(name), `type=${sort}`, ...owner, permissions, ...more].join(" ");
  // A folder without a slash in its name also changes into it.
  return sort === "dir" && !listed.includes("/") ? [line, ".."] : [line];
}

function escapedOf(text: string): string {
  return [...Buffer.from(text)]
    .map((byte) =>
      byte > 0x20 && byte < 0x7f && byte !== 0x5c && byte !== 0x23 ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, "0")}`,
    )
    .join("");
}

const named = 3;
const longestName = 100;

/**
 * Files whose times in `found` differ from those in `wanted`: only in fractions of seconds, or altogether. Folders are ignored, because
 * those that an archive only implies get the time of the listing, and so is the time 0, which stands for none.
 */
export function changedTimes(found: readonly Member[], wanted: readonly Member[]) {
  const timeOf = ({ owner }: Member) => owner.find((word) => word.startsWith("time="))?.slice("time=".length) ?? "0.0";
  const secondsOf = (time = "") => time.split(".")[0];
  const byName = new Map(found.map((member) => [member.name, timeOf(member)]));
  const others = wanted.filter(
    (member) => member.sort === "file" && timeOf(member) !== "0.0" && byName.has(member.name) && byName.get(member.name) !== timeOf(member),
  );
  const changed = others.filter((member) => secondsOf(byName.get(member.name)) !== secondsOf(timeOf(member)));
  return { hasCutTimes: changed.length < others.length, otherTimes: firstOf(changed) };
}

/** Files whose owner in `found` is another one, or has no name. Root stands for none. */
export function changedOwners(found: readonly Member[], wanted: readonly Member[]) {
  const ownerOf = ({ owner }: Member) =>
    owner
      .filter((word) => !word.startsWith("time="))
      .toSorted()
      .join(" ");
  const byName = new Map(found.map((member) => [member.name, ownerOf(member)]));
  const isRoot = ({ owner }: Member) => owner.includes("uid=0") && owner.includes("gid=0");
  return firstOf(wanted.filter((member) => member.sort === "file" && !isRoot(member) && byName.get(member.name) !== ownerOf(member)));
}

/** The first names of members, and how many more there are. */
export function firstOf(members: readonly Member[]) {
  const names = members.slice(0, named).map(({ name }) => name.slice(0, longestName).toWellFormed());
  return { names, more: Math.max(0, members.length - named) };
}

/** Whether every file and link of `wanted` is in `found` with the same bytes. */
export function holdsAll(found: readonly Member[], wanted: readonly Member[]): boolean {
  const byName = new Map(found.map((member) => [member.name, member]));
  const stored = new Set(found.map(({ digest }) => digest));
  // Of several members of a name, the last is passed on.
  const last = new Map(wanted.map((member) => [member.name, member]));
  return [...last.values()].every(({ name, sort, link, digest, sizeBytes }) => {
    const member = byName.get(name);
    if (sort === "dir") return member === undefined || member.sort === "dir";
    if (member === undefined || member.sort !== sort || member.link !== link) return false;
    if (digest === undefined) return true;
    // A link to a file has no content of its own.
    return member.digest === undefined ? stored.has(digest) : member.digest === digest && member.sizeBytes === sizeBytes;
  });
}
