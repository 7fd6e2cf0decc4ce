/** Independent readers and writers: Python's and Debian's, and JavaScript itself for JSON5. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { runInNewContext } from "node:vm";
import { digitsOf, type Said, type SaidTable } from "./said.ts";

export type Foreign = AsyncDisposable & {
  /** Rejects if the format's own library refuses the value. */
  write(format: string, value: Said | SaidTable, path: string): Promise<void>;
  read(format: string, path: string): Promise<Said | SaidTable>;
};

type Question = { readonly kind: string; readonly path: string; readonly value?: Said | SaidTable };

export function openForeign(): Foreign {
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(
    "/usr/bin/python3",
    ["-I", "-B", join(import.meta.dirname, "foreign", "main.py")],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ended = once(child, "close");
  let turn: Promise<unknown> = Promise.resolve();
  const ask = async (question: Question): Promise<Said | SaidTable> => {
    child.stdin.write(`${JSON.stringify(question)}\n`);
    const { value, done } = await lines.next();
    if (done === true) throw new Error("the foreign readers are gone");
    const { said, error } = JSON.parse(value);
    if (error !== undefined) throw new Error(error);
    return said;
  };
  const inTurn = (question: Question) => {
    const answer = turn.then(() => ask(question));
    turn = answer.catch(() => undefined);
    return answer;
  };
  return {
    async write(format, value, path) {
      await inTurn({ kind: format, path, value });
    },
    async read(format, path) {
      if (format === "json5") return literalSaid(runInNewContext(`(${withNumbers(await readFile(path, "utf8"))})`));
      return await inTurn({ kind: format, path });
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await ended;
    },
  };
}

const tokens = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\/\/[^\n]*|[$_\p{L}][$\w\p{L}]*|-?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?/gsu;

const numberMark = Symbol.for("n");
const nameMark = '"~"';

/** Wraps numbers in objects, because JavaScript would round them. */
function withNumbers(text: string): string {
  return text.replace(tokens, (token, place: number) => {
    const isName = /^\s*:/.test(text.slice(place + token.length, place + token.length + 20));
    // In JavaScript some names are special, and numeric ones come first; in JSON5 none are.
    if (isName) return /^["']/.test(token) ? `[${nameMark}+${token}]` : `[${nameMark}+"${token}"]`;
    return /^[-.\d]/.test(token) ? `{[Symbol.for("n")]:"${token}"}` : token;
  });
}

/** From an object literal, as JavaScript itself reads JSON5. */
function literalSaid(value: unknown): Said {
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "number") return { n: digitsOf(Object.is(value, -0) ? "-0" : String(value)) ?? "" };
  if (typeof value === "string") return { t: value };
  if (Array.isArray(value)) return value.map(literalSaid);
  const digits: unknown = typeof value === "object" ? Reflect.get(value, numberMark) : undefined;
  if (typeof digits === "string") return { n: digitsOf(digits) ?? "" };
  return { m: Object.entries(value ?? {}).map(([name, each]) => [name.slice(1), literalSaid(each)]) };
}
