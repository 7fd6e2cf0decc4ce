/** PLY in its three forms. Vertices keep their bytes; faces are merged only with faces that have the same properties. */
import { inexpressible, invalid } from "../failure.ts";
import type { Change, Changed } from "./asked.ts";
import { Corners } from "./corners.ts";
import { type Element, isDouble, isFloat, type Ply, plyOf, rawFrom, rawOf, type Value, valuesOf } from "./ply-file.ts";
import { trianglesIn } from "./polygon.ts";
import { numberIn, scaledFloat, scaledNumber, scaledText } from "./scaling.ts";
import { simplified, trianglesOf } from "./simplify.ts";

const listNames = new Set(["vertex_indices", "vertex_index"]);
const noFaces = "The model is damaged, or contains no faces.";

type Model = {
  readonly ply: Ply;
  readonly vertex: number;
  readonly face: number;
  /** The face property that lists its vertices. */
  readonly list: number;
  /** The vertex properties that hold its position. */
  readonly axes: readonly number[];
};
type Group = { readonly values: readonly Value[]; readonly corners: number[] };
/** `whole`: faces with further list properties belong to no group. */
type Faces = { readonly groups: ReadonlyMap<string, Group>; readonly whole: readonly (readonly Value[])[]; readonly triangles: number };

export async function changePly(bytes: Buffer, { share, factor }: Change): Promise<Changed> {
  const model = modelIn(plyOf(bytes));
  const records = recordsOf(model);
  const corners = new Corners();
  const first: number[] = [];
  const numbers = Array.from(records, (raw, record) => {
    const number = corners.numberOf(raw.toString("latin1"), () => placeOf(raw, model));
    if (number === first.length) first.push(record);
    return number;
  });
  const faces = facesIn(model, numbers, corners.places());
  const groups = [...faces.groups.values()].map((group) => Uint32Array.from(group.corners));
  const had = trianglesOf(groups) + faces.triangles;
  if (had === 0) throw invalid(noFaces);
  const made = await simplified({ places: corners.places(), groups }, share);
  const has = trianglesOf(made) + faces.triangles;
  const scaled = (raw: Buffer) => (factor === 1 ? raw : scaledRecord(raw, model, factor));
  if (has === had) return { bytes: withRecords(model, records.map(scaled), undefined), had, has };
  const unmerged = first.map((record) => records[record] ?? Buffer.alloc(0));
  return { bytes: withFaces(model, faces, made, unmerged, scaled), had, has };
}

function modelIn(ply: Ply): Model {
  const vertex = ply.elements.findIndex(({ name }) => name === "vertex");
  const face = ply.elements.findIndex(({ name }) => name === "face");
  const list = ply.elements[face]?.properties.findIndex(({ name, counted }) => counted !== undefined && listNames.has(name)) ?? -1;
  const properties = ply.elements[vertex]?.properties ?? [];
  const axes = ["x", "y", "z"].map((axis) => properties.findIndex(({ name, counted }) => name === axis && counted === undefined));
  if (vertex < 0 || list < 0 || axes.includes(-1)) throw invalid(noFaces);
  return { ply, vertex, face, list, axes };
}

function recordsOf({ ply, vertex }: Model): readonly Buffer[] {
  return Array.from({ length: ply.elements[vertex]?.count ?? 0 }, (_, record) => rawOf(ply, vertex, record));
}

const elementOf = ({ ply }: Model, index: number): Element => ply.elements[index] ?? { name: "", properties: [], count: 0 };

function placeOf(raw: Buffer, model: Model): readonly number[] {
  const values = valuesOf(raw, elementOf(model, model.vertex), model.ply.layout);
  return model.axes.map((axis) => numberIn(String(values[axis])));
}

