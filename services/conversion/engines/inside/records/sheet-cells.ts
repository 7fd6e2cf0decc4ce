/** Converts a cell of a workbook to a value. */
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

/** The code of the error that a formula's result names: newer workbooks are read with errors as text. Undefined if it names none. */
export function errorOf({ t, v, f }: workbooks.CellObject): number | undefined {
  if (t === "e") return typeof v === "number" && Object.hasOwn(errorNames, v) ? v : 15;
  const found = t === "s" && f !== undefined ? Object.entries(errorNames).find(([, name]) => name === v) : undefined;
  return found && Number(found[0]);
}

const zeros = /^0{2,}(-0+)*$/;
/** The number format with which LibreOffice makes Excel show a boolean. */
const truth = '"TRUE";"TRUE";"FALSE"';

/** Dates in workbooks have no time zone: they are what the calendar and clock show. */
export function cellOf({ t, v, w, f, z }: workbooks.CellObject, is1904: boolean, withoutResult: () => Cell): Cell {
  if (t === "z") return f === undefined ? null : withoutResult();
  if (t === "e") return errorNames[Number(v)] ?? w ?? "#VALUE!";
  if (typeof v === "number" && typeof z === "string" && workbooks.SSF.is_date(z)) return stampOfSerial(v, z, is1904) ?? v;
  // Shown with leading zeros, it is a postal code, part number or id rather than a number.
  if (Number.isInteger(v) && typeof z === "string" && zeros.test(z)) return workbooks.SSF.format(z, v);
  if ((v === 0 || v === 1) && z === truth) return v === 1;
  const written = typeof v === "string" ? writtenDateOf(v) : undefined;
  if (written !== undefined) return stampOfWritten(written);
  return typeof v === "string" || typeof v === "number" || typeof v === "boolean" ? v : null;
}
