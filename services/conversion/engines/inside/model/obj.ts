/** Wavefront OBJ, line by line: names, groups, materials and comments stay in place, and every number that is kept keeps its digits. */
import { invalid } from "../failure.ts";
import type { Change, Changed } from "./asked.ts";
import { Corners } from "./corners.ts";
import { trianglesIn } from "./polygon.ts";
import { numberIn, scaledText } from "./scaling.ts";
import { simplified, trianglesOf } from "./simplify.ts";

const listed = ["v", "vt", "vn"] as const;
/** Elements that refer to vertices as faces do; those vertices cannot be left out. */
const otherUsers = new Set(["l", "p", "curv", "curv2", "surf", "trim", "hole", "scrv", "sp", "fo"]);

/** Consecutive faces, separated only by blanks and comments: they share a group, material and smoothing. */
type Run = { readonly line: number; readonly corners: number[] };
type Model = {
  readonly lines: readonly string[];
  readonly runs: readonly Run[];
  readonly corners: Corners;
  readonly hasOtherUsers: boolean;
};

export async function changeObj(bytes: Buffer, { share, factor }: Change): Promise<Changed> {
  const lines = bytes
    .toString("latin1")
    .replaceAll(/\\\r?\n/g, " ")
    .split("\n");
  const model = modelIn(lines);
  const groups = model.runs.map(({ corners }) => Uint32Array.from(corners));
  const had = trianglesOf(groups);
  if (had === 0) throw invalid("The model is damaged, contains no faces, or is not OBJ.");
  const made = await simplified({ places: model.corners.places(), groups }, share);
  const has = trianglesOf(made);
  const kept = has === had ? lines : withFaces(model, made);
  const written = factor === 1 ? kept : kept.map((line) => scaledLine(line, factor));
  return { bytes: Buffer.from(written.join("\n"), "latin1"), had, has };
}

const wordsOf = (line: string): readonly string[] => line.trim().split(/\s+/);

function modelIn(lines: readonly string[]): Model {
  const corners = new Corners();
  const runs: Run[] = [];
  const places: (readonly number[])[] = [];
  const counts = { v: 0, vt: 0, vn: 0 };
  let hasOtherUsers = false;
  let isInRun = false;
  lines.forEach((line, number) => {
    const [kind = "", ...rest] = wordsOf(line);
    if (kind === "v") places.push(rest.slice(0, 3).map(numberIn));
    if (kind === "v" || kind === "vt" || kind === "vn") counts[kind]++;
    else if (kind === "f") {
      if (!isInRun) runs.push({ line: number, corners: [] });
      isInRun = true;
      runs.at(-1)?.corners.push(...faceOf(rest, counts, places, corners));
    } else if (kind !== "" && !kind.startsWith("#")) {
      isInRun = false;
      hasOtherUsers ||= otherUsers.has(kind);
    }
  });
  return { lines, runs, corners, hasOtherUsers };
}

/** Vertices of the triangles of a face. */
function faceOf(
  words: readonly string[],
  counts: Readonly<Record<(typeof listed)[number], number>>,
  places: readonly (readonly number[])[],
  corners: Corners,
): readonly number[] {
  if (words.length < 3) throw invalid("The model has a face with fewer than three vertices.");
  const refs = words.map((word) => word.split("/").map((ref, index) => absolute(ref, counts[listed[index] ?? "v"])));
  const placeOf = (corner: number) => places[Number(refs[corner]?.[0]) - 1] ?? [];
  return trianglesIn(refs.length, placeOf).map((corner) => corners.numberOf((refs[corner] ?? []).join("/"), () => placeOf(corner)));
}

/** Indices start at 1; a negative index counts back from the current line. */
function absolute(ref: string, count: number): string {
  if (ref === "") return "";
  const number = numberIn(ref);
  const found = number < 0 ? count + 1 + number : number;
  if (!Number.isInteger(found) || found < 1 || found > count) throw invalid("The model has faces that refer to missing vertices.");
  return String(found);
}

/** The lines with the runs replaced by other faces, without vertices that are no longer used. */
function withFaces({ lines, runs, corners, hasOtherUsers }: Model, made: readonly Uint32Array[]): readonly string[] {
  const keys = corners.keys().map((key) => key.split("/"));
  const used = listed.map(() => new Set<number>());
  for (const list of made)
    for (const corner of list) keys[corner]?.forEach((ref, index) => void (ref === "" || used[index]?.add(Number(ref))));
  const renumbered = listed.map(() => new Map<number, number>());
  const seen = [0, 0, 0];
  const runAt = new Map(runs.map(({ line }, index) => [line, made[index] ?? new Uint32Array()]));
  const refOf = (corner: number) =>
    (keys[corner] ?? []).map((ref, index) => (ref === "" ? "" : (renumbered[index]?.get(Number(ref)) ?? ref))).join("/");
  const keptOf = (line: string): boolean => {
    const index = listed.indexOf(wordsOf(line)[0] as (typeof listed)[number]);
    if (index < 0) return true;
    const number = (seen[index] ?? 0) + 1;
    seen[index] = number;
    if (!hasOtherUsers && used[index]?.has(number) !== true) return false;
    renumbered[index]?.set(number, (renumbered[index]?.size ?? 0) + 1);
    return true;
  };
  const kept = lines.map(keptOf);
  return lines.flatMap((line, number) => {
    if (wordsOf(line)[0] !== "f") return kept[number] === true ? [line] : [];
    const list = runAt.get(number) ?? new Uint32Array();
    return Array.from({ length: list.length / 3 }, (_, face) => `f ${[...list.subarray(face * 3, face * 3 + 3)].map(refOf).join(" ")}`);
  });
}

/** A weight or colour after the position stays. */
function scaledLine(line: string, factor: number): string {
  return line.replace(
    /^(\s*v\s+)(\S+)(\s+)(\S+)(\s+)(\S+)/,
    (_, start, x, a, y, b, z) => `${start}${scaledText(x, factor)}${a}${scaledText(y, factor)}${b}${scaledText(z, factor)}`,
  );
}
