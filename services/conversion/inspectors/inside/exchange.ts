/** The messages between host and inspector, one line of JSON each. */
import { readSync, writeSync } from "node:fs";
import type { Refusal } from "./refusal.ts";

export type FileAsked = {
  readonly sizeBytes: number;
  /** The beginning, in base64. For a small file, all of it. */
  readonly head: string;
  /** The end, if the question is about it. */
  readonly tail?: string;
};

export type Question = {
  readonly kind: string;
  readonly files: readonly FileAsked[];
  readonly more: Readonly<Record<string, unknown>>;
};

/** The last line is an answer, a refusal or a defect. Before it, there may be any number of `read` and `write`. */
export type Reply =
  | { readonly answer: unknown }
  | { readonly refusal: Refusal }
  | { readonly defect: string }
  | { readonly read: readonly [file: number, offset: number, length: number] }
  | { readonly write: string };

let waiting = Buffer.alloc(0);
const chunk = Buffer.allocUnsafeSlow(65_536);

/** Blocks, because there is nothing else to do, and a turn of the event loop costs more than a small file. Undefined at the end. */
export function nextLine(): string | undefined {
  const parts = [waiting];
  for (let last = waiting; ; ) {
    const end = last.indexOf(0x0a);
    if (end >= 0) {
      parts[parts.length - 1] = last.subarray(0, end);
      waiting = last.subarray(end + 1);
      return Buffer.concat(parts).toString();
    }
    const length = readSync(0, chunk);
    if (length === 0) return undefined;
    last = Buffer.from(chunk.subarray(0, length));
    parts.push(last);
  }
}

export function say(reply: Reply | { readonly ready: true }): void {
  for (let rest = Buffer.from(`${JSON.stringify(reply)}\n`); rest.length > 0; ) rest = rest.subarray(writeSync(1, rest));
}

/** Bytes of one of the question's files. */
export function readFromHost(file: number, offset: number, length: number): Buffer {
  say({ read: [file, offset, length] });
  const told: { readonly bytes: string } = JSON.parse(nextLine() ?? "{}");
  return Buffer.from(told.bytes, "base64");
}

const longestPiece = 256 * 1024;

/** Appends to the output of this question on the host. */
export function writeToHost(bytes: Buffer): void {
  for (let at = 0; at < bytes.length; at += longestPiece) {
    say({ write: bytes.toString("base64", at, at + longestPiece) });
    nextLine();
  }
}
