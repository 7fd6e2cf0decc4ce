/** The parts of a PLY: what its header declares, and each record as bytes and as values. @see paulbourke.net/dataformats/ply */
import { invalid } from "../failure.ts";

/** Numbers in the binary forms; words in the text form, which keep their digits. */
export type Value = number | string | readonly (number | string)[];
export type Property = { readonly name: string; readonly type: string; readonly counted?: string };
export type Element = { readonly name: string; readonly properties: readonly Property[]; readonly count: number };
export type Layout = "ascii" | "little" | "big";
export type Ply = {
  readonly header: readonly string[];
  readonly lineEnd: string;
  readonly layout: Layout;
  readonly elements: readonly Element[];
  /** Where the records of each element start, and where the last one ends. */
  readonly starts: readonly (readonly number[])[];
  readonly bytes: Buffer;
};

const damaged = "The model is damaged or is not PLY.";
const maxHeaderBytes = 65_536;
const layouts: Readonly<Record<string, Layout>> = { ascii: "ascii", binary_little_endian: "little", binary_big_endian: "big" };

const sizes: Readonly<Record<string, number>> = {
  ...{ char: 1, int8: 1, uchar: 1, uint8: 1, short: 2, int16: 2, ushort: 2, uint16: 2 },
  ...{ int: 4, int32: 4, uint: 4, uint32: 4, float: 4, float32: 4, double: 8, float64: 8 },
};

export function isFloat(type: string): boolean {
  return type.startsWith("float");
}

export function isDouble(type: string): boolean {
  return type === "double" || type === "float64";
}

export function plyOf(bytes: Buffer): Ply {
  const found = /end_header(?:\r\n|\n|\r)/.exec(bytes.toString("latin1", 0, maxHeaderBytes));
  if (found === null) throw invalid(damaged);
  const lineEnd = /^ply(\r\n|\r)/.exec(bytes.toString("latin1", 0, 5))?.[1] ?? "\n";
  const header = bytes.toString("latin1", 0, found.index).split(/\r\n|\n|\r/);
  const layout = header.map((line) => /^format (\w+) /.exec(line)?.[1]).find((name) => name !== undefined);
  const known = layouts[layout ?? ""];
  if (header[0] !== "ply" || known === undefined) throw invalid(damaged);
  const elements = elementsIn(header);
  const starts: (readonly number[])[] = [];
  let at = found.index + found[0].length;
  for (const element of elements) {
    const of = startsOf(bytes, at, element, known);
    starts.push(of);
    at = of.at(-1) ?? at;
  }
  return { header, lineEnd, layout: known, elements, starts, bytes };
}

function elementsIn(header: readonly string[]): readonly Element[] {
  const elements: { name: string; count: number; properties: Property[] }[] = [];
  for (const line of header) {
    const [kind, ...rest] = line.trim().split(/[ \t]+/);
    if (kind === "element") elements.push({ name: rest[0] ?? "", count: Number(rest[1]), properties: [] });
    if (kind !== "property") continue;
    const [type = "", name = "", ...list] = rest;
    const property = type === "list" ? { name: list[1] ?? "", type: list[0] ?? "", counted: name } : { name, type };
    if (!(property.type in sizes) || ("counted" in property && !(property.counted in sizes))) throw invalid(damaged);
    elements.at(-1)?.properties.push(property);
  }
  // Every record has at least one byte, which bounds the counts that a file may claim.
  if (elements.some(({ count, properties }) => !Number.isInteger(count) || count < 0 || (count > 0 && properties.length === 0)))
    throw invalid(damaged);
  return elements;
}

function startsOf(bytes: Buffer, from: number, element: Element, layout: Layout): readonly number[] {
  if (element.count > bytes.length - from) throw invalid(damaged);
  const starts = [from];
  let at = from;
  for (let record = 0; record < element.count; record++) {
    at = layout === "ascii" ? lineEndAfter(bytes, at) : recordEndAfter(bytes, at, element.properties, layout);
    if (at > bytes.length) throw invalid(damaged);
    starts.push(at);
  }
  return starts;
}

