/** What a cell of a workbook holds, as a value. */
import * as workbooks from "@e965/xlsx";
import { stampOfSerial, stampOfWritten } from "./serial-dates.ts";
import type { Cell } from "./tables.ts";
import { writtenDateOf } from "./whole-texts.ts";

/** @see [MS-XLS] 2.5.10 */
const errorNames: Readonly<Record<number, string>> = {
  0: "#NULL!",
  7: "#DIV/0!",
  15: "#VALUE!",
  23: "#REF!",
  29: "#NAME?",
  36: "#NUM!",
  42: "#N/A",
  43: "#GETTING_DATA",
};

const zeros = /^0{2,}(-0+)*$/;
/** How LibreOffice has Excel show the truth value that a number is. */
const truth = '"TRUE";"TRUE";"FALSE"';

/** Dates of workbooks have no place in the world: they are what the calendar and clock show. */
export function cellOf({ t, v, w, f, z }: workbooks.CellObject, is1904: boolean, withoutResult: () => Cell): Cell {
  if (t === "z") return f === undefined ? null : withoutResult();
  if (t === "e") return errorNames[Number(v)] ?? w ?? "#VALUE!";
  if (typeof v === "number" && typeof z === "string" && workbooks.SSF.is_date(z)) return stampOfSerial(v, z, is1904) ?? v;
  // Shown with zeros before it, it is the code of a place, a part or a person, and no number.
  if (Number.isInteger(v) && typeof z === "string" && zeros.test(z)) return workbooks.SSF.format(z, v);
  if ((v === 0 || v === 1) && z === truth) return v === 1;
  const written = typeof v === "string" ? writtenDateOf(v) : undefined;
  if (written !== undefined) return stampOfWritten(written);
  return typeof v === "string" || typeof v === "number" || typeof v === "boolean" ? v : null;
}
