/** Converts a file inside another file by its own best route, as part of the task that unpacked it. */
import type { Plan } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import { type Alternates, runWithAlternates } from "./alternates.ts";
import type { PlanRun, RunPorts } from "./run-hop.ts";
import { runPlan } from "./run-plan.ts";
import { openInput } from "./unlock.ts";

/** The best plan with default options. Rejects with UNSUPPORTED_CONVERSION, or with the reason why the planner cannot answer. */
export type PlanOf = (from: string, to: string) => Promise<Plan>;

export type EntryRun = Pick<PlanRun, "timeoutMs" | "password" | "bound"> & { readonly planOf: PlanOf; readonly alternates?: Alternates };

/**
 * Resolves with the file in the requested format: the entry itself if it already has that format and is intact, otherwise a new file that
 * the caller removes. Entries of entries are not converted.
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
