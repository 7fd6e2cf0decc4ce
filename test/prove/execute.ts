/** Executes whatever has to be proven, source by source, and each hop once for all routes that start with it. */
import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { create } from "@bufbuild/protobuf";
import { PlanSchema } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import { wordOf } from "#services/catalogue/domain/fidelity-rule.ts";
import { type HopName, type ProofRow, pathOf } from "#services/catalogue/domain/proof.ts";
import type { PlanOf } from "#services/conversion/domain/convert-entry.ts";
import type { Converter } from "#services/conversion/domain/converter.ts";
import { mayTell } from "#services/conversion/domain/picture-metadata.ts";
import { type Checker, type Make, openChecker } from "./checker.ts";
import type { Evidence } from "./evidence.ts";
import { messageOf } from "./message-of.ts";
import { type KnownFile, kindOf, type Sample, samplesOf } from "./samples.ts";
import type { Target } from "./targets.ts";

export type Execution = {
  readonly converter: Converter;
  readonly today: string;
  /** For the files of an archive that is joined. */
  readonly planOf: PlanOf;
  declared(target: Target): string;
  /** Codes of the notes that such a route announces. */
  expected(hops: readonly HopName[]): ReadonlySet<string>;
  /** Estimated duration of a target; only the order depends on it. */
  msOf(target: Target): number;
  /** For the results being checked. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Once aborted, nothing new starts, and what is in progress is discarded. */
  readonly signal: AbortSignal;
  onRow(row: ProofRow): void;
  say(line: string): void;
};

/** A hop with everything that follows it. */
type Step = { readonly hop: HopName; target: Target | undefined; readonly next: Map<string, Step> };

const hopTimeoutMs = 90_000;

/** A route's failure never rejects; it becomes that route's result. Longest first, so that none of them runs alone at the end. */
export async function execute(targets: readonly Target[], atOnce: number, execution: Execution): Promise<void> {
  const msOf = (wanted: readonly Target[]) => wanted.reduce((sum, target) => sum + execution.msOf(target), 0);
  const sources = [...Map.groupBy(targets, ({ from }) => from)].map(([from, wanted]) => ({ from, wanted, ms: msOf(wanted) }));
  const queue = sources.sort((a, b) => b.ms - a.ms).values();
  const work = async (_: unknown, place: number) => {
    const { folder, env, say, signal } = execution;
    await using checker = openChecker({ folder: join(folder, `check-${place}`), env, say });
    const close = () => void checker[Symbol.asyncDispose]();
    signal.addEventListener("abort", close);
    for (const { from, wanted } of queue) if (!signal.aborted) await executeSource(from, wanted, { ...execution, checker });
    signal.removeEventListener("abort", close);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, sources.length) }, work));
}

type Checked = Execution & { readonly checker: Checker };

async function executeSource(from: string, targets: readonly Target[], execution: Checked): Promise<void> {
  let left: readonly Target[] = targets;
  const failures = new Map<Target, ProofRow>();
  for (const sample of samplesOf(from)) {
    const failed: Target[] = [];
    const first = new Map<string, Step>();
    for (const target of left) addSteps(first, target);
    const onResult = (target: Target, row: ProofRow) => {
      if (row.word !== "failed") execution.onRow(row);
      else if (failed.push(target) > 0 && !failures.has(target)) failures.set(target, row);
    };
    for (const step of first.values())
      await executeStep(step, { sample, input: sample, spentMs: 0, notes: [] }, { ...execution, onResult });
    left = failed;
  }
  if (execution.signal.aborted) return;
  for (const target of left) execution.onRow(failures.get(target) ?? rowOf(target, "the corpus has no sample", 0, execution, "none"));
}

type SampleExecution = Checked & { onResult(target: Target, row: ProofRow): void };

function addSteps(into: Map<string, Step>, target: Target): void {
  let steps = into;
  for (const [index, hop] of target.hops.entries()) {
    const name = `${hop.engine} ${hop.to}`;
    const step: Step = steps.get(name) ?? { hop, target: undefined, next: new Map() };
    steps.set(name, step);
    if (index === target.hops.length - 1) step.target = target;
    steps = step.next;
  }
}

type Place = { readonly sample: Sample; readonly input: KnownFile; readonly spentMs: number; readonly notes: readonly string[] };

