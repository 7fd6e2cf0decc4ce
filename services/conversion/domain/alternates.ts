/** If an engine fails on an intact file, the next best route is tried. The result's notes say so. */

import type { ErrorCode } from "#contract/errors.ts";
import type { Plan, PlannedHop } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import type { OptionValue } from "#gen/filemill/common/v1/format_pb.ts";
import { EngineFault, EntryFailed, failureOf, LacksContent } from "./failure.ts";
import { hopBoundMs } from "./hop-bound.ts";
import { type NoteCode, noteTable } from "./notes.ts";
import type { PlanRun, RunPorts } from "./run-hop.ts";
import { runPlan } from "./run-plan.ts";

/** A query to the planner: the same conversion without these hops. */
export type NextBestQuery = {
  readonly from: string;
  readonly to: string;
  readonly options: Record<string, string>;
  readonly avoid: readonly FailedHop[];
};
export type FailedHop = Pick<PlannedHop, "engine" | "from" | "to">;

export type Alternates = {
  /** Undefined: there is no other route. Never rejects. */
  nextBest(query: NextBestQuery): Promise<Plan | undefined>;
  /** An engine failed, and another attempt is about to start. */
  onFailure?(failed: FailedHop, error: unknown): void;
};

const maxAlternates = 2;
/** With less time left, another attempt is pointless. */
const leastMs = 1000;

/** Codes that are the engine's fault: the file passed its inspection, and no resource ran out. */
const engineFaults: ReadonlySet<ErrorCode> = new Set(["CONVERSION_FAILED", "INTERNAL"]);
/** The same for input that an earlier hop made: damage there is our fault. */
const laterFaults: ReadonlySet<ErrorCode> = new Set([...engineFaults, "INVALID_INPUT", "PASSWORD_REQUIRED"]);

/** What another reader may find out about a file on which an engine crashed or failed without a reason. */
const verdicts: ReadonlySet<ErrorCode> = new Set(["INVALID_INPUT", "PASSWORD_REQUIRED"]);

/**
 * Runs the plan. Repeats it once if its engine was lost. After an engine's fault, tries up to two other routes. All of this happens within
 * the time limit of the plan itself. If nothing succeeds, rejects with the first failure, or with what another engine found out about the
 * file. Neither files nor notes of a failed route are kept. An attempt that is interrupted starts with the plan again.
 */
export async function runWithAlternates(run: PlanRun, ports: RunPorts, alternates: Alternates): Promise<void> {
  const endsAtMs = performance.now() + planBoundMs(run, ports);
  const failed: FailedHop[] = [];
  const first = await tryAgainWhenLost(run, ports, alternates, endsAtMs);
  if (first.ok) return;
  let last = first;
  while (failed.length < maxAlternates && last.fault !== undefined && !run.signal.aborted) {
    failed.push(last.fault);
    alternates.onFailure?.(last.fault, last.error);
    const { from, to } = run.plan;
    const plan = await alternates.nextBest({ from, to, options: optionTextsOf(run.plan), avoid: failed });
    const bounded = boundedBy(run, endsAtMs);
    if (plan === undefined || plan.resultFormat !== run.plan.resultFormat || bounded === undefined) break;
    const next = await tryOnce({ ...bounded, plan }, ports, messageOf(run.plan, plan));
    if (next.ok) return;
    last = next;
  }
  if (run.signal.aborted) throw run.signal.reason;
  throw first.error instanceof EngineFault && last.isVerdict ? last.error : first.error;
}

/** An engine that was killed from outside had no chance. It gets another before a route is tried that may preserve less. */
async function tryAgainWhenLost(run: PlanRun, ports: RunPorts, alternates: Alternates, endsAtMs: number): Promise<Try> {
  const once = await tryOnce(run, ports);
  const isLost = !once.ok && once.error instanceof EngineFault && once.error.kind === "lost";
  const bounded = isLost && !run.signal.aborted ? boundedBy(run, endsAtMs) : undefined;
  if (once.ok || bounded === undefined) return once;
  if (once.fault !== undefined) alternates.onFailure?.(once.fault, once.error);
  const again = await tryOnce(bounded, ports);
  // Running out of time in the second run says nothing about the file.
  return !again.ok && bounded.signal.aborted ? once : again;
}

/** The run limited to the remaining time; undefined if too little is left. */
function boundedBy(run: PlanRun, endsAtMs: number): PlanRun | undefined {
  const leftMs = endsAtMs - performance.now();
  if (leftMs < leastMs) return undefined;
  const signal = AbortSignal.any([run.signal, AbortSignal.timeout(Math.ceil(leftMs))]);
  return { ...run, signal, timeoutMs: Math.min(run.timeoutMs, leftMs) };
}

type Failed = {
  readonly ok: false;
  readonly error: unknown;
  readonly fault: FailedHop | undefined;
  /** Whether the failure is about the file itself and not about an intermediate file. */
  readonly isVerdict: boolean;
};
type Try = { readonly ok: true } | Failed;

async function tryOnce(run: PlanRun, ports: RunPorts, remark?: string): Promise<Try> {
  const notes: [NoteCode, string][] = [];
  let failed: { readonly hop: PlannedHop; readonly index: number } | undefined;
  try {
    await runPlan({ ...run, onNote: (...note) => void notes.push(note), onHopFailed: (hop, index) => (failed ??= { hop, index }) }, ports);
  } catch (error) {
    const fault = failed === undefined ? undefined : faultOf(error, failed.hop, failed.index);
    return { ok: false, error, fault, isVerdict: failed?.index === 0 && verdicts.has(failureOf(error).error.code) };
  }
  for (const note of notes) run.onNote?.(...note);
  if (remark !== undefined) run.onNote?.("ALTERNATE_ROUTE", remark);
  return { ok: true };
}

function faultOf(error: unknown, { engine, from, to }: PlannedHop, index: number): FailedHop | undefined {
  // An entry has already been tried on its own alternative routes.
  if (error instanceof LacksContent || error instanceof EntryFailed) return undefined;
  const faults = index === 0 ? engineFaults : laterFaults;
  return faults.has(failureOf(error).error.code) ? { engine, from, to } : undefined;
}

function messageOf(planned: Plan, taken: Plan): string {
  const lower = taken.fidelity > planned.fidelity ? " It preserves less of the file." : "";
  return `${noteTable.ALTERNATE_ROUTE}${lower}`;
}

/** The time limit of the plan: the sum for its hops. */
function planBoundMs({ plan, timeoutMs }: PlanRun, ports: RunPorts): number {
  const bounds = plan.hops.map(({ engine, from, to }) => {
    const hop = ports.engineOf(engine)?.hops.find((candidate) => candidate.from === from && candidate.to === to);
    return hop === undefined ? timeoutMs : hopBoundMs(hop, timeoutMs);
  });
  const totalMs = bounds.reduce((sum, bound) => sum + bound, 0);
  return plan.resultFormat === "" ? totalMs : Math.max(totalMs, hopBoundMs({ async: true }, timeoutMs));
}

/** The options of a plan as a client would write them. */
function optionTextsOf({ hops }: Plan): Record<string, string> {
  return Object.fromEntries(hops.flatMap(({ options }) => Object.entries(options).map(([name, value]) => [name, textOf(value)])));
}

function textOf({ value }: OptionValue): string {
  if (typeof value.value !== "number" || Number.isInteger(value.value)) return String(value.value);
  return value.value.toFixed(15).replace(/0{1,15}$/, "");
}
