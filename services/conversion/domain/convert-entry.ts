/** Converts a file that came inside another one, by its own best route, as a part of the task that unpacked it. */
import type { Plan } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import { type Alternates, runWithAlternates } from "./alternates.ts";
import type { PlanRun, RunPorts } from "./run-hop.ts";
import { runPlan } from "./run-plan.ts";
import { openInput } from "./unlock.ts";

/** The best plan by the options' defaults. Rejects with UNSUPPORTED_CONVERSION, or with what keeps the planner from answering. */
export type PlanOf = (from: string, to: string) => Promise<Plan>;

export type EntryRun = Pick<PlanRun, "timeoutMs" | "password" | "bound"> & { readonly planOf: PlanOf; readonly alternates?: Alternates };

/**
 * Resolves with the file in the format that is wanted: the entry itself where it has that format and is well, or a new one, which
 * the caller removes. No entry of an entry is converted.
 */
export function entryConverterOf(
  { planOf, alternates, timeoutMs, password, bound }: EntryRun,
  ports: RunPorts,
): NonNullable<PlanRun["convertEntry"]> {
  return async (input, to, { signal, onSpent, onNote }) => {
    signal.throwIfAborted();
    if (input.format === to) return await openInput({ input, password, timeoutMs, signal }, ports);
    const plan = await planOf(input.format, to);
    const outputPath = ports.intermediatePath(to);
    const run: PlanRun = { plan, input, outputPath, timeoutMs, signal, password, onSpent, onNote, ...(bound && { bound }) };
    await (alternates === undefined ? runPlan(run, ports) : runWithAlternates(run, ports, alternates));
    return { path: outputPath, format: to, sizeBytes: await ports.sizeOf(outputPath) };
  };
}
