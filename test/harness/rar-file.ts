/** A RAR 5 without compression. */
import { crc32 } from "node:zlib";

export type RarFile = {
  readonly name: string;
  readonly content?: string;
  /** The name of the file that this is a hard link to, or that it refers to as identical. */
  readonly linksTo?: string;
  readonly copies?: string;
  readonly isLocked?: boolean;
  /** Its content goes on in the next part of the archive. */
  readonly goesOn?: boolean;
};

/** Seven bits per byte, lowest first. */
const number = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, ...number(value >> 7)]);

function block(...parts: readonly (readonly number[] | Buffer)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const sized = Buffer.concat([Buffer.from(number(body.length)), body]);
  return Buffer.concat([uint32(crc32(sized)), sized]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function stored(type: number, name: string, content: Buffer, extra: readonly number[] = [], flags = 3): Buffer {
  const bytes = Buffer.from(name);
  const sizes = [...number(extra.length), ...number(content.length), 6, ...number(content.length), ...number(0o100644)];
  const about = [Buffer.from([type, flags, ...sizes]), uint32(1_600_000_000), uint32(crc32(content)), [0, 1, bytes.length]];
  return Buffer.concat([block(...about, bytes, extra), content]);
}

function redirection(kind: number, target: string): readonly number[] {
  const record = [5, kind, 0, target.length, ...Buffer.from(target)];
  return [record.length, ...record];
}

/** @see https://www.rarlab.com/technote.htm */
export function rarFile(files: readonly RarFile[], comment?: string): Buffer {
  const extraOf = ({ linksTo, copies, isLocked }: RarFile) =>
    isLocked === true ? [2, 1, 0] : linksTo !== undefined ? redirection(4, linksTo) : copies !== undefined ? redirection(5, copies) : [];
  return Buffer.concat([
    Buffer.from("Rar!\x1a\x07\x01\0", "latin1"),
    block([1, 0, 0]),
    ...(comment === undefined ? [] : [stored(3, "CMT", Buffer.from(comment))]),
    ...files.map((file) => stored(2, file.name, Buffer.from(file.content ?? ""), extraOf(file), file.goesOn === true ? 0x13 : 3)),
    block([5, 0, 0]),
  ]);
}
