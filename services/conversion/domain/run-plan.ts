/** Runs a plan: its hops in order, each checked before the next may read it. */
import type { Plan, PlannedHop } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import { FilemillError } from "#kit/errors.ts";
import type { FileRef, Hop, HopTask } from "./engine.ts";
import { hopBoundMs } from "./hop-bound.ts";
import { hopOptionsOf } from "./manifest.ts";
import { type NoteCode, noteTable } from "./notes.ts";

/** An engine as a plan uses it: found, opened, and waited for when all its slots are taken. */
export type RunnableEngine = { readonly hops: readonly Hop[]; run(task: HopTask): Promise<void> };

export type RunPorts = {
  /** Undefined: this node does not have it. */
  engineOf(id: string): RunnableEngine | undefined;
  /** Refuses a hostile or damaged file before any engine sees it. Rejects with INVALID_INPUT, PASSWORD_REQUIRED or INPUT_TOO_COMPLEX. */
  inspect(input: FileRef): Promise<void>;
  /** A new path for a file between two hops. */
  intermediatePath(format: string): string;
  /** Rejects with CONVERSION_FAILED unless there is a whole file of this format. */
  checkResult(path: string, format: string): Promise<unknown>;
  sizeOf(path: string): Promise<number>;
  /** Removing what is not there is no error. */
  remove(path: string): Promise<void>;
};

export type PlanRun = {
  readonly plan: Plan;
  readonly input: FileRef;
  readonly outputPath: string;
  /** Wall-clock bound of one inline hop; async hops have ten times as much. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  onNote?(code: NoteCode, message: string): void;
  /** Before the run rejects for what a hop threw. */
  onHopFailed?(planned: PlannedHop, index: number): void;
  /** From 0 to 1 over all hops. */
  onProgress?(fraction: number): void;
};

/** How much longer than its own bound an engine may take to end its processes. */
const graceMs = 3000;

/**
 * Converts `input` to `outputPath`. Rejects with a FilemillError, with the signal's reason when it fired, or with
 * whatever an engine threw against its contract; in each case nothing of ours is left beside the input.
 */
export async function runPlan(run: PlanRun, ports: RunPorts): Promise<void> {
  const { hops } = run.plan;
  if (hops.length === 0) throw new FilemillError("INTERNAL", "The plan has no hops.");
  let current = run.input;
  try {
    await ports.inspect(run.input);
    for (const [index, planned] of hops.entries()) {
      const isLast = index === hops.length - 1;
      const target = isLast ? run.outputPath : ports.intermediatePath(planned.to);
      try {
        await runHop(run, ports, { planned, index, input: current, outputPath: target });
      } catch (error) {
        run.onHopFailed?.(planned, index);
        await ports.remove(target);
        throw error;
      }
      if (current !== run.input) await ports.remove(current.path);
      if (!isLast) current = { path: target, format: planned.to, sizeBytes: await ports.sizeOf(target) };
    }
  } catch (error) {
    if (current !== run.input) await ports.remove(current.path);
    throw run.signal.aborted ? run.signal.reason : error;
  }
}

type HopRun = { readonly planned: PlannedHop; readonly index: number; readonly input: FileRef; readonly outputPath: string };

async function runHop(run: PlanRun, ports: RunPorts, { planned, index, input, outputPath }: HopRun): Promise<void> {
  run.signal.throwIfAborted();
  const engine = ports.engineOf(planned.engine);
  const hop = engine?.hops.find((candidate) => candidate.from === planned.from && candidate.to === planned.to);
  if (engine === undefined || hop === undefined) {
    throw new FilemillError("UNAVAILABLE", "The engine for this conversion is not available right now; try again later.");
  }
  assertFits(input, hop, index);
  const timeoutMs = hopBoundMs(hop, run.timeoutMs);
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(timeoutError()), timeoutMs + graceMs);
  try {
    await engine.run({
      hop,
      input,
      outputPath,
      options: hopOptionsOf(planned, hop),
      timeoutMs,
      signal: AbortSignal.any([run.signal, deadline.signal]),
      note: (code, message) => run.onNote?.(code, message ?? noteTable[code]),
      progress: (fraction) => run.onProgress?.((index + Math.min(1, Math.max(0, fraction))) / run.plan.hops.length),
    });
  } catch (error) {
    throw deadline.signal.aborted ? deadline.signal.reason : error;
  } finally {
    clearTimeout(timer);
  }
  await ports.checkResult(outputPath, planned.to);
}

function assertFits(input: FileRef, hop: Hop, index: number): void {
  if (input.sizeBytes <= hop.maxInputMb * 1e6) return;
  if (index > 0) throw new FilemillError("INPUT_TOO_COMPLEX", "The file grows too large on its way to this format.");
  throw new FilemillError("INPUT_TOO_LARGE", `This conversion takes files of up to ${hop.maxInputMb} MB.`, {
    details: { limitMb: hop.maxInputMb, limitedBy: "conversion" },
  });
}

function timeoutError(): FilemillError {
  return new FilemillError("CONVERSION_TIMEOUT", "The conversion took too long and was stopped.");
}
