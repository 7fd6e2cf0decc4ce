/** Builds documents of Numbers as it stores them since 2017, field by field. */
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { zipSync } from "fflate";

type Field = number | string | Uint8Array | readonly (string | Uint8Array)[];

/** A message by field numbers. */
export function message(fields: Readonly<Record<number, Field>>): Uint8Array {
  const writer = new BinaryWriter();
  for (const [number, value] of Object.entries(fields)) {
    if (typeof value === "number") writer.tag(Number(number), WireType.Varint).uint32(value);
    else
      for (const each of Array.isArray(value) ? value : [value])
        writer.tag(Number(number), WireType.LengthDelimited).bytes(typeof each === "string" ? Buffer.from(each) : each);
  }
  return writer.finish();
}

export const reference = (identifier: number): Uint8Array => message({ 1: identifier });

/** A cell of a type, with the values of its fields by their bits. */
export function cell(type: number, fields: Readonly<Record<number, Buffer>>): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt8(5, 0);
  head.writeUInt8(type, 1);
  head.writeUInt32LE(
    Object.keys(fields).reduce((flags, place) => flags | (1 << Number(place)), 0),
    8,
  );
  return Buffer.concat([head, ...Object.values(fields)]);
}

export function double(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return bytes;
}

export function integer(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** Digits times ten to the power of an exponent. */
export function decimal(digits: bigint, exponent: number): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.writeBigUInt64LE(digits & 0xffff_ffff_ffff_ffffn, 0);
  bytes.writeBigUInt64LE((BigInt(exponent + 6176) << 49n) | (digits >> 64n), 8);
  return bytes;
}

export type Stored = readonly [identifier: number, type: number, message: Uint8Array];

/** A table with one row of such cells. `lists` are references by field of its store. */
export function tableOf(
  identifier: number,
  name: string,
  cells: readonly Buffer[],
  lists: Readonly<Record<number, Uint8Array>> = {},
): Stored[] {
  const offsets = Buffer.alloc(cells.length * 2);
  let at = 0;
  for (const [column, { length }] of cells.entries()) {
    offsets.writeUInt16LE(at, column * 2);
    at += length;
  }
  const row = message({ 1: 0, 2: cells.length, 6: Buffer.concat(cells), 7: offsets });
  const tiles = message({ 1: message({ 1: 0, 2: reference(identifier + 2) }) });
  const tree = cells.length > 0 ? { 1: message({ 1: 0, 2: 0 }) } : {};
  const store = message({ 3: tiles, 9: message(tree), ...lists });
  return [
    [identifier, 6000, message({ 2: reference(identifier + 1) })],
    [identifier + 1, 6001, message({ 4: store, 6: cells.length > 0 ? 1 : 3, 7: Math.max(cells.length, 2), 8: name })],
    [identifier + 2, 6002, message({ 5: row })],
  ];
}

/** A document with one sheet of these drawables. */
export function documentOf(drawables: readonly number[], objects: readonly Stored[]): Buffer {
  const all: readonly Stored[] = [
    [1, 1, message({ 1: reference(2) })],
    [2, 2, message({ 1: "Sheet", 2: drawables.map(reference) })],
    ...objects,
  ];
  const stream = Buffer.concat(
    all.flatMap(([identifier, type, bytes]) => {
      const header = message({ 1: identifier, 2: message({ 1: type, 3: bytes.length }) });
      return [Buffer.from(new BinaryWriter().uint32(header.length).finish()), header, bytes];
    }),
  );
  // Snappy with one literal.
  const length = Buffer.from(new BinaryWriter().uint32(stream.length).finish());
  const block = Buffer.concat([length, Buffer.from([0xf4, (stream.length - 1) & 255, (stream.length - 1) >> 8]), stream]);
  const frame = Buffer.from([0, block.length & 255, block.length >> 8, 0]);
  return Buffer.from(zipSync({ "Index/Document.iwa": Buffer.concat([frame, block]) }));
}
