/**
 * The extent of a DXF drawing, by which LibreOffice places it on its page. Many programs state none, or the one of an empty drawing, with
 * which everything falls on one point.
 */
import type { ByteSource } from "#services/conversion/domain/guards/byte-source.ts";
import { pairsIn } from "./dxf-pairs.ts";
import { drawableDxf } from "./dxf-shapes.ts";
import { writeToHost } from "./exchange.ts";
import { contentOf } from "./remote-file.ts";

type Point = readonly [x: number, y: number];
type Box = readonly [least: Point, most: Point];
type Insert = { readonly name: string; readonly at: Point; readonly scale: Point; readonly turn: number };
type Block = { base: Point; readonly points: Point[]; readonly inserts: Insert[] };
type Parts = { kind: string; name: string; text: string; readonly points: [number, number][]; readonly values: Map<string, number> };

const maxDepth = 16;
const wide = 1e19;
const outlined = new Set("3DFACE LINE LWPOLYLINE POINT SOLID TRACE VERTEX".split(" "));
const least = /(\$EXTMIN\s{1,9}10\s{1,9})(\S{1,40})(\s{1,9}20\s{1,9})(\S{1,40})/;
const most = /(\$EXTMAX\s{1,9}10\s{1,9})(\S{1,40})(\s{1,9}20\s{1,9})(\S{1,40})/;

export async function placeDxf(file: ByteSource): Promise<Record<string, never>> {
  writeToHost(Buffer.from(placedDxf(drawableDxf((await contentOf(file)).toString("latin1"))), "latin1"));
  return {};
}

/** The drawing with its extent, if it states none. */
export function placedDxf(text: string): string {
  const [from, to] = [least.exec(text), most.exec(text)].map((found) => [Number(found?.[2] ?? wide), Number(found?.[4] ?? wide)] as const);
  const isStated = from !== undefined && to !== undefined && from[0] < to[0] && from[1] < to[1] && Math.abs(from[0]) < wide && to[0] < wide;
  const box = isStated ? undefined : extentOf(text);
  return box === undefined ? text : withExtent(text, box);
}

function withExtent(text: string, [[x, y], [right, top]]: Box): string {
  const put = (point: Point) => (_: string, before: string, _x: string, between: string) => `${before}${point[0]}${between}${point[1]}`;
  if (least.test(text) && most.test(text)) return text.replace(least, put([x, y])).replace(most, put([right, top]));
  const corner = (name: string, ...[across, up]: Point) => `9\n$EXT${name}\n10\n${across}\n20\n${up}\n30\n0\n`;
  return `0\nSECTION\n2\nHEADER\n${corner("MIN", x, y)}${corner("MAX", right, top)}0\nENDSEC\n${text.trimStart()}`;
}

function extentOf(text: string): Box | undefined {
  const blocks = new Map<string, Block>([["", { base: [0, 0], points: [], inserts: [] }]]);
  let [section, block] = ["", ""];
  let parts: Parts = { kind: "", name: "", text: "", points: [], values: new Map() };
  const finish = (): void => {
    if (parts.kind === "SECTION") section = parts.name;
    if (parts.kind === "BLOCK") {
      block = parts.name;
      blocks.set(block, { base: parts.points[0] ?? [0, 0], points: [], inserts: [] });
    } else if (section === "ENTITIES" || block !== "") addTo(blocks.get(block), parts);
    if (parts.kind === "ENDBLK") block = "";
  };
  for (const { code, value } of pairsIn(text)) {
    if (code === "0") {
      finish();
      parts = { kind: value.trim(), name: "", text: "", points: [], values: new Map() };
    } else if (code === "2") parts.name = value.trim();
    else if (code === "1") parts.text = value;
    else if (/^1[0-3]$/.test(code)) parts.points.push([Number(value), 0]);
    else if (/^2[0-3]$/.test(code)) {
      const point = parts.points.at(-1);
      if (point !== undefined) point[1] = Number(value);
    } else parts.values.set(code, Number(value));
  }
  finish();
  return boxOf("", blocks, new Map(), 0);
}

function addTo(block: Block | undefined, { kind, name, text, points, values }: Parts): void {
  const [first] = points;
  if (block === undefined || first === undefined) return;
  const value = (code: string, usual: number) => values.get(code) ?? usual;
  const spread = (left: number, right: number, down: number, up: number) =>
    block.points.push([first[0] - left, first[1] - down], [first[0] + right, first[1] + up]);
  const size = value("40", 0);
  if (outlined.has(kind)) for (const point of points) block.points.push(point);
  else if (kind === "HATCH") for (const point of points.slice(1)) block.points.push(point);
  else if (kind === "CIRCLE" || kind === "ARC") spread(size, size, size, size);
  else if (kind === "TEXT" || kind === "ATTRIB") spread(0, size * text.length, 0, size);
  else if (kind === "DIMENSION") block.inserts.push({ name, at: [0, 0], scale: [1, 1], turn: 0 });
  else if (kind === "INSERT") {
    const scale = [value("41", 1), value("42", 1)] as const;
    block.inserts.push({ name, at: first, scale, turn: (value("50", 0) * Math.PI) / 180 });
  }
}

function boxOf(name: string, blocks: ReadonlyMap<string, Block>, known: Map<string, Box | undefined>, depth: number): Box | undefined {
  const block = blocks.get(name);
  if (block === undefined || depth > maxDepth || known.has(name)) return known.get(name);
  known.set(name, undefined);
  const inner = block.inserts.flatMap(({ name, at, scale, turn }) => {
    const box = boxOf(name, blocks, known, depth + 1);
    const base = blocks.get(name)?.base ?? [0, 0];
    if (box === undefined) return [];
    return box.flatMap(([x]) => box.map(([, y]) => placed([x - base[0], y - base[1]], at, scale, turn)));
  });
  const box = around([...block.points, ...inner]);
  known.set(name, box);
  return box;
}

function placed([x, y]: Point, at: Point, [across, up]: Point, turn: number): Point {
  const [sin, cos] = [Math.sin(turn), Math.cos(turn)];
  return [at[0] + x * across * cos - y * up * sin, at[1] + x * across * sin + y * up * cos];
}

function around(points: readonly Point[]): Box | undefined {
  let [left, bottom, right, top] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [x, y] of points) [left, bottom, right, top] = [Math.min(left, x), Math.min(bottom, y), Math.max(right, x), Math.max(top, y)];
  // Without points, the least is above the most. A NaN makes all comparisons false.
  if (!(left <= right && right - left < wide && top - bottom < wide)) return undefined;
  const least = (right - left + (top - bottom)) / 1000 || 1;
  return [
    [left, bottom],
    [Math.max(right, left + least), Math.max(top, bottom + least)],
  ];
}
