/** Content lines of contacts and calendars (RFC 6350 §3.3, RFC 5545 §3.1), including vCard 2.1 and vCalendar 1.0. */
import type { Notes } from "../exchange.ts";
import { bytesOfQuoted, decodeDeclared } from "./decoding.ts";

export type ContentLine = {
  readonly name: string;
  /** Types of the value; old versions omit the parameter name: `TEL;HOME;VOICE`. */
  readonly types: readonly string[];
  /** Named parameters except types, charset and encoding, as written. */
  readonly parameters: readonly string[];
  readonly encoding?: string;
  /** Decoded from quoted-printable. */
  readonly value: string;
};

/**
 * Unfolds long lines in the raw bytes, because old programs fold inside a character. A quoted-printable line may continue with a blank.
 * A file that was written twice in text mode on Windows has a CR too many in each line end.
 */
export function withoutFolds(bytes: Buffer): Buffer {
  return Buffer.from(
    bytes
      .toString("latin1")
      .replaceAll("\r\r\n", "\r\n")
      .replace(/(?<![=\r])\r?\n[ \t]/g, ""),
    "latin1",
  );
}

/** Lines without a value are returned as they are. */
export function contentLinesOf(text: string, notes: Notes): readonly (ContentLine | string)[] {
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n?|\n/);
  const done: (ContentLine | string)[] = [];
  for (let at = 0; at < lines.length; at++) {
    const first = lines[at] ?? "";
    if (first.trim() === "") continue;
    const { length } = headOf(first);
    const isQuoted = /[;=]quoted-printable(?=;|$)/i.test(first.slice(0, length));
    const parts = [first];
    while (at + 1 < lines.length && (isQuoted ? parts.at(-1)?.endsWith("=") : /^[ \t]/.test(lines[at + 1] ?? ""))) {
      const next = lines[++at] ?? "";
      parts.push(isQuoted ? next : next.slice(1));
    }
    const line = isQuoted ? parts.map((part) => part.replace(/=$/, "")).join("") : parts.join("");
    done.push(parsed(line, isQuoted, notes));
  }
  return done;
}

const headOf = (line: string): string => /^(?:[^":]|"[^"]*")*/.exec(line)?.[0] ?? "";

function parsed(line: string, isQuoted: boolean, notes: Notes): ContentLine | string {
  const head = headOf(line);
  if (!line.startsWith(":", head.length)) return line;
  const { charset, encoding, ...rest } = parametersOf(head);
  const raw = line.slice(head.length + 1);
  if (isQuoted) return { ...rest, value: decodeDeclared(bytesOfQuoted(raw), charset, notes).replace(/\r\n?/g, "\n") };
  return { ...rest, ...(encoding === undefined || /^[78]bit$/i.test(encoding) ? {} : { encoding }), value: raw };
}

function parametersOf(head: string) {
  const [name = "", ...given] = head.match(/(?:[^";]|"[^"]*")+/g) ?? [];
  const types: string[] = [];
  const parameters: string[] = [];
  let encoding: string | undefined;
  let charset: string | undefined;
  for (const parameter of given) {
    const [, key = "", value = parameter] = /^([\w-]+)=(.*)$/.exec(parameter) ?? [];
    if (/^encoding$/i.test(key) || (key === "" && /^(base64|b|quoted-printable|[78]bit)$/i.test(value))) encoding = value;
    else if (/^charset$/i.test(key)) charset = value;
    else if (key === "" || /^type$/i.test(key)) types.push(...value.replaceAll('"', "").split(","));
    else parameters.push(parameter);
  }
  return { name, types, parameters, encoding, charset };
}

/** Converts vCalendar 1.0, whose lists are separated by semicolons, to its successor's syntax. */
export function modernised(text: string, notes: Notes): string {
  return contentLinesOf(text, notes)
    .map((line) => {
      if (typeof line === "string") return line;
      const { name, types, parameters, encoding, value } = line;
      const head = [name, ...(types.length === 0 ? [] : [`TYPE=${types.join(",")}`]), ...parameters];
      const isList = /^(exdate|rdate|categories|resources)$/i.test(name);
      const text = (isList ? value.replaceAll(";", ",") : value).replaceAll("\n", "\\n");
      return `${[...head, ...(encoding === undefined ? [] : [`ENCODING=${encoding}`])].join(";")}:${text}`;
    })
    .join("\n");
}
