/** Tables of dBase III to V and FoxPro. @see https://www.clicketyclick.dk/databases/xbase/format/ and Visual FoxPro, Table File Structure */
import { isUtf8 } from "node:buffer";
import { codePageDecoder, codePageOf, guessCodePage } from "../dbase-code-pages.ts";
import { type Notes, noteAlso, noteOnce } from "../exchange.ts";
import { inexpressible, invalid, tooComplex } from "../failure.ts";
import { type Cell, columnNamesOf, maxCells, type Table } from "./tables.ts";
import { firstOf, numberOf, Stamp } from "./values.ts";

type Field = {
  readonly name: string;
  readonly type: string;
  readonly at: number;
  readonly width: number;
  /** Bits of the row's flags in FoxPro: the value is null, or shorter than its place and ends with its length. */
  readonly nullBit: number;
  readonly shortBit: number;
};
/** Of a value's bytes, one in each character. Undefined: it cannot be read. */
type Read = (text: string) => Cell | undefined;

const headBytes = 32;
const [deletedMark, fieldsEnd, fileEnd] = [0x2a, 0x0d, 0x1a];

export function parseDbase(bytes: Buffer, notes: Notes): Table {
  if (bytes.length < headBytes) throw notTable();
  const isFox = (bytes[0] ?? 0) >= 0x30 && (bytes[0] ?? 0) <= 0x32;
  const all = fieldsOf(bytes, isFox);
  const fields = all.filter(({ type }) => type !== "0");
  if (fields.length === 0) throw notTable();
  const records = recordsIn(bytes, fields.length, notes);
  const decode = decoderOf(bytes, fields, records, notes);
  const readers = fields.map((field) => readerOf(field, isFox, decode));
  const flags = all.find(({ type }) => type === "0");
  const names = columnNamesOf(
    fields.map(({ name }) => decode(name)),
    fields.length,
    notes,
  );
  const [unread, memos]: [string[], Set<string>] = [[], new Set()];
  const rows = records.map((record, row) => {
    const has = (bit: number): boolean =>
      flags !== undefined && bit >= 0 && ((record.charCodeAt(flags.at + (bit >> 3)) >> (bit & 7)) & 1) === 1;
    return fields.map(({ at, width, nullBit, shortBit }, place) => {
      if (has(nullBit)) return null;
      const end = at + (has(shortBit) ? Math.min(record.charCodeAt(at + width - 1), width) : width);
      const [read, text] = [readers[place], record.slice(at, end)];
      if (read === undefined) {
        if (isMemo(text)) memos.add(names[place] ?? "");
        return null;
      }
      const value = read(text);
      if (value === undefined) unread.push(`${names[place]} in row ${row + 1}`);
      return value ?? null;
    });
  });
  if (unread.length > 0)
    noteAlso(
      notes,
      "INPUT_DAMAGED",
      `Values that the table does not state, such as asterisks for a number too wide, became empty: ${firstOf(unread)}.`,
    );
  if (memos.size > 0) noteOnce(notes, "TEXT_LEFT_OUT", `Memos are stored in another file and were left out: ${firstOf([...memos])}.`);
  return { columns: names, rows };
}

const notTable = () => invalid("The file is damaged or is not a dBase table.");

function fieldsOf(bytes: Buffer, isFox: boolean): readonly Field[] {
  const [end, size] = [bytes.readUInt16LE(8), bytes.readUInt16LE(10)];
  // Fields of dBase 7 are described in 48 bytes, after a longer header; those of dBase II in 16.
  if (bytes[0] === 2 || (((bytes[0] ?? 0) & 7) === 4 && end % 32 > 2)) throw inexpressible("Tables of dBase II and 7 cannot be read.");
  const described: Buffer[] = [];
  for (let at = headBytes; at + 32 <= Math.min(end, bytes.length) && bytes[at] !== fieldsEnd; at += 32)
    described.push(bytes.subarray(at, at + 32));
  const typeOf = (field: Buffer) => field.toString("latin1", 11, 12).toUpperCase();
  const narrow = described.map((field) => field[16] ?? 0);
  // Clipper and FoxPro store the upper byte of a text's width in the place of the decimals.
  const wide = described.map((field) => (typeOf(field) === "C" ? field.readUInt16LE(16) : (field[16] ?? 0)));
  const sum = (widths: readonly number[]) => widths.reduce((all, width) => all + width, 1);
  const widths = sum(wide) === size ? wide : narrow;
  if (sum(widths) > size) throw notTable();
  let [at, bit] = [1, 0];
  return described.map((field, place) => {
    const [type, width, start] = [typeOf(field), widths[place] ?? 0, at];
    at += width;
    const shortBit = isFox && /[VQ]/.test(type) ? bit++ : -1;
    const nullBit = isFox && ((field[18] ?? 0) & 2) !== 0 ? bit++ : -1;
    return { name: field.toString("latin1", 0, 11).split("\0", 1)[0] ?? "", type, at: start, width, nullBit, shortBit };
  });
}

/** The rows that are not marked as deleted. */
function recordsIn(bytes: Buffer, columns: number, notes: Notes): readonly string[] {
  const [count, start, size] = [bytes.readUInt32LE(4), bytes.readUInt16LE(8), bytes.readUInt16LE(10)];
  const whole = Math.min(count, Math.max(0, Math.floor((bytes.length - start) / size)));
  if (whole * columns > maxCells) throw tooComplex("The table has more cells than a conversion may read.");
  const records: string[] = [];
  let [at, deleted] = [start, 0];
  for (; at < start + whole * size && bytes[at] !== fileEnd; at += size) {
    if (bytes[at] === deletedMark) deleted += 1;
    else records.push(bytes.toString("latin1", at, at + size));
  }
  const found = records.length + deleted;
  if (found < count) noteOnce(notes, "INPUT_DAMAGED", `The table ends after ${found} of ${count} rows.`);
  if (deleted > 0) noteOnce(notes, "ENTRIES_LEFT_OUT", `Rows marked as deleted were left out: ${deleted}.`);
  return records;
}

