/** One hop of a plan: its engine, its limits, and the check of its result. */

import { FilemillError } from "#contract/errors.ts";
import type { Plan, PlannedHop } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import { following } from "#kit/following.ts";
import { type Counted, isCounted, lackOf } from "./counts.ts";
import type { FileRef, Hop, HopTask, OptionValues } from "./engine.ts";
import { OutputTooLarge } from "./failure.ts";
import { hopBoundMs } from "./hop-bound.ts";
import { hopOptionsOf } from "./manifest.ts";
import { type NoteCode, noteTable } from "./notes.ts";
import type { MetadataPorts } from "./picture-metadata.ts";
import { timeoutError } from "./process-end.ts";
import { outputBytesOf, type ResultBound, tooLargeFor } from "./result-bound.ts";
import type { UnlockPorts } from "./unlock.ts";

/** An engine as a plan uses it. It is found, opened, and waited for if all its slots are taken. */
export type RunnableEngine = {
  readonly hops: readonly Hop[];
  run(task: HopTask): Promise<void>;
  parts?(task: HopTask): Promise<readonly (string | null)[]>;
};

export type RunPorts = UnlockPorts &
  MetadataPorts & {
    /** Undefined: this node does not have it. */
    engineOf(id: string): RunnableEngine | undefined;
    /** Rejects with CONVERSION_FAILED unless the file is a complete one of this format. */
    checkResult(path: string, format: string): Promise<unknown>;
    /** Undefined if it cannot be determined. */
    count(source: FileRef, result: Omit<FileRef, "sizeBytes">): Promise<Counted | undefined>;
    /** Packs files under these names into a new ZIP archive. */
    pack(files: readonly { readonly name: string; readonly path: string }[], outputPath: string, signal: AbortSignal): Promise<void>;
    /** Removing a missing file is not an error. */
    remove(path: string): Promise<void>;
  };

export type PlanRun = {
  readonly plan: Plan;
  readonly input: FileRef;
  readonly outputPath: string;
  /** Wall-clock limit of one inline hop. Async hops get ten times as much. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Password of a protected input. */
  readonly password?: string | undefined;
  /** Password to protect the result with. */
  readonly outputPassword?: string | undefined;
  readonly bound?: ResultBound;
  /** Called with CPU time in ms. */
  onSpent?(processorMs: number): void;
  onNote?(code: NoteCode, message: string): void;
  /** See HopTask. */
  readonly convertEntry?: (
    entry: FileRef,
    to: string,
    told: Required<Pick<PlanRun, "onSpent" | "onNote">> & Pick<PlanRun, "signal">,
  ) => Promise<FileRef>;
  /** Called before the run rejects because of a hop. */
  onHopFailed?(planned: PlannedHop, index: number): void;
  /** From 0 to 1 across all hops. */
  onProgress?(fraction: number): void;
};

/** How much longer than its own limit an engine may take to end its processes. */
const graceMs = 3000;

export type HopRun = {
  readonly planned: PlannedHop;
  readonly index: number;
  readonly input: FileRef;
  readonly outputPath: string;
  readonly given?: OptionValues | undefined;
};

/** Runs one hop and checks its result. */
export async function runHop(run: PlanRun, ports: RunPorts, { planned, index, input, outputPath, given }: HopRun): Promise<void> {
  using bounded = taskOf(run, ports, planned, index, input);
  const { engine, task } = bounded;
  const notes = new Set<NoteCode>();
  const note: HopTask["note"] = (code, message) => {
    notes.add(code);
    task.note(code, message);
  };
  try {
    await engine.run({ ...task, note, outputPath, options: { ...task.options, ...given } });
  } catch (error) {
    throw task.signal.aborted ? task.signal.reason : boundErrorOf(run, task, error);
  }
  await ports.checkResult(outputPath, planned.to);
  const isPart = given !== undefined;
  if (isPart || !isCounted(planned.from, planned.to, planned.options)) return;
  const counted = await ports.count(input, { path: outputPath, format: planned.to });
  const lack = counted === undefined ? undefined : lackOf(planned.from, planned.to, counted, notes);
  if (lack === undefined) return;
  if ("missing" in lack) throw new FilemillError("CONVERSION_FAILED", `The result would have kept only ${lack.missing} of the file.`);
  task.note(lack.note, lack.message);
}

/** Replaces the error if the engine reached the limit of the plan and not one of its own. */
function boundErrorOf({ bound }: PlanRun, { outputBytes }: HopTask, error: unknown): unknown {
  const isPlans = error instanceof OutputTooLarge && outputBytes !== undefined && error.limitBytes >= outputBytes;
  return isPlans && bound !== undefined ? tooLargeFor(bound) : error;
}

/** The engine of a hop and its task. The task's signal fires at the hop's time limit until this is disposed. */
export function taskOf(run: PlanRun, ports: RunPorts, planned: PlannedHop, index: number, input: FileRef) {
  run.signal.throwIfAborted();
  const engine = ports.engineOf(planned.engine);
  const hop = engine?.hops.find((candidate) => candidate.from === planned.from && candidate.to === planned.to);
  if (engine === undefined || hop === undefined) {
    throw new FilemillError("UNAVAILABLE", "The engine for this conversion is not available right now; try again later.");
  }
  assertFits(input, hop, index);
  const timeoutMs = hopBoundMs(hop, run.timeoutMs);
  const bound = following(run.signal);
  const { convertEntry } = run;
  const onSpent = (processorMs: number) => run.onSpent?.(processorMs);
  const timer = setTimeout(() => bound.abort(timeoutError()), timeoutMs + graceMs);
  const task: HopTask = {
    hop,
    input,
    outputPath: run.outputPath,
    options: hopOptionsOf(planned, hop),
    timeoutMs,
    signal: bound.signal,
    onSpent,
    ...outputBoundOf(run, index, input),
    ...(run.outputPassword !== undefined && index === run.plan.hops.length - 1 && { outputPassword: run.outputPassword }),
    note: (code, message) => run.onNote?.(code, message ?? noteTable[code]),
    progress: (fraction) => run.onProgress?.((index + Math.min(1, Math.max(0, fraction))) / run.plan.hops.length),
    ...(convertEntry !== undefined && {
      convertEntry: (entry, to, note) => convertEntry(entry, to, { signal: bound.signal, onSpent, onNote: note }),
    }),
  };
  return {
    engine,
    task,
    [Symbol.dispose]() {
      clearTimeout(timer);
      bound[Symbol.dispose]();
    },
  };
}

function outputBoundOf({ plan, bound }: PlanRun, index: number, input: FileRef): Pick<HopTask, "outputBytes"> {
  const bytes = bound === undefined ? Number.POSITIVE_INFINITY : outputBytesOf(bound, index === plan.hops.length - 1);
  // Some engines have the input in the folder that they write to.
  return Number.isFinite(bytes) ? { outputBytes: bytes + input.sizeBytes } : {};
}

function assertFits(input: FileRef, hop: Hop, index: number): void {
  if (input.sizeBytes <= hop.maxInputMb * 1e6) return;
  if (index > 0) throw new FilemillError("INPUT_TOO_COMPLEX", "The file becomes too large in this format.");
  throw new FilemillError("INPUT_TOO_LARGE", `This conversion accepts files up to ${hop.maxInputMb} MB.`, {
    details: { limitMb: hop.maxInputMb, limitedBy: "conversion" },
  });
}
