/** Runs the rest of a plan once for each part of a file, and packs the results. */

import { FilemillError } from "#contract/errors.ts";
import { formatOf } from "#formats/index.ts";
import type { PlannedHop } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import type { FileRef, OptionValues, Part } from "./engine.ts";
import { hopBoundMs } from "./hop-bound.ts";
import { noteTable } from "./notes.ts";
import { chosenParts, leftOutNoteOf, manyOptionOf, partFileName } from "./parts.ts";
import { timeoutError } from "./process-end.ts";
import { resultBytesOf, tooLargeFor } from "./result-bound.ts";
import { type PlanRun, type RunPorts, taskOf } from "./run-hop.ts";

/** Limit for all results together, because the client requested them in one file. */
const maxTotalBytes = 2e9;

const leftOutNotes: ReadonlySet<string> = new Set(["PAGES_LEFT_OUT", "SHEETS_LEFT_OUT", "TRACKS_LEFT_OUT", "ANIMATION_REDUCED"]);

export type Split = { readonly part: Part; readonly chosen: string };

/** Whether this hop should make several results. */
export function splitOf(ports: RunPorts, planned: PlannedHop): Split | undefined {
  const hop = ports.engineOf(planned.engine)?.hops.find(({ from, to }) => from === planned.from && to === planned.to);
  if (hop?.part === undefined) return undefined;
  const value = planned.options[manyOptionOf(hop.part)]?.value;
  return value?.case === "text" ? { part: hop.part, chosen: value.value } : undefined;
}

type SplitHop = { readonly index: number; readonly input: FileRef; readonly split: Split };

/**
 * Runs the hop and those after it, with `runRest`, for every requested part of the input. The archive is then at the run's output path.
 * Together they may take as long as one async hop.
 */
export async function runForEach(
  run: PlanRun,
  ports: RunPorts,
  hop: SplitHop,
  runRest: (run: PlanRun, given: OptionValues) => Promise<void>,
): Promise<void> {
  const limit = new AbortController();
  using _timer = setTimeout(() => limit.abort(timeoutError()), hopBoundMs({ async: true }, run.timeoutMs));
  const bounded = { ...run, signal: AbortSignal.any([run.signal, limit.signal]) };
  const files: { name: string; path: string }[] = [];
  try {
    await convertParts(bounded, ports, hop, files, runRest);
    await ports.pack(files, run.outputPath, bounded.signal);
    await ports.checkResult(run.outputPath, "zip");
  } catch (error) {
    throw limit.signal.aborted ? limit.signal.reason : error;
  } finally {
    for (const { path } of files) await ports.remove(path);
  }
  run.onNote?.("SEVERAL_FILES", `${noteTable.SEVERAL_FILES.slice(0, -1)}, ${files.length} in number.`);
}

async function convertParts(
  run: PlanRun,
  ports: RunPorts,
  { index, input, split: { part, chosen } }: SplitHop,
  files: { name: string; path: string }[],
  runRest: (run: PlanRun, given: OptionValues) => Promise<void>,
): Promise<void> {
  const [planned, last] = [run.plan.hops[index], run.plan.hops.at(-1)];
  if (planned === undefined || last === undefined) throw new FilemillError("INTERNAL", "The plan has no such hop.");
  const labels = await labelsOf(run, ports, planned, index, input);
  const wanted = chosenParts(part, chosen, labels.length);
  const numbers = wanted.filter((number) => labels[number - 1] !== null);
  if (numbers.length === 0) throw new FilemillError("CONVERSION_FAILED", `Each chosen ${part} is empty.`);
  const extension = formatOf(last.to)?.extensions[0] ?? last.to;
  let bytes = 0;
  for (const number of numbers) {
    const path = ports.intermediatePath(last.to);
    const done = files.push({ name: partFileName(part, number, labels.length, labels[number - 1] ?? "", extension), path }) - 1;
    const one: PlanRun = {
      ...run,
      outputPath: path,
      // What is left out of one file is in the others.
      onNote: (code, message) => leftOutNotes.has(code) || run.onNote?.(code, message),
      onProgress: (fraction) => run.onProgress?.((done + fraction) / numbers.length),
    };
    await runRest(one, { [part]: part === "sheet" ? String(number) : number });
    bytes += await ports.sizeOf(path);
    if (run.bound !== undefined && bytes > resultBytesOf(run.bound)) throw tooLargeFor(run.bound);
    if (bytes > maxTotalBytes) throw new FilemillError("INPUT_TOO_COMPLEX", "The results are too large in total; choose fewer.");
  }
  if (wanted.length < labels.length) {
    run.onNote?.(leftOutNoteOf(part), `Only ${wanted.length} of ${labels.length} ${part}s were converted.`);
  }
}

async function labelsOf(
  run: PlanRun,
  ports: RunPorts,
  planned: PlannedHop,
  index: number,
  input: FileRef,
): Promise<readonly (string | null)[]> {
  using bounded = taskOf(run, ports, planned, index, input);
  const { engine, task } = bounded;
  if (engine.parts === undefined) throw new FilemillError("INTERNAL", "The engine cannot list the parts of a file.");
  return await engine.parts(task);
}