async function executeStep(step: Step, place: Place, execution: SampleExecution): Promise<void> {
  const { converter, checker, signal } = execution;
  const { hop, target, next } = step;
  if (signal.aborted) return;
  const result: KnownFile = { path: converter.newPath(hop.to), format: hop.to, kind: kindOf(hop.to) };
  try {
    const startedMs = performance.now();
    const notes = [...place.notes];
    const note = (code: string) => void (isOfStepAlone(code, hop, place) || notes.push(code));
    const failure = await convert(execution, hop, place.input, result, note).then(
      () => undefined,
      (error: unknown) => messageOf(error),
    );
    const spentMs = place.spentMs + performance.now() - startedMs;
    if (signal.aborted) return;
    // The machine's fault rather than the route's: the next run tries again.
    if (failure?.startsWith("UNAVAILABLE")) return;
    if (failure !== undefined) {
      failAll(step, `${hop.engine} ${hop.from} to ${hop.to}: ${failure}`, execution, place.sample.name);
      return;
    }
    if (target !== undefined) {
      const given = { sample: place.sample, input: place.input, result, writer: hop.engine };
      const made: KnownFile[] = [];
      const evidence = surpriseOf(target, notes, execution) ?? (await checker.check(given, makerOf(execution, result, made)));
      for (const { path } of made) await rm(path, { force: true, recursive: true });
      if (signal.aborted) return;
      execution.onResult(target, rowOf(target, evidence, spentMs, execution, place.sample.name));
    }
    for (const following of next.values()) {
      await executeStep(following, { sample: place.sample, input: result, spentMs, notes }, execution);
    }
  } finally {
    await rm(result.path, { force: true, recursive: true });
  }
}

/** A whole route answers for its source's metadata (decision 56), not for what an intermediate step wrote. */
function isOfStepAlone(code: string, { from, to }: HopName, { sample }: Place): boolean {
  return (code === "METADATA_DROPPED" || code === "PLACE_KEPT") && mayTell(from, to) && !mayTell(sample.format, to);
}

/** An unannounced note is as bad as an unreadable result. */
function surpriseOf({ hops }: Target, notes: readonly string[], { expected }: Execution): string | undefined {
  const announced = expected(hops);
  const code = notes.find((each) => !announced.has(each));
  return code === undefined ? undefined : `the note ${code} was not to be expected`;
}

/** Reads through another engine, if there is no other reader; or converts another file with the same engine. */
function makerOf(execution: Execution, result: KnownFile, made: KnownFile[]): Make {
  return async ({ engine, to, of = result }) => {
    const file: KnownFile = { path: execution.converter.newPath(to), format: to, kind: kindOf(to) };
    made.push(file);
    await convert(execution, { engine, from: of.format, to }, of, file);
    return file;
  };
}

/** One step, with a deadline. Rejects if it fails. */
export async function convert(
  { converter, planOf, signal: ended }: Pick<Execution, "converter" | "planOf" | "signal">,
  hop: HopName,
  input: KnownFile,
  result: KnownFile,
  onNote?: (code: string) => void,
): Promise<void> {
  const plan = create(PlanSchema, { from: hop.from, to: hop.to, hops: [{ engine: hop.engine, from: hop.from, to: hop.to, options: {} }] });
  const signal = AbortSignal.any([ended, AbortSignal.timeout(hopTimeoutMs)]);
  const inputBytes = (await stat(input.path)).size;
  await inTime(converter.run(plan, input.path, result.path, { signal, inputBytes, planOf, ...(onNote && { onNote }) }));
}

/** For a conversion that does not end even when aborted: the others continue. */
async function inTime(conversion: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("the conversion did not end when it was told to")), hopTimeoutMs + 30_000);
  });
  return Promise.race([conversion, late]).finally(() => clearTimeout(timer));
}

function rowOf(target: Target, evidence: Evidence | string, spentMs: number, execution: Execution, sample: string): ProofRow {
  const said = typeof evidence === "string" ? { figures: {}, reader: "none" } : evidence;
  // Rounded as they are written, so that the word follows from the written figures.
  const figures = Object.fromEntries(Object.entries(said.figures).map(([name, value]) => [name, Number(value.toPrecision(3))]));
  const word = wordOf(figures, said.reader);
  const why = typeof evidence === "string" ? evidence : word === "failed" ? "a figure is below what may be listed" : "";
  const { from, to, hops } = target;
  const shared = { from, to, path: pathOf(hops), declared: execution.declared(target), sample, date: execution.today };
  return { ...shared, word, figures, reader: said.reader, ms: coarse(spentMs), why };
}

/** A failed row for this step's target and for all that would follow. */
function failAll(step: Step, why: string, execution: SampleExecution, sample: string): void {
  if (step.target !== undefined) execution.onResult(step.target, rowOf(step.target, why, 0, execution, sample));
  for (const next of step.next.values()) failAll(next, why, execution, sample);
}

/** 10, 15, 20, 30, 50, 70, 100 …: a later run mostly gives the same value. */
function coarse(ms: number): number {
  if (ms < 1) return 0;
  const power = 10 ** Math.floor(Math.log10(ms));
  const step = [1, 1.5, 2, 3, 5, 7, 10].findLast((each) => ms >= each * power * 0.85) ?? 1;
  return Math.max(1, Math.round(step * power));
}
