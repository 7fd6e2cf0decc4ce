/** Which archives are repacked as which. */
import type { Fidelity, Hop } from "#services/conversion/domain/engine.ts";
import { expecting } from "#services/conversion/domain/expectations.ts";
import type { Expectation } from "#services/conversion/domain/notes.ts";
import { crossHops, ownHops, words } from "../shared/hop-table.ts";
import { integerIn } from "../shared/options.ts";

export type Packing = {
  /** bsdtar's name for the format. */
  readonly format: string;
  /** Its filter, if the archive is compressed as a whole. */
  readonly filter?: string;
  /** Module and highest value of the compression level. */
  readonly level?: readonly [module: string, highest: number];
  readonly options?: string;
  /** Stores owners, permissions and hard links, as Unix has them. */
  readonly isUnix: boolean;
};

export const packings: Readonly<Record<string, Packing>> = {
  zip: { format: "zip", level: ["zip", 9], isUnix: false },
  "7z": { format: "7zip", level: ["7zip", 9], isUnix: false },
  tar: { format: "pax", isUnix: true },
  tgz: { format: "pax", filter: "--gzip", level: ["gzip", 9], isUnix: true },
  tbz2: { format: "pax", filter: "--bzip2", level: ["bzip2", 9], isUnix: true },
  txz: { format: "pax", filter: "--xz", level: ["xz", 9], isUnix: true },
  tzst: { format: "pax", filter: "--zstd", level: ["zstd", 19], isUnix: true },
  cpio: { format: "newc", isUnix: true },
  iso: { format: "iso9660", options: "iso9660:joliet=long,iso9660:rockridge=strict", isUnix: false },
  tlz4: { format: "pax", filter: "--lz4", level: ["lz4", 9], isUnix: true },
  tlz: { format: "pax", filter: "--lzip", level: ["lzip", 9], isUnix: true },
  taz: { format: "pax", filter: "--compress", isUnix: true },
  cbz: { format: "zip", level: ["zip", 9], isUnix: false },
  cb7: { format: "7zip", level: ["7zip", 9], isUnix: false },
  cbt: { format: "pax", isUnix: true },
};

const archives = words("zip 7z tar tgz tbz2 txz tzst cpio iso");
const readOnly = words("rar cab jar xar zipx taz tlz tlz4");
/** Read from and written to common formats only; the rest goes through TAR. */
const lateReadOnly = words("lzh rpm");
const lateWritten = words("tlz4 tlz taz");
const hubs = words("zip tar 7z");
const comics = words("cbz cb7 cbt");
/** They store no owners. */
const ownerless: ReadonlySet<string> = new Set(["7z", "cb7", "cab"]);
export const rars: ReadonlySet<string> = new Set(["rar", "cbr"]);

/** One compressed file, not an archive. */
export const streams: Readonly<Record<string, { readonly filter: string; readonly level: readonly [string, number] }>> = {
  gz: { filter: "--gzip", level: ["gzip", 9] },
  bz2: { filter: "--bzip2", level: ["bzip2", 9] },
  xz: { filter: "--xz", level: ["xz", 9] },
  lz4: { filter: "--lz4", level: ["lz4", 9] },
  lz: { filter: "--lzip", level: ["lzip", 9] },
  lzma: { filter: "--lzma", level: ["lzma", 9] },
  zst: { filter: "--zstd", level: ["zstd", 19] },
};

const level = integerIn("level", [1, 9], "Compression level: 1 is fast, 9 is small; default: the format's usual level");

const leftOut = [
  expecting("ENTRIES_LEFT_OUT", "Special files, links that point outside the archive, and all but the last file of a name are left out."),
  expecting("PERMISSIONS_REDUCED", "World-writable, set-uid and set-gid permissions are removed."),
];

const holdsTimes = (format: string) => packings[format]?.format === "pax";
const timesCut = expecting(
  "NUMBERS_ROUNDED",
  "File times are truncated to whole seconds, or tenths of microseconds in 7z, and those outside the years of the format become others.",
);

const namesGuessed = expecting("ENCODING_GUESSED", "The encoding of names that are not Unicode is guessed.");
/** What becomes of names. */
function renaming(isZip: boolean, to: string): readonly Expectation[] {
  const words = [
    ...(to === "iso" ? ["Windows sees names of up to 103 characters, without the characters * : ; ? and \\."] : []),
    ...(isZip ? ["Backslashes in names are treated as folder separators."] : []),
  ];
  return words.length === 0 ? [] : [expecting("NAMES_CHANGED", words.join(" "))];
}
/** What is stored beside the files. */
function dropping(from: string, to: string): readonly Expectation[] {
  if (streams[to] !== undefined)
    return from === "gz" ? [expecting("METADATA_DROPPED", "The name and time of the file that gzip stores are left out.")] : [];
  const isTar = packings[from]?.format === "pax";
  const words = [
    ...(packings[from]?.format === "zip" || rars.has(from) || isTar ? ["Comments of the archive and its files are left out."] : []),
    ...(isTar ? ["Extended attributes, access control lists and flags of files are left out if the format cannot store them."] : []),
    ...(ownerless.has(from) || packings[to]?.format === "pax" ? [] : ["Owners of files, or their names, are left out."]),
  ];
  return words.length === 0 ? [] : [expecting("METADATA_DROPPED", words.join(" "))];
}

/** Formats of Unix store names as bytes, which need no encoding. */
export function guessesNames(from: string, to: string): boolean {
  return (
    streams[to] === undefined && (from === "lzh" || from === "cab" || packings[from]?.format === "zip" || packings[to]?.isUnix !== true)
  );
}

/** Owners and permissions are lost if either format lacks them; members never are. */
function fidelityOf(from: string, to: string): Fidelity {
  const isSame = streams[to] !== undefined || packings[from]?.format === packings[to]?.format;
  return isSame ? "lossless" : "high";
}

function hopOf(from: string, to: string): Omit<Hop, "from" | "to"> {
  const hasLevel = streams[to] !== undefined || packings[to]?.level !== undefined;
  return {
    fidelity: fidelityOf(from, to),
    cost: 100,
    maxInputMb: 200,
    options: hasLevel ? [level] : [],
    expects: [
      ...(streams[to] === undefined && from !== "cab" ? leftOut : []),
      ...(streams[to] === undefined && !holdsTimes(to) ? [timesCut] : []),
      ...renaming(packings[from]?.format === "zip", to),
      ...(guessesNames(from, to) ? [namesGuessed] : []),
      ...dropping(from, to),
    ],
  };
}

/** Repacked with stronger or weaker compression. */
const own = words("zip 7z tgz tbz2 txz tzst cbz");

export const archiveHops: readonly Hop[] = [
  ...ownHops(own, (format) => {
    const hop = hopOf(format, format);
    return { ...hop, expects: [...(hop.expects ?? []), expecting("SOURCE_KEPT")] };
  }),
  ...crossHops([...archives, ...readOnly], archives, hopOf),
  ...crossHops(lateReadOnly, hubs, hopOf),
  ...crossHops(hubs, lateWritten, hopOf),
  // A comic is an archive of its pages.
  ...crossHops([...comics, "cbr"], [...comics, ...archives], hopOf),
  ...crossHops(Object.keys(streams), Object.keys(streams), hopOf),
];
