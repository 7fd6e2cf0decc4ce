/** Parquet files with decompression bombs. */
import { brotliCompressSync, constants } from "node:zlib";

/** Fields of a struct by number, in order. */
type Field = readonly [number, ThriftValue];
type ThriftValue = number | string | readonly Field[] | { readonly of: "i32" | "text" | "struct"; readonly list: readonly ThriftValue[] };

const sorts = { i32: 5, text: 8, struct: 12 } as const;

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return [...bytes, rest];
}

const isStruct = (value: ThriftValue): value is readonly Field[] => Array.isArray(value);

function sortOf(value: ThriftValue): number {
  if (typeof value === "number") return sorts.i32;
  if (typeof value === "string") return sorts.text;
  return isStruct(value) ? sorts.struct : 9;
}

/** All integers have the same type in JavaScript, so 64-bit ones need a marker: {@link long}. */
function valueBytes(value: ThriftValue): number[] {
  if (typeof value === "number") return varint(value * 2);
  if (typeof value === "string") return [...varint(value.length), ...Buffer.from(value)];
  if (!isStruct(value)) return [(value.list.length << 4) | sorts[value.of], ...value.list.flatMap(valueBytes)];
  let last = 0;
  const fields = value.flatMap(([id, inner]) => {
    const head = ((id - last) << 4) | (longs.has(inner) ? 6 : sortOf(inner));
    last = id;
    return [head, ...(longs.has(inner) ? varint(longs.get(inner) ?? 0) : valueBytes(inner))];
  });
  return [...fields, 0];
}

const longs = new Map<ThriftValue, number>();
function long(value: number): ThriftValue {
  const mark: ThriftValue = [];
  longs.set(mark, value * 2);
  return mark;
}

type Bomb = { readonly codec: "snappy" | "brotli"; readonly page: Buffer; readonly unpackedBytes: number; readonly values: number };

/** One text column in one page. @see Apache Parquet, parquet.thrift, in Thrift's compact protocol */
function parquetFile({ codec, page, unpackedBytes, values }: Bomb): Buffer {
  const data: readonly Field[] = [
    [1, values],
    [2, 0],
    [3, 3],
    [4, 3],
  ];
  const head = Buffer.from(
    valueBytes([
      [1, 0],
      [2, unpackedBytes],
      [3, page.length],
      [5, data],
    ]),
  );
  const column: readonly Field[] = [
    [1, 6],
    [2, { of: "i32", list: [0] }],
    [3, { of: "text", list: ["a"] }],
    [4, codec === "snappy" ? 1 : 4],
    [5, long(values)],
    [6, long(unpackedBytes + head.length)],
    [7, long(page.length + head.length)],
    [9, long(4)],
  ];
  const chunk: readonly Field[] = [
    [2, long(4)],
    [3, column],
  ];
  const group: readonly Field[] = [
    [1, { of: "struct", list: [chunk] }],
    [2, long(unpackedBytes)],
    [3, long(values)],
  ];
  const root: readonly Field[] = [
    [4, "schema"],
    [5, 1],
  ];
  const leaf: readonly Field[] = [
    [1, 6],
    [3, 0],
    [4, "a"],
  ];
  const description = Buffer.from(
    valueBytes([
      [1, 1],
      [2, { of: "struct", list: [root, leaf] }],
      [3, long(values)],
      [4, { of: "struct", list: [group] }],
    ]),
  );
  const length = Buffer.alloc(4);
  length.writeUInt32LE(description.length);
  const mark = Buffer.from("PAR1");
  return Buffer.concat([mark, head, page, description, length, mark]);
}

/** Empty texts: half a gigabyte of them in a kilobyte. */
export function swellingPage(): Buffer {
  const zeros = Buffer.alloc(2 ** 29);
  const page = brotliCompressSync(zeros, { params: { [constants.BROTLI_PARAM_QUALITY]: 2, [constants.BROTLI_PARAM_LGWIN]: 24 } });
  return parquetFile({ codec: "brotli", page, unpackedBytes: zeros.length, values: zeros.length / 4 });
}

/** A page of four bytes that claims two gigabytes. */
export function statedPage(): Buffer {
  const page = Buffer.from([...varint(2 ** 31 - 1), 0, 0, 0, 0]);
  return parquetFile({ codec: "snappy", page, unpackedBytes: 2 ** 31 - 1, values: 2 ** 29 });
}

/** The same structure without a trap: shows that the two above are read at all. */
export function honestPage(): Buffer {
  const page = brotliCompressSync(Buffer.from("\x05\0\0\0hello\x05\0\0\0world", "latin1"));
  return parquetFile({ codec: "brotli", page, unpackedBytes: 18, values: 2 });
}
