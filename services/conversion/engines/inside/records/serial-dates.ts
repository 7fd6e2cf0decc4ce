/** Dates and times in workbooks, which are day numbers with a format. @see ECMA-376 part 1, 18.17.4 */
import { withoutZeros } from "../trailing.ts";
import { Stamp } from "./values.ts";

const dayMs = 86_400_000;

/** What a number format shows. Whether an m is a month or minutes depends on its neighbours. */
export function shownBy(format: string): { readonly date: boolean; readonly time: boolean; readonly elapsed: boolean } {
  const { letters, elapsed } = lettersOf(format);
  const isMinutes = (place: number): boolean => letters[place - 1] === "h" || letters[place + 1] === "s";
  return {
    date: letters.some((letter, place) => letter === "y" || letter === "d" || (letter === "m" && !isMinutes(place))),
    time: letters.some((letter) => letter === "h" || letter === "s"),
    elapsed,
  };
}

/** The format letters of the first section, each run once; quoted and escaped text is literal. */
function lettersOf(format: string): { readonly letters: readonly string[]; readonly elapsed: boolean } {
  const letters: string[] = [];
  let elapsed = false;
  for (let at = 0; at < format.length && format[at] !== ";"; at += 1) {
    const sign = format.charAt(at).toLowerCase();
    const isHalfOfDay = sign === "m" && "ap".includes(format.charAt(at - 1).toLowerCase() || "-");
    if (isHalfOfDay) continue;
    if (sign === "\\" || sign === "_" || sign === "*") at += 1;
    else if (sign === '"' || sign === "[") {
      const end = format.indexOf(sign === "[" ? "]" : '"', at + 1);
      if (end < 0) break;
      // Other brackets contain colours, conditions and locales.
      if (sign === "[") elapsed ||= /^(h+|m+|s+)$/i.test(format.slice(at + 1, end));
      at = end;
    } else if ("ymdhs".includes(sign) && (letters.at(-1) !== sign || format.charAt(at - 1).toLowerCase() !== sign)) letters.push(sign);
  }
  return { letters, elapsed };
}

/**
 * Converts a cell's number to ISO 8601: a date, a date-time, a time of day,
 * or a duration. Undefined for a number whose format shows none of these.
 */
export function stampOfSerial(serial: number, format: string, is1904: boolean): Stamp | undefined {
  const shown = shownBy(format);
  const ms = Math.round(serial * dayMs);
  if (!Number.isSafeInteger(ms) || !(shown.date || shown.time || shown.elapsed)) return undefined;
  if (shown.elapsed || (!shown.date && serial < 0)) return new Stamp(durationOf(ms), false);
  // A date-time keeps its date even if only the time is shown.
  if (!shown.date && ms < dayMs) return new Stamp(clockOf(ms), false);
  // Day 60 of the 1900 system is a nonexistent 29 February: days before it count
  // from one day later. Only offices without that day write negative numbers.
  const epoch = is1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, serial >= 0 && serial < 60 ? 31 : 30);
  const date = new Date(epoch + ms);
  if (Number.isNaN(date.getTime())) return undefined;
  const text = date.toISOString().replace(/\.000Z$|Z$/, "");
  return new Stamp(text.replace(/T00:00:00$/, ""), false);
}

export function clockOf(ms: number): string {
  return new Date(ms)
    .toISOString()
    .slice(11)
    .replace(/\.000Z$|Z$/, "");
}

function durationOf(ms: number, fraction = ""): string {
  const whole = Math.abs(ms);
  const seconds = `${(whole % 60_000) / 1000}${fraction}`;
  const parts = [
    [Math.floor(whole / 3_600_000), "H"],
    [Math.floor(whole / 60_000) % 60, "M"],
    [seconds === "0" ? 0 : seconds, "S"],
  ] as const;
  const text = parts.map(([count, unit]) => (count === 0 ? "" : `${count}${unit}`)).join("");
  return `${ms < 0 ? "-" : ""}PT${text === "" ? "0S" : text}`;
}

const writtenMoment = /^(-?\d{4,}-\d\d-\d\d)(?:T(\d\d:\d\d:\d\d)(\.\d+)?(Z|[-+]\d\d:\d\d)?)?$/;
const writtenDuration = /^(-?)P(?:(\d{1,9})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})(\.\d+)?S)?)?$/;

/** A date, date-time or duration that a workbook stores as ISO 8601, in the same form as one from a number. */
export function stampOfWritten(text: string): Stamp {
  const [, day, clock, fraction, zone = ""] = writtenMoment.exec(text) ?? [];
  if (day !== undefined) {
    const time = `T${clock ?? "00:00:00"}${fractionOf(fraction)}${zone}`;
    return new Stamp(time === "T00:00:00" ? day : `${day}${time}`, zone !== "");
  }
  const [length, minus, days, hours, minutes, seconds, rest] = writtenDuration.exec(text) ?? [];
  if (length === undefined) return new Stamp(text, false);
  const whole = ((Number(days ?? 0) * 24 + Number(hours ?? 0)) * 60 + Number(minutes ?? 0)) * 60 + Number(seconds ?? 0);
  const part = fractionOf(rest);
  if (minus === "" && whole < 86_400) return new Stamp(clockOf(whole * 1000) + part, false);
  return new Stamp(`${minus}${durationOf(whole * 1000, part)}`, false);
}

/** At least milliseconds, if there is a fraction. */
function fractionOf(digits = ""): string {
  const kept = withoutZeros(digits.slice(1));
  return kept === "" ? "" : `.${kept.padEnd(3, "0")}`;
}

/** The number and format of a date or date-time; undefined if a workbook cannot store it as one. */
export function serialOf({ text, isInstant }: Stamp): { readonly serial: number; readonly format: string } | undefined {
  const found = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d:\d\d)(\.\d{1,3})?)?(Z)?$/.exec(text);
  if (found === null || text < "1900-03-01") return undefined;
  const [, , clock, fraction, zone] = found;
  if (isInstant !== (zone !== undefined)) return undefined;
  const ms = Date.parse(zone === undefined && clock !== undefined ? `${text}Z` : text);
  // Text that names no day of the calendar, such as 30 February, must not become the next day that there is.
  if (Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== text.slice(0, 10)) return undefined;
  const format = clock === undefined ? "yyyy\\-mm\\-dd" : `yyyy\\-mm\\-dd\\ hh:mm:ss${fraction === undefined ? "" : ".000"}`;
  return { serial: (ms - Date.UTC(1899, 11, 30)) / dayMs, format };
}