/** `numbers`: maps each vertex in file order to its number among the distinct ones. */
function facesIn(model: Model, numbers: readonly number[], places: Float32Array): Faces {
  const { ply, face, list } = model;
  const element = elementOf(model, face);
  const groups = new Map<string, Group>();
  const whole: (readonly Value[])[] = [];
  let triangles = 0;
  const listsMore = element.properties.some(({ counted }, index) => index !== list && counted !== undefined);
  for (let record = 0; record < element.count; record++) {
    const values = valuesOf(rawOf(ply, face, record), element, ply.layout);
    const own = cornersOf(values[list], numbers);
    const cut = trianglesIn(own.length, (corner) => [...places.subarray((own[corner] ?? 0) * 3, (own[corner] ?? 0) * 3 + 3)]);
    if (listsMore) {
      whole.push(values.with(list, own));
      triangles += cut.length / 3;
      continue;
    }
    const key = values.with(list, 0).join(" ");
    const group = groups.get(key) ?? { values, corners: [] };
    groups.set(key, group);
    for (const corner of cut) group.corners.push(own[corner] ?? 0);
  }
  return { groups, whole, triangles };
}

function cornersOf(value: Value | undefined, numbers: readonly number[]): number[] {
  if (!Array.isArray(value) || value.length < 3) throw invalid("The model has a face with fewer than three vertices.");
  return value.map((each) => {
    const number = numbers[Number(each)];
    if (number === undefined) throw invalid("The model has faces that refer to missing vertices.");
    return number;
  });
}

/** Unused vertices are left out, unless something else may refer to them. */
function withFaces(
  model: Model,
  faces: Faces,
  made: readonly Uint32Array[],
  unmerged: readonly Buffer[],
  scaled: (raw: Buffer) => Buffer,
): Buffer {
  const { ply, face, list } = model;
  const all = [
    ...faces.whole,
    ...[...faces.groups.values()].flatMap(({ values }, index) => {
      const corners = made[index] ?? new Uint32Array();
      return Array.from({ length: corners.length / 3 }, (_, at) => values.with(list, [...corners.subarray(at * 3, at * 3 + 3)]));
    }),
  ];
  const renumbered = new Map<number, number>();
  const numberOf = (corner: number): number => {
    const number = renumbered.get(corner) ?? renumbered.size;
    renumbered.set(corner, number);
    return number;
  };
  const element = elementOf(model, face);
  const written = all.map((values) => {
    const own = values[list];
    return rawFrom(
      values.with(
        list,
        (Array.isArray(own) ? own : []).map((corner) => numberOf(Number(corner))),
      ),
      element,
      ply.layout,
      ply.lineEnd,
    );
  });
  return withRecords(
    model,
    [...renumbered.keys()].map((corner) => scaled(unmerged[corner] ?? Buffer.alloc(0))),
    written,
  );
}

/** The file with other vertices and, unless they stay, other faces. */
function withRecords({ ply, vertex, face }: Model, vertices: readonly Buffer[], faces: readonly Buffer[] | undefined): Buffer {
  const counts = new Map([["vertex", vertices.length], ...(faces === undefined ? [] : [["face", faces.length] as const])]);
  const header = ply.header.map((line) =>
    line.replace(/^(\s*element\s+)(\w+)(\s+)\d+/, (told, start, name, space) =>
      counts.has(name) ? `${start}${name}${space}${counts.get(name)}` : told,
    ),
  );
  const parts = ply.elements.flatMap(({ count }, index) => {
    if (index === vertex) return vertices;
    if (index === face && faces !== undefined) return faces;
    return count === 0 ? [] : [ply.bytes.subarray(ply.starts[index]?.[0] ?? 0, ply.starts[index]?.at(-1) ?? 0)];
  });
  return Buffer.concat([Buffer.from(`${header.join(ply.lineEnd)}end_header${ply.lineEnd}`, "latin1"), ...parts]);
}

function scaledRecord(raw: Buffer, model: Model, factor: number): Buffer {
  const { ply, vertex, axes } = model;
  const element = elementOf(model, vertex);
  const values = valuesOf(raw, element, ply.layout);
  const scaled = values.map((value, index) => {
    if (!axes.includes(index)) return value;
    if (typeof value === "string") return scaledText(value, factor);
    const { type = "" } = element.properties[index] ?? {};
    if (isFloat(type)) return type === "float64" ? scaledNumber(Number(value), factor) : scaledFloat(Number(value), factor);
    const number = scaledNumber(Number(value), factor);
    if (!isDouble(type) && !Number.isInteger(number))
      throw inexpressible("The model stores positions as integers, which this scale cannot preserve.");
    return number;
  });
  return rawFrom(scaled, element, ply.layout, ply.lineEnd);
}
