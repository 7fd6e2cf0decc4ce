/** Between GDAL's reading and writing, our own program rearranges a map so that GDAL writes it unchanged (see inside/map). */
import { FilemillError } from "#contract/errors.ts";
import { flag, list, oneOf, optional, record, whole } from "#services/conversion/domain/answer-shapes.ts";
import type { HopTask } from "#services/conversion/domain/engine.ts";
import { answerOf } from "../shared/child-engine.ts";
import { runOwn } from "../shared/node-worker.ts";
import type { ToolSession } from "../shared/tool-run.ts";

const layerNames = ["points", "multipoints", "lines", "areas"].flatMap((sort) =>
  ["", "_z", "_m", "_z_m"].map((more) => `${sort}${more}` as const),
);
const amount = whole(Number.MAX_SAFE_INTEGER);

const arranged = record({
  /** Must be gathered again in degrees: the target holds nothing else, or the layers have different coordinate systems. */
  isToBeDegrees: optional(flag),
  /** How many shapes have arcs that the target lacks. They must be gathered again as lines. */
  curves: optional(amount),
  layers: list(oneOf("data", ...layerNames), layerNames.length),
  /** How many features have a shape, how many of these shapes the layers lack, and how many features have none. */
  shapes: amount,
  lost: amount,
  bare: amount,
  hasHeights: flag,
  /** Numbers with more than 15 digits. */
  hasLongReals: flag,
  /** Values of single points must be added to the result (see completeGpx). */
  hasPoints: flag,
});
export type Arranged = ReturnType<typeof arranged>;

/** Passed between the two runs that make a GPX. The programs get every path as an argument, since the folders may differ. */
const points = "/job/points.json";

type Gathered = {
  /** GDAL's output, in the job's folder. */
  readonly gathered: string;
  readonly lists: readonly string[];
};

/** Without `gathered`, only inspects the source. */
export async function arrange(session: ToolSession, task: HopTask, input: string, gathered?: Gathered): Promise<Arranged> {
  const { from, to } = task.hop;
  const asked = JSON.stringify({ from, to, input, points, ...gathered, isOfPoints: task.options["geometry"] === "xy" });
  const said: unknown = JSON.parse(await runOwn(session, "map/main.ts", ["arrange", asked]));
  const notes = notesIn(said);
  const result = arranged((said as { readonly map?: unknown }).map);
  const isToGatherAgain = result.isToBeDegrees === true || (result.curves ?? 0) > 0;
  if (!isToGatherAgain) for (const { code, message } of notes) task.note(code, message);
  return result;
}

function notesIn(said: unknown) {
  const answer = answerOf(said);
  if (!answer.ok) throw answer.error;
  return answer.notes;
}

const rewritten = whole(64);

/** Paths of the documents of a KML or KMZ, of which GDAL would read some values wrongly (see inside/map/kml-source.ts). */
export async function rewriteKml(session: ToolSession, input: string): Promise<readonly string[]> {
  const said: unknown = JSON.parse(await runOwn(session, "map/main.ts", ["kml", input, "/job"]));
  notesIn(said);
  const documents = rewritten((said as { readonly documents?: unknown }).documents);
  if (documents === 0) throw new FilemillError("INVALID_INPUT", "The archive contains no KML.");
  return Array.from({ length: documents }, (_, place) => `/job/plain-${place}.kml`);
}

/** The path of a collection with the lines of a file (see inside/map/json-source.ts). */
export async function collectLines(session: ToolSession, input: string): Promise<string> {
  const collection = "/job/lines.geojson";
  notesIn(JSON.parse(await runOwn(session, "map/main.ts", ["lines", input, collection])));
  return collection;
}

/** Adds what GDAL cannot write to a GPX in the job's folder that was made from an arranged map. */
export async function completeGpx(session: ToolSession, name: string): Promise<void> {
  await runOwn(session, "map/main.ts", ["complete", `/job/${name}`, points]);
}
