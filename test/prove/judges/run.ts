/** `npm run prove -- --judge`: other programs decide whether the results of steps conform to their specifications. */
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseSettings } from "#kit/config.ts";
import { openLog } from "#kit/log.ts";
import { settingTable } from "#kit/settings.ts";
import { hopsOfPath } from "#services/catalogue/domain/proof.ts";
import type { Converter } from "#services/conversion/domain/converter.ts";
import { openConverter } from "#services/conversion/index.ts";
import { isAsked } from "#test/prove/asked.ts";
import { drawn } from "#test/prove/drawn.ts";
import { planOfProven } from "#test/prove/entries.ts";
import { convert } from "#test/prove/execute.ts";
import { messageOf } from "#test/prove/message-of.ts";
import { kindOf, samplesOf } from "#test/prove/samples.ts";
import { committedProof, readProof, rowsThatHold } from "#test/prove/store.ts";
import { declarationsOf } from "#test/prove/targets.ts";
import type { Judge } from "./judge.ts";
import { type Judgement, type Judgements, keyOfJudgement, readJudgements, writeJudgements } from "./judgement.ts";
import { judges, judgesOf } from "./table.ts";

export type JudgeRequest = {
  /** Only steps of these engines; empty for all. */
  readonly engine: readonly string[];
  /** `from:to`; either may be `*`. Empty for all. */
  readonly route: readonly string[];
  /** Per engine, only this many sources for each target, drawn at random. */
  readonly sample: number | undefined;
  readonly seed: string;
  /** Write nothing. */
  readonly check: boolean;
  readonly atOnce: number;
  readonly settings: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  say(line: string): void;
};

type Step = { readonly from: string; readonly to: string; readonly engine: string; readonly sample: string };

const reasonLength = 160;

/** Whether nothing was rejected that was accepted before, or had never been judged. */
export async function judgeResults(request: JudgeRequest): Promise<boolean> {
  const versions = Object.fromEntries(
    (await Promise.all(judges.map(async ({ id, version }) => [id, await version()] as const))).flatMap(([id, version]) =>
      version === undefined ? [] : [[id, version]],
    ),
  );
  const missing = judges.filter(({ id }) => versions[id] === undefined).map(({ label }) => label);
  if (missing.length > 0) request.say(`not here, and so without a judgement: ${missing.join(", ")}`);
  const folder = await mkdtemp(join(tmpdir(), "filemill-judge-"));
  const { atOnce } = request;
  const settings = { ...parseSettings(settingTable, request.settings), DATA_DIR: folder };
  try {
    await using converter = await openConverter(
      { ...settings, IMAGE_SLOTS: atOnce, DOCUMENT_SLOTS: atOnce, OFFICE_SLOTS: 2, MEDIA_SLOTS: atOnce },
      openLog("error"),
    );
    const said = await judgeAll(request, converter, ({ id }) => versions[id] !== undefined);
    return await sumUp(request, versions, said);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The requested proven steps whose targets have a judge. */
async function stepsOf(request: JudgeRequest, converter: Converter): Promise<readonly Step[]> {
  const present = converter.engines().filter(({ version }) => version !== undefined);
  const here = new Map(present.map(({ id, version }) => [id, version ?? ""]));
  const rows = rowsThatHold(await readProof(committedProof), here, declarationsOf(present));
  const steps = rows
    .filter((row) => row.word !== "failed" && hopsOfPath(row).length === 1 && here.has(row.path) && judgesOf(row.to).length > 0)
    .filter((row) => isAsked(request, row, [row.path]))
    .map(({ from, to, path, sample }) => ({ from, to, engine: path, sample }));
  const { sample, seed } = request;
  if (sample === undefined) return steps;
  return [...Map.groupBy(steps, ({ engine, to }) => `${engine} ${to}`).values()].flatMap((some) => drawn(some, sample, seed));
}

async function judgeAll(request: JudgeRequest, converter: Converter, isHere: (judge: Judge) => boolean): Promise<readonly Judgement[]> {
  const { say, signal, atOnce } = request;
  const steps = await stepsOf(request, converter);
  const planOf = planOfProven(converter, await readProof(committedProof));
  const said: Judgement[] = [];
  const queue = steps.entries();
  const work = async () => {
    for (const [place, step] of queue) {
      if (signal.aborted) return;
      if (place % 100 === 99) say(`  ${place + 1} of ${steps.length}`);
      said.push(...(await judgeStep(step, { converter, planOf, signal }, isHere, say)));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return said;
}

async function judgeStep(
  { sample, ...step }: Step,
  way: Parameters<typeof convert>[0],
  isHere: (judge: Judge) => boolean,
  say: (line: string) => void,
): Promise<readonly Judgement[]> {
  const input = samplesOf(step.from).find(({ name }) => name === sample);
  const result = { path: way.converter.newPath(step.to), format: step.to, kind: kindOf(step.to) };
  const said: Judgement[] = [];
  try {
    if (input === undefined) throw new Error(`the corpus has no sample ${sample}`);
    await convert(way, step, input, result);
    if (!(await stat(result.path)).isFile()) return [];
    for (const judge of judgesOf(step.to).filter(isHere)) {
      const reasons = await judge.judge(result.path, step.to);
      said.push({ ...step, judge: judge.id, said: messageOf(reasons.join("; ")).slice(0, reasonLength) });
    }
  } catch (error) {
    say(`  NOT JUDGED ${step.from} > ${step.to} by ${step.engine}: ${messageOf(error)}`);
  } finally {
    await rm(result.path, { force: true, recursive: true });
  }
  return said;
}

async function sumUp(request: JudgeRequest, versions: Judgements["judges"], said: readonly Judgement[]): Promise<boolean> {
  const { say, signal, check } = request;
  const before = await readJudgements();
  const known = new Map(before.results.map((each) => [keyOfJudgement(each), each]));
  const refused = said.filter((each) => each.said !== "");
  const worse = refused.filter((each) => (known.get(keyOfJudgement(each))?.said ?? "") === "");
  for (const each of refused)
    say(
      `  ${worse.includes(each) ? "REFUSED" : "refused as before"} ${each.from} > ${each.to} by ${each.engine}, ${each.judge}: ${each.said}`,
    );
  say(`${said.length} judged, ${refused.length} refused, of them ${worse.length} that were not refused before`);
  if (!check && said.length > 0) {
    const isWhole = request.engine.length === 0 && request.route.length === 0 && request.sample === undefined && !signal.aborted;
    const isKnown = ({ judge }: Judgement): boolean => judges.some(({ id }) => id === judge);
    const kept = isWhole ? [] : before.results.filter(isKnown);
    const fresh = new Map([...kept, ...said].map((each) => [keyOfJudgement(each), each]));
    await writeJudgements({ judges: versions, results: [...fresh.values()] });
  }
  return worse.length === 0 && said.length > 0;
}