/** By the code page that the header names, or by the letters. */
function decoderOf(bytes: Buffer, fields: readonly Field[], records: readonly string[], notes: Notes): (text: string) => string {
  const label = codePageOf(bytes[29] ?? 0) ?? detected(fields, records, notes);
  const decode = codePageDecoder(label);
  return (text) => {
    if (!letters.test(text)) return text;
    const decoded = decode(bytesOf(text));
    if (decoded.includes("\ufffd"))
      noteOnce(notes, "CHARACTERS_REPLACED", `Characters that the table's code page ${label} does not have became \ufffd.`);
    return decoded;
  };
}

/** All that are not ASCII. */
const letters = /[\x80-\xff]/;
const bytesOf = (text: string): Buffer => Buffer.from(text, "latin1");

function detected(fields: readonly Field[], records: readonly string[], notes: Notes): string {
  const texts = fields.filter(({ type }) => type === "C" || type === "V");
  const cells = records.flatMap((record) =>
    texts.map(({ at, width }) => record.slice(at, at + width)).filter((text) => letters.test(text)),
  );
  const sample = bytesOf([...fields.map(({ name }) => name), ...cells].join("\n"));
  if (isUtf8(sample)) return "utf-8";
  const guess = guessCodePage(sample);
  noteOnce(notes, "ENCODING_GUESSED", `The text encoding was guessed to be ${guess}.`);
  return guess;
}

/** Undefined for references to a file of memos. */
function readerOf({ type, width }: Field, isFox: boolean, decode: (text: string) => string): Read | undefined {
  if (type === "C") return (text) => decode(text.slice(0, endOf(text))) || null;
  if (type === "V") return decode;
  if (type === "Q") return (text) => Uint8Array.from(bytesOf(text));
  if (type === "N" || type === "F") return numberIn;
  if (type === "L") return truthIn;
  if (type === "D") return dateIn;
  if (type === "I" && width === 4) return (text) => bytesOf(text).readInt32LE();
  if (type === "B" && width === 8 && isFox) return doubleIn;
  if (type === "Y" && width === 8) return (text) => moneyOf(bytesOf(text).readBigInt64LE());
  if ((type === "T" || type === "@") && width === 8) return momentIn;
  if ("MGPWB".includes(type)) return undefined;
  if (!/^[0-9A-Z+@]$/.test(type)) throw notTable();
  throw inexpressible(`The table has a column of type ${type}, which cannot be read.`);
}

/** Where the padding starts. */
function endOf(text: string): number {
  let end = text.length;
  while (end > 0 && (text[end - 1] === " " || text[end - 1] === "\0")) end -= 1;
  return end;
}

const isBlank = (text: string): boolean => /^[ \0]*$/.test(text);

/** Whether the number of a block is stated: in four bytes, or in digits. */
const isMemo = (text: string): boolean => (text.length === 4 ? /[^\0]/ : /[1-9]/).test(text);

function truthIn(text: string): Cell | undefined {
  if (isBlank(text) || text === "?") return null;
  return /^[TtYy]/.test(text) ? true : /^[FfNn]/.test(text) ? false : undefined;
}

function doubleIn(text: string): Cell | undefined {
  const value = bytesOf(text).readDoubleLE();
  return Number.isFinite(value) ? value : undefined;
}

function numberIn(text: string): Cell | undefined {
  const stated = text.slice(0, endOf(text)).trimStart();
  if (isBlank(stated)) return null;
  const [, sign, whole, fraction = "", exponent = ""] = /^([-+]?)(\d{0,255})(?:[.,](\d{0,255}))?([eE][-+]?\d{1,5})?$/.exec(stated) ?? [];
  if (whole === undefined || whole + fraction === "") return undefined;
  const digits = whole.replace(/^0{1,254}(?=\d)/, "") || "0";
  return numberOf(`${sign === "-" ? "-" : ""}${digits}${fraction === "" ? "" : `.${fraction}`}${exponent}`) as Cell;
}

function dateIn(text: string): Cell | undefined {
  if (isBlank(text) || /^0{8}$/.test(text)) return null;
  const day = text.replace(/^(\d{4})(\d\d)(\d\d)$/, "$1-$2-$3");
  const date = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(`${day}T`) ? new Stamp(day, false) : undefined;
}

/** Ten thousandths. */
function moneyOf(value: bigint): Cell {
  const digits = (value < 0n ? -value : value).toString().padStart(5, "0");
  return numberOf(`${value < 0n ? "-" : ""}${digits.slice(0, -4)}.${digits.slice(-4)}`) as Cell;
}

const unixDay = 2_440_588;

/** A Julian day and milliseconds. */
function momentIn(text: string): Cell | undefined {
  if (isBlank(text)) return null;
  const bytes = bytesOf(text);
  const date = new Date((bytes.readUInt32LE() - unixDay) * 86_400_000 + bytes.readUInt32LE(4));
  const moment = Number.isNaN(date.getTime()) ? "" : date.toISOString();
  return /^\d{4}-/.test(moment) ? new Stamp(moment.replace(/\.000Z$|Z$/, ""), false) : undefined;
}
