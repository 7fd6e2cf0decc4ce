/** Rewrites text tables in any encoding and with any separator for programs that read only one form. */
import { FilemillError } from "#contract/errors.ts";
import type { ByteSource } from "#services/conversion/domain/guards/byte-source.ts";
import type { Answer } from "#services/conversion/domain/questions.ts";
import type { Notes } from "#services/conversion/engines/inside/exchange.ts";
import { Failure } from "#services/conversion/engines/inside/failure.ts";
import { canonicalNumber, type Dialect, dialectOf, type OnRow, rowsOf } from "#services/conversion/engines/inside/records/delimited.ts";
import { decodeText } from "#services/conversion/engines/inside/text-decoding.ts";
import { writeToHost } from "./exchange.ts";
import { contentOf } from "./remote-file.ts";

type More = Readonly<Record<string, unknown>>;

/** UTF-8, commas, and rows of equal width. All text is quoted; only numbers that no reader changes are not. */
export async function writePlainTable(file: ByteSource, more: More): Promise<Answer<"plainTable">> {
  const notes: Notes = new Map();
  try {
    const text = decodeText(await contentOf(file), String(more.encoding ?? "auto"), notes);
    const dialect = dialectOf(text, String(more.format), String(more.delimiter ?? "auto"));
    let [misplacedAt, blankAt]: (number | undefined)[] = [];
    const { numeric, ...size } = sizeOf(
      dialect,
      (row) => {
        misplacedAt ??= row;
      },
      (row) => {
        blankAt = row;
      },
    );
    if (size.rows === 0) throw new FilemillError("INVALID_INPUT", "The table is empty.");
    writeRows(dialect, numeric);
    return { ...size, misplacedAt, blankAt, separator: dialect.guessed, encoding: notes.get("ENCODING_GUESSED") };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new FilemillError(error.code === "INPUT_TOO_COMPLEX" ? error.code : "INVALID_INPUT", error.message);
  }
}

/** This many digits survive in every program. */
const safeDigits = 15;

function isSafeNumber(cell: string): boolean {
  // The first character is enough to recognise most texts.
  if (cell.charCodeAt(0) > 0x39 || cell.length > safeDigits + 2 || !canonicalNumber.test(cell)) return false;
  return cell.length <= safeDigits || cell.replace(/\D/g, "").replace(/^0+/, "").length <= safeDigits;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const control = /[\0-\x08\x0b-\x1f\ufffe\uffff]/;

/** `numeric` lists the columns that contain only numbers, apart from their name. */
function sizeOf(dialect: Dialect, onMisplaced: OnRow, onBlank: OnRow) {
  const numeric: boolean[] = [];
  let [rows, longestCell, hasBlanks, hasControls] = [0, 0, false, false];
  for (const row of rowsOf(dialect, onMisplaced, onBlank)) {
    for (const [place, cell] of row.entries()) {
      longestCell = Math.max(longestCell, cell.length);
      hasControls ||= control.test(cell);
      hasBlanks ||= /^\s|\s\s|[\r\n\t]|\s$/.test(cell);
      const isNumber = cell === "" || isSafeNumber(cell);
      numeric[place] = rows === 0 ? true : numeric[place] !== false && isNumber;
    }
    rows += 1;
  }
  return { rows, columns: numeric.length, longestCell, hasBlanks, hasControls, numeric: Array.from(numeric, (is) => is !== false) };
}

const pieceChars = 200_000;

function writeRows(dialect: Dialect, numeric: readonly boolean[]): void {
  let waiting = "";
  for (const row of rowsOf(dialect)) {
    const cells = numeric.map((isNumeric, place) => writtenCell(row[place] ?? "", isNumeric));
    // A row with one empty cell would be a blank line.
    waiting += `${cells.join(",") || '""'}\n`;
    if (waiting.length < pieceChars) continue;
    writeToHost(Buffer.from(waiting));
    waiting = "";
  }
  writeToHost(Buffer.from(waiting));
}

function writtenCell(cell: string, isNumeric: boolean): string {
  return cell === "" || (isNumeric && isSafeNumber(cell)) ? cell : `"${cell.replaceAll('"', '""')}"`;
}
