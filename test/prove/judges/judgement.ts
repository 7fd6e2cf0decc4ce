/** Stored judgements of results: judgements.json. */
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** For the result of one step. */
export type Judgement = {
  readonly from: string;
  readonly to: string;
  readonly engine: string;
  readonly judge: string;
  /** Why it was rejected; empty if it was accepted. */
  readonly said: string;
};

export type Judgements = {
  /** Versions of the judges, by id. */
  readonly judges: Readonly<Record<string, string>>;
  readonly results: readonly Judgement[];
};

export const judgementFile = join(import.meta.dirname, "judgements.json");

export function keyOfJudgement({ from, to, engine, judge }: Omit<Judgement, "said">): string {
  return `${to} ${judge} ${engine} ${from}`;
}

export async function readJudgements(): Promise<Judgements> {
  return readFile(judgementFile, "utf8").then(JSON.parse, (error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return { judges: {}, results: [] };
    throw error;
  });
}

/** One line per result, sorted, so that diffs show only changed judgements. */
export async function writeJudgements({ judges, results }: Judgements): Promise<void> {
  const known = Object.fromEntries(Object.entries(judges).sort());
  const lines = results.toSorted((a, b) => (keyOfJudgement(a) < keyOfJudgement(b) ? -1 : 1)).map((each) => JSON.stringify(each));
  const text = `{\n"judges": ${JSON.stringify(known)},\n"results": [\n${lines.join(",\n")}\n]\n}\n`;
  await writeFile(`${judgementFile}.new`, text);
  await rename(`${judgementFile}.new`, judgementFile);
}
