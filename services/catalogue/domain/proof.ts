/**
 * Proofs: what was measured when a hop or route was executed and another program read its result. A proof file is a tab-separated table:
 * first the engines with the versions that ran, then one row per hop or route.
 */
import { type Figures, isFigure, type MeasuredWord, measuredWords } from "./fidelity-rule.ts";

export type ProofRow = {
  readonly from: string;
  readonly to: string;
  /** Engines and the formats between them: `sharp`, or `ffmpeg png sharp`. */
  readonly path: string;
  /** Hash of the declared fidelity and defaults of the hops. When they change, the proof no longer applies. */
  readonly declared: string;
  readonly sample: string;
  readonly word: MeasuredWord;
  readonly figures: Figures;
  /** The program that read the result; `self` if only the engine that wrote it can read it. */
  readonly reader: string;
  /** Time from sample to result, to within about a third. */
  readonly ms: number;
  /** Date of execution, `2026-01-31`. */
  readonly date: string;
  /** Why it failed; empty if it passed. */
  readonly why: string;
};

export type ProofFile = {
  /** The version that each engine's tool reported. */
  readonly engines: ReadonlyMap<string, string>;
  readonly rows: readonly ProofRow[];
  /** Not everything is proven with these versions yet. */
  readonly unfinished?: boolean;
};

export type HopName = { readonly engine: string; readonly from: string; readonly to: string };

export const emptyProofFile: ProofFile = { engines: new Map(), rows: [] };

export function pathOf(hops: readonly HopName[]): string {
  return hops.map(({ engine, to }, index) => (index === hops.length - 1 ? engine : `${engine} ${to}`)).join(" ");
}

export function enginesOfPath(path: string): readonly string[] {
  return path.split(" ").filter((_, index) => index % 2 === 0);
}

/** The reverse of `pathOf`. */
export function hopsOfPath({ from, to, path }: Pick<ProofRow, "from" | "to" | "path">): readonly HopName[] {
  const words = path.split(" ");
  return enginesOfPath(path).map((engine, index) => ({
    engine,
    from: index === 0 ? from : (words[index * 2 - 1] ?? ""),
    to: words[index * 2 + 1] ?? to,
  }));
}

/**
 * The part of a version within which a proof holds: upstream's major and minor version (`5.1` of `5.1.9-0+deb12u1`). A distribution's
 * security update changes neither.
 */
export function versionFamilyOf(version: string): string {
  return /\d+(\.\d+)?/.exec(version)?.[0] ?? version;
}

/**
 * Distributions ship every new release of these engines as a security update: the major version changes every month, the results do not.
 */
const rollingEngines: ReadonlySet<string> = new Set(["chromium"]);

/** The range of versions in which a proof of the engine holds. See versionFamilyOf. */
export function familyOf(engine: string, version: string): string {
  return rollingEngines.has(engine) ? "any" : versionFamilyOf(version);
}

const unfinishedLine = "unfinished";
const columns = "from to path declared sample fidelity figures reader ms date why".split(" ");

/**
 * Skips rows in another form, which an older or newer program wrote.
 *
 * @param serves - Which pairs to return rows for.
 */
export function parseProofFile(text: string, serves: (from: string, to: string) => boolean = () => true): ProofFile {
  const engines = new Map<string, string>();
  const rows = new Map<string, ProofRow>();
  const own = createOwner();
  let unfinished = false;
  for (const line of text.split("\n")) {
    if (line === "" || line.startsWith("#")) continue;
    if (line === unfinishedLine) unfinished = true;
    const end = line.indexOf("\t");
    const from = line.slice(0, end);
    if (from !== "engine" && !serves(from, line.slice(end + 1, line.indexOf("\t", end + 1)))) continue;
    const cells = line.split("\t").map(own);
    if (cells[0] === "engine" && cells[1] !== undefined && cells[2] !== undefined && cells.length === 3) engines.set(cells[1], cells[2]);
    else {
      const row = rowOf(cells);
      if (row !== undefined) rows.set(keyOf(row), row);
    }
  }
  return { engines, rows: [...rows.values()], ...(unfinished && { unfinished }) };
}

/** Returns equal cells as one string. Copies each, because a substring would keep the whole text in memory. */
function createOwner(): (cell: string) => string {
  const known = new Map<string, string>();
  return (cell) => {
    const first = known.get(cell) ?? Buffer.from(cell).toString();
    known.set(first, first);
    return first;
  };
}

