/** The contents of an archive, according to bsdtar's listings of it. */
import { FilemillError } from "#contract/errors.ts";
import type { ByteSource } from "#services/conversion/domain/guards/byte-source.ts";
import { hasZipComment, readZipDirectory } from "#services/conversion/domain/guards/zip-directory.ts";
import type { Answer } from "#services/conversion/domain/questions.ts";
import { isOnePart, isProtected, leavesItsFolder, storesReferences } from "#services/conversion/engines/archives/archive-refusals.ts";
import { guessEncoding } from "#services/conversion/engines/inside/guess-encoding.ts";
import { assertNothingBehindLinks, hasTwins, shadowedIn, unwantedOf } from "./archive-links.ts";
import {
  assertSafe,
  changedOwners,
  changedTimes,
  firstOf,
  holdsAll,
  isLoose,
  leavesFolder,
  linesOf,
  type Member,
  maxMembers,
  parseListing,
  readListed,
  retimed,
  tooManyMembers,
} from "./archive-listing.ts";
import { rarFactsOf } from "./archive-rar.ts";
import { writeToHost } from "./exchange.ts";
import { contentOf } from "./remote-file.ts";

const sampleBytes = 65_536;

export async function archiveStartOf(file: ByteSource): Promise<Answer<"archiveStart">> {
  const start = file.head.toString("latin1", 0, 6);
  if (start === "#mtree") throw new FilemillError("INVALID_INPUT", "The file is not an archive.");
  // Whether another cabinet comes before or after.
  if (start.startsWith("MSCF") && file.head.length > 31 && (file.head.readUInt16LE(30) & 3) !== 0) throw isOnePart();
  if (!start.startsWith("Rar!")) return { isCommented: false };
  const facts = await rarFactsOf(file);
  if (facts.has("lock")) throw isProtected();
  if (facts.has("part")) throw isOnePart();
  if (facts.has("reference")) throw storesReferences();
  return { isCommented: facts.has("comment") };
}

/** For a plain list with one name per line, and the archive if it is a ZIP. The mtree listing simplifies names, so `../x` would pass for `x`. */
export async function archiveNamesOf(file: ByteSource, zip?: ByteSource): Promise<Answer<"archiveNames">> {
  const lines = await linesIn(file);
  const listed = lines.map(readListed);
  if (listed.some(({ name }) => leavesFolder(name))) throw leavesItsFolder();
  if (listed.length > maxMembers) throw tooManyMembers();
  const legacy = listed.flatMap(({ legacy }) => (legacy === undefined ? [] : [legacy, Buffer.from("\n")]));
  const entries = zip === undefined ? [] : await readZipDirectory(zip);
  const inZip = entries.map(({ listedName }) => listedName);
  return {
    isDotted: lines.some((line) => line.startsWith("./") && line.length > 2),
    guess: legacy.length === 0 ? undefined : guessEncoding(Buffer.concat(legacy).subarray(0, sampleBytes)),
    hasTwins: hasTwins(listed.map(({ name }) => name)),
    isDecomposed: decomposedOf(inZip).size > 0,
    isBeyondJoliet: listed.some(({ name }) => name.split("/").some((step) => step.length > 103 || /[*:;?\\]/.test(step))),
    isBackslashed: withBackslash(inZip) > withBackslash(listed.map(({ name }) => name)),
    hasOwnTimes: entries.some(({ modified }) => modified !== undefined),
    isCommented: entries.some(({ isCommented }) => isCommented) || (zip !== undefined && (await hasZipComment(zip))),
  };
}

const withBackslash = (names: readonly string[]) => names.filter((name) => name.includes("\\")).length;

/** Names whose accents are separate from their letters, by their form in the listing. */
function decomposedOf(inZip: readonly string[]): ReadonlyMap<string, string> {
  const names = inZip.map((name) => name.replace(/^(\.\/)+|\/$/g, ""));
  return new Map(names.filter((name) => name.normalize() !== name).map((name) => [name.normalize(), name]));
}

async function linesIn(file: ByteSource): Promise<readonly string[]> {
  return (await contentOf(file)).toString().split("\n").slice(0, -1);
}

/** Refuses what no honest archive contains. `names`: of the same archive. */
export async function assertArchive(file: ByteSource, names: ByteSource, packedBytes: number): Promise<void> {
  const members = await membersOf(file);
  assertSafe(members, packedBytes);
  assertNothingBehindLinks(
    (await linesIn(names)).map((line) => readListed(line).name),
    members,
  );
}

