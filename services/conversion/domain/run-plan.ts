/** Runs a plan: its hops in order. Each result is checked before the next hop reads it. */
import { FilemillError } from "#contract/errors.ts";
import type { FileRef, OptionValues } from "./engine.ts";
import { noteTable } from "./notes.ts";
import { noteMetadata } from "./picture-metadata.ts";
import { type PlanRun, type RunPorts, runHop } from "./run-hop.ts";
import { runForEach, splitOf } from "./several-files.ts";
import { openInput } from "./unlock.ts";

export type { PlanRun, RunnableEngine, RunPorts } from "./run-hop.ts";

/**
 * Converts `input` to `outputPath`. Rejects with a FilemillError, with the signal's reason if it fired, or with whatever an engine threw
 * against its contract. In each case, no file is left except the input.
 */
export async function runPlan(run: PlanRun, ports: RunPorts): Promise<void> {
  if (run.plan.hops.length === 0) throw new FilemillError("INTERNAL", "The plan has no hops.");
  let opened: FileRef | undefined;
  try {
    opened = await openInput(run, ports);
    await runHops(run, ports, 0, opened);
  } catch (error) {
    throw run.signal.aborted ? run.signal.reason : error;
  } finally {
    if (opened !== undefined && opened !== run.input) await ports.remove(opened.path);
  }
}

/** The hops from `first` on. `given` are options for that hop in addition to the planned ones. */
async function runHops(run: PlanRun, ports: RunPorts, first: number, input: FileRef, given?: OptionValues): Promise<void> {
  const { hops } = run.plan;
  let current = input;
  let isSplit = false;
  try {
    for (const [index, planned] of hops.entries()) {
      if (index < first) continue;
      const split = given === undefined ? splitOf(ports, planned) : undefined;
      isSplit ||= split !== undefined;
      const isLast = index === hops.length - 1 || split !== undefined;
      const target = isLast ? run.outputPath : ports.intermediatePath(planned.to);
      try {
        if (split === undefined)
          await runHop(run, ports, { planned, index, input: current, outputPath: target, ...(index === first && { given }) });
        else {
          const input = current;
          await runForEach(run, ports, { index, input, split }, (each, option) => runHops(each, ports, index, input, option));
        }
      } catch (error) {
        run.onHopFailed?.(planned, index);
        await ports.remove(target);
        throw error;
      }
      if (isLast) break;
      if (current !== input) await ports.remove(current.path);
      current = { path: target, format: planned.to, sizeBytes: await ports.sizeOf(target) };
    }
    if (!isSplit) await noteWhatIsTold(run, ports, input);
  } finally {
    if (current !== input) await ports.remove(current.path);
  }
}

/** Notes the metadata of each resulting file. */
async function noteWhatIsTold({ plan, outputPath, onNote }: PlanRun, ports: RunPorts, input: FileRef): Promise<void> {
  const options = Object.assign({}, ...plan.hops.map((planned) => planned.options));
  const asked = options.metadata?.value?.case === "text" ? { metadata: options.metadata.value.value } : {};
  await noteMetadata(ports, input, { path: outputPath, format: plan.to }, asked, (code, message) =>
    onNote?.(code, message ?? noteTable[code]),
  );
}
