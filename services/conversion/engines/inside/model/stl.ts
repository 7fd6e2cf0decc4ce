/** STL in both forms. Facets are merged only within a solid and a colour (the two bytes after a binary facet). */
import { invalid } from "../failure.ts";
import type { Change, Changed } from "./asked.ts";
import { Corners } from "./corners.ts";
import { numberIn, scaledFloat, scaledText } from "./scaling.ts";
import { simplified, trianglesOf } from "./simplify.ts";

const headBytes = 84;
const facetBytes = 50;
const damaged = "The model is damaged or is not STL.";

export function changeStl(bytes: Buffer, change: Change): Promise<Changed> {
  const told = bytes.length >= headBytes ? bytes.readUInt32LE(80) : Number.POSITIVE_INFINITY;
  const isText = bytes.toString("latin1", 0, 5).toLowerCase() === "solid" && bytes.length !== headBytes + told * facetBytes;
  if (isText) return changeText(bytes.toString("latin1"), change);
  if (bytes.length < headBytes + told * facetBytes || told === 0) throw invalid(damaged);
  return changeBinary(bytes, told, change);
}

async function changeBinary(bytes: Buffer, told: number, { share, factor }: Change): Promise<Changed> {
  const corners = new Corners();
  const byColour = new Map<number, number[]>();
  for (let facet = 0; facet < told; facet++) {
    const at = headBytes + facet * facetBytes;
    const colour = bytes.readUInt16LE(at + 48);
    const list = byColour.get(colour) ?? [];
    byColour.set(colour, list);
    for (let corner = at + 12; corner < at + 48; corner += 12) list.push(cornerAt(bytes, corner, corners));
  }
  const groups = [...byColour.values()].map((list) => Uint32Array.from(list));
  const places = corners.places();
  const made = await simplified({ places, groups }, share);
  const has = trianglesOf(made);
  if (has === told) return { bytes: scaledBinary(bytes, told, factor), had: told, has };
  const body = Buffer.alloc(has * facetBytes);
  let at = 0;
  [...byColour.keys()].forEach((colour, index) => {
    const list = made[index] ?? new Uint32Array();
    for (let corner = 0; corner < list.length; corner += 3, at += facetBytes) {
      const facet = facetOf(list.subarray(corner, corner + 3), places);
      facet.forEach((value, place) => {
        body.writeFloatLE(value, at + place * 4);
      });
      body.writeUInt16LE(colour, at + 48);
    }
  });
  const head = Buffer.from(bytes.subarray(0, headBytes));
  head.writeUInt32LE(has, 80);
  const whole = Buffer.concat([head, body, bytes.subarray(headBytes + told * facetBytes)]);
  return { bytes: scaledBinary(whole, has, factor), had: told, has };
}

function cornerAt(bytes: Buffer, at: number, corners: Corners): number {
  return corners.numberOf(bytes.toString("latin1", at, at + 12), () => [0, 4, 8].map((axis) => bytes.readFloatLE(at + axis)));
}

/** Its normal and its three vertices. */
function facetOf(corners: Uint32Array, places: Float32Array): readonly number[] {
  const [a = [], b = [], c = []] = [...corners].map((corner) => [...places.subarray(corner * 3, corner * 3 + 3)]);
  return [...normalOf(a, b, c), ...a, ...b, ...c];
}

function normalOf(a: readonly number[], b: readonly number[], c: readonly number[]): readonly number[] {
  const edge = (to: readonly number[], axis: number) => (to[axis % 3] ?? 0) - (a[axis % 3] ?? 0);
  const cross = [0, 1, 2].map((axis) => edge(b, axis + 1) * edge(c, axis + 2) - edge(b, axis + 2) * edge(c, axis + 1));
  const length = Math.hypot(...cross);
  return cross.map((value) => (length === 0 ? 0 : Math.fround(value / length)));
}

function scaledBinary(bytes: Buffer, count: number, factor: number): Buffer {
  if (factor === 1) return bytes;
  const scaled = Buffer.from(bytes);
  for (let facet = 0; facet < count; facet++) {
    const at = headBytes + facet * facetBytes;
    for (let value = at + 12; value < at + 48; value += 4) scaled.writeFloatLE(scaledFloat(bytes.readFloatLE(value), factor), value);
  }
  return scaled;
}

type Solid = { readonly lines: string[]; readonly corners: number[] };

async function changeText(text: string, { share, factor }: Change): Promise<Changed> {
  const corners = new Corners();
  const solids = solidsIn(text, corners);
  const groups = solids.map((solid) => Uint32Array.from(solid.corners));
  const had = trianglesOf(groups);
  if (had === 0 || groups.some(({ length }) => length % 3 !== 0)) throw invalid(damaged);
  const places = corners.places();
  const made = await simplified({ places, groups }, share);
  const has = trianglesOf(made);
  const scaled = (word: string) => (factor === 1 ? word : scaledText(word, factor));
  if (has === had) {
    const vertex = /(\bvertex[ \t]+)(\S+)([ \t]+)(\S+)([ \t]+)(\S+)/gi;
    const written = text.replaceAll(vertex, (_, a, x, b, y, c, z) => `${a}${scaled(x)}${b}${scaled(y)}${c}${scaled(z)}`);
    return { bytes: Buffer.from(written, "latin1"), had, has };
  }
  const words = corners.keys();
  const lines = solids.flatMap((solid, index) => {
    const list = made[index] ?? new Uint32Array();
    const facets = Array.from({ length: list.length / 3 }, (_, facet) => {
      const own = list.subarray(facet * 3, facet * 3 + 3);
      const told = [...own].map((corner) => `      vertex ${(words[corner] ?? "").split(" ").map(scaled).join(" ")}`);
      return `  facet normal ${facetOf(own, places).slice(0, 3).join(" ")}\n    outer loop\n${told.join("\n")}\n    endloop\n  endfacet`;
    });
    // The lines that open and close a solid, with its name.
    return [solid.lines[0] ?? "", ...facets, ...solid.lines.slice(1)];
  });
  return { bytes: Buffer.from(`${lines.filter((line) => line !== "").join("\n")}\n`, "latin1"), had, has };
}

/** Lines outside facets are kept, the first one of each solid before its facets. */
function solidsIn(text: string, corners: Corners): readonly Solid[] {
  const solids: Solid[] = [];
  for (const line of text.split(/\r\n|\r|\n/)) {
    const [word = "", ...rest] = line.trim().split(/[ \t]+/);
    const kind = word.toLowerCase();
    if (kind === "solid") solids.push({ lines: [], corners: [] });
    const solid = solids.at(-1);
    if (solid === undefined) throw invalid(damaged);
    if (kind === "vertex") {
      if (rest.length !== 3) throw invalid(damaged);
      solid.corners.push(corners.numberOf(rest.join(" "), () => rest.map(numberIn)));
    } else if (!facetWords.has(kind)) solid.lines.push(line);
  }
  return solids;
}

const facetWords = new Set(["facet", "outer", "endloop", "endfacet", ""]);