/** Writes the patterns of members that are not to be passed on. */
export async function archiveMembersOf(file: ByteSource, names: ByteSource): Promise<Answer<"archiveMembers">> {
  const members = await membersOf(file);
  const unwanted = unwantedOf(members);
  if (unwanted.size > 0) writeToHost(Buffer.from([...unwanted].flatMap(({ name }) => patternsOf(name)).join("")));
  const wanted = members.filter((member) => !unwanted.has(member));
  // Names in a code page differ in bytes alone.
  const exact = (await linesIn(names)).map(readListed).map(({ name, legacy }) => legacy?.toString("latin1") ?? name);
  const shadowed = shadowedIn(exact, members);
  return {
    unwanted: firstOf([...unwanted]),
    shadowed,
    isLoose: wanted.some(isLoose),
    isLinked: wanted.some(isSecondName),
    hasEmpty: wanted.some(isEmpty),
  };
}

/** Writes the listing with the times that bsdtar does not read from a ZIP. */
export async function listTimed(file: ByteSource, zip: ByteSource): Promise<void> {
  const entries = await readZipDirectory(zip);
  const plain = (name: string) => name.replaceAll("\\", "/").replace(/\/$/, "").normalize();
  const times = new Map(entries.map(({ listedName, modified }) => [plain(listedName), modified]));
  // Names in a code page are told by their other letters, unless two are alike.
  const legacy = new Map<string, string | undefined>();
  for (const { listedName, modified } of entries.filter(({ listedName }) => listedName.includes("\uFFFD"))) {
    const key = asciiOf(plain(listedName));
    legacy.set(key, legacy.has(key) && legacy.get(key) !== modified ? undefined : modified);
  }
  const timeOf = (name: string) => (times.has(plain(name)) ? times.get(plain(name)) : legacy.get(asciiOf(name)));
  writeToHost(Buffer.from(retimed((await contentOf(file)).toString("latin1"), timeOf), "latin1"));
}

const asciiOf = (name: string) => name.replace(/[^\0-\x7f]+/g, "?");

/** Writes the list of members that are passed on, with contents from below `folder`. */
export async function listWanted(
  file: ByteSource,
  place: { readonly folder: string; readonly isUnix: boolean },
  zip?: ByteSource,
): Promise<void> {
  const members = await membersOf(file);
  const unwanted = unwantedOf(members);
  const named = decomposedOf(zip === undefined ? [] : (await readZipDirectory(zip)).map(({ listedName }) => listedName));
  const wanted = members.filter((member) => !unwanted.has(member));
  const lines = wanted.flatMap((member) => linesOf(member, place, named.get(member.name)));
  writeToHost(Buffer.from(`${["#mtree", ...lines].join("\n")}\n`));
}

/**
 * Whether the result contains everything wanted from the source and nothing else, however the name patterns were interpreted. Listings of
 * some formats combine accents with their letters.
 */
export async function archiveHolds(made: ByteSource, source: ByteSource): Promise<Answer<"archiveHolds">> {
  const [found, members] = [composed(await membersOf(made)), composed(await membersOf(source))];
  const unwanted = unwantedOf(members);
  const wanted = members.filter((member) => !unwanted.has(member));
  const isResult = holdsAll(found, wanted) && unwantedOf(found).size === 0 && !found.some(isLoose);
  return { isResult, ...changedTimes(found, wanted), otherOwners: changedOwners(found, wanted) };
}

const composed = (members: readonly Member[]) =>
  members.map((member) => ({ ...member, name: member.name.normalize(), link: member.link?.normalize() }));

async function membersOf(file: ByteSource): Promise<readonly Member[]> {
  return parseListing((await contentOf(file)).toString("latin1"));
}

const isEmpty = ({ sort, sizeBytes }: Member) => sort === "file" && sizeBytes === 0;
const isSecondName = (member: Member) => isEmpty(member) && member.digest === undefined;

/** Matches exactly this name. A line feed in it would start another pattern, so it is replaced with "any character". */
function patternsOf(name: string): readonly string[] {
  const exact = name.replace(/[\\*?[\]^$]/g, "\\$&").replace(/[\r\n]/g, "?");
  return [`^${exact}$\n`, `^./${exact}$\n`];
}