function lineEndAfter(bytes: Buffer, at: number): number {
  if (at >= bytes.length) throw invalid(damaged);
  const end = bytes.indexOf(10, at);
  return end < 0 ? bytes.length : end + 1;
}

function recordEndAfter(bytes: Buffer, from: number, properties: readonly Property[], layout: Layout): number {
  return properties.reduce((at, { type, counted }) => {
    const size = sizes[type] ?? 1;
    if (counted === undefined) return at + size;
    if (at + (sizes[counted] ?? 1) > bytes.length) throw invalid(damaged);
    const count = readNumber(bytes, at, counted, layout);
    if (!Number.isInteger(count) || count < 0) throw invalid(damaged);
    return at + (sizes[counted] ?? 1) + size * count;
  }, from);
}

/** The bytes of a record, in the text form up to the end of the line. */
export function rawOf({ bytes, starts }: Ply, element: number, record: number): Buffer {
  return bytes.subarray(starts[element]?.[record] ?? 0, starts[element]?.[record + 1] ?? 0);
}

export function valuesOf(raw: Buffer, { properties }: Element, layout: Layout): Value[] {
  let at = 0;
  const words =
    layout === "ascii"
      ? raw
          .toString("latin1")
          .trim()
          .split(/[ \t]+/)
      : [];
  const next = (type: string): number | string => {
    if (layout === "ascii") return words[at++] ?? "";
    const value = readNumber(raw, at, type, layout);
    at += sizes[type] ?? 1;
    return value;
  };
  return properties.map(({ type, counted }) => {
    if (counted === undefined) return next(type);
    const count = Number(next(counted));
    if (layout === "ascii" && !(count >= 0 && count <= words.length - at)) throw invalid(damaged);
    return Array.from({ length: count }, () => next(type));
  });
}

export function rawFrom(values: readonly Value[], { properties }: Element, layout: Layout, lineEnd: string): Buffer {
  const flat = values.flatMap((value, index) => {
    const { type = "", counted } = properties[index] ?? {};
    const list = Array.isArray(value) ? value : [value];
    const own = list.map((each) => ({ type, value: each }));
    return counted === undefined ? own : [{ type: counted, value: list.length }, ...own];
  });
  if (layout === "ascii") return Buffer.from(`${flat.map(({ value }) => value).join(" ")}${lineEnd}`, "latin1");
  const raw = Buffer.alloc(flat.reduce((sum, { type }) => sum + (sizes[type] ?? 1), 0));
  flat.reduce((at, { type, value }) => writeNumber(raw, at, type, layout, Number(value)), 0);
  return raw;
}

const viewOf = (bytes: Buffer) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

function readNumber(bytes: Buffer, at: number, type: string, layout: Layout): number {
  const isLittle = layout === "little";
  const size = sizes[type] ?? 1;
  if (isDouble(type)) return isLittle ? bytes.readDoubleLE(at) : bytes.readDoubleBE(at);
  if (isFloat(type)) return isLittle ? bytes.readFloatLE(at) : bytes.readFloatBE(at);
  if (type.startsWith("u")) return isLittle ? bytes.readUIntLE(at, size) : bytes.readUIntBE(at, size);
  return isLittle ? bytes.readIntLE(at, size) : bytes.readIntBE(at, size);
}

function writeNumber(bytes: Buffer, at: number, type: string, layout: Layout, value: number): number {
  const isLittle = layout === "little";
  const view = viewOf(bytes);
  const size = sizes[type] ?? 1;
  if (isDouble(type)) view.setFloat64(at, value, isLittle);
  else if (isFloat(type)) view.setFloat32(at, value, isLittle);
  else if (size === 4) view.setInt32(at, value, isLittle);
  else if (size === 2) view.setInt16(at, value, isLittle);
  else view.setInt8(at, value);
  return at + size;
}