function rowOf(cells: readonly string[]): ProofRow | undefined {
  const [from = "", to = "", path = "", declared = "", sample = "", said = "", figures = "", reader = "", ms = "", date = "", why = ""] =
    cells;
  const word = measuredWords.find((each) => each === said);
  if (cells.length !== columns.length || word === undefined) return undefined;
  return { from, to, path, declared, sample, word, figures: parseFigures(figures), reader, ms: Number(ms), date, why };
}

function parseFigures(text: string): Figures {
  const pairs = text.split(" ").flatMap((pair) => {
    const [name = "", value = ""] = pair.split("=");
    return isFigure(name) && value !== "" ? [[name, Number(value)] as const] : [];
  });
  return Object.fromEntries(pairs);
}

export function keyOf({ from, to, path }: Pick<ProofRow, "from" | "to" | "path">): string {
  return `${from} ${to} ${path}`;
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Sorted by formats and path, so that two states of the file differ only where the proofs do. */
export function formatProofFile({ engines, rows, unfinished = false }: ProofFile): string {
  const header = [
    "# Figures that `npm run prove` measured. Generated: do not edit. fidelity-rule.ts says what the figures mean and which word they earn.",
    ...(unfinished ? [unfinishedLine] : []),
    ...[...engines].sort(([a], [b]) => byText(a, b)).map(([id, version]) => `engine\t${id}\t${version}`),
    `# ${columns.join("\t")}`,
  ];
  const sorted = rows.toSorted((a, b) => byText(a.from, b.from) || byText(a.to, b.to) || byText(a.path, b.path));
  return `${[...header, ...sorted.map(lineOf)].join("\n")}\n`;
}

function lineOf(row: ProofRow): string {
  const figures = Object.entries(row.figures)
    .map(([name, value]) => `${name}=${Number(value.toPrecision(3))}`)
    .join(" ");
  const { from, to, path, declared, sample, word, reader, ms, date, why } = row;
  return [from, to, path, declared, sample, word, figures, reader, ms, date, why].map(oneCell).join("\t");
}

function oneCell(value: string | number): string {
  return String(value).replaceAll(/\s+/g, " ").trim().slice(0, 160);
}

/** One hop with every announced version of its engine. An empty version is still unknown and counts as the proven one. */
export type VersionedHop = HopName & { readonly versions: readonly string[] };

/** Says which word a sequence of hops has earned: `failed` without a passing proof, `declared` if the engines' own declaration counts. */
export type Judge = (hops: readonly VersionedHop[]) => MeasuredWord | "declared";

/** Whether the first measured better than the second. A route that has not been executed yet may be better. */
export function isMeasuredBetter(word: ReturnType<Judge>, than: ReturnType<Judge>): boolean {
  if (word === "declared" || than === "declared") return true;
  return measuredWords.indexOf(word) < measuredWords.indexOf(than);
}

/** For graphs that are not checked against proofs. */
export const trusting: Judge = () => "declared";

export type Proof = {
  readonly judge: Judge;
  /** The passing proof of a sequence of hops whose engines have the given versions. */
  rowOf(hops: readonly VersionedHop[]): ProofRow | undefined;
  /** Whether everything that this version of the engine can do was tried. */
  isProven(engine: string, version: string): boolean;
};

/** Later files win: proofs from this machine override those included with Filemill. */
export function proofOf(files: readonly ProofFile[]): Proof {
  const latestFirst = files.toReversed().map((file) => ({
    families: new Map([...file.engines].map(([id, version]) => [id, familyOf(id, version)])),
    isWhole: file.unfinished !== true,
    rows: new Map(file.rows.map((row) => [keyOf(row), row])),
  }));
  function rowOf(hops: readonly VersionedHop[]): ProofRow | undefined {
    const key = keyOf({ from: hops[0]?.from ?? "", to: hops.at(-1)?.to ?? "", path: pathOf(hops) });
    for (const { families, rows } of latestFirst) {
      const row = rows.get(key);
      if (row === undefined) continue;
      const holds = hops.every(({ engine, versions }) => {
        const family = families.get(engine);
        return versions.every((version) => family !== undefined && (version === "" || family === familyOf(engine, version)));
      });
      if (holds) return row.word === "failed" ? undefined : row;
    }
    return undefined;
  }
  return {
    rowOf,
    judge: (hops) => rowOf(hops)?.word ?? "failed",
    isProven: (engine, version) =>
      latestFirst.some(({ families, isWhole }) => isWhole && families.get(engine) === familyOf(engine, version)),
  };
}
