/** Numbers, dates and names in the page's language. */
import { languageOfPage, t } from "./language.tsx";

const formats = new Map<string, Intl.NumberFormat>();

function number(value: number, options: Intl.NumberFormatOptions): string {
  const key = JSON.stringify(options);
  const format = formats.get(key) ?? new Intl.NumberFormat(languageOfPage(), options);
  formats.set(key, format);
  return format.format(value);
}

const whole = (value: number): string => number(value, { maximumFractionDigits: 0 });
const one = (value: number): string => number(value, { maximumFractionDigits: 1 });

export function countText(count: number): string {
  return whole(count);
}

export function percentText(fraction: number): string {
  return number(fraction, { style: "percent", maximumFractionDigits: 0 });
}

export function sizeText(bytes: number): string {
  const units = ["kilobyte", "megabyte", "gigabyte"] as const;
  if (bytes < 999.5) return t("size.bytes", { n: whole(bytes) });
  let value = bytes / 1000;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return number(value, { style: "unit", unit: units[unit], unitDisplay: "short", maximumFractionDigits: value >= 100 ? 0 : 1 });
}

export function durationText(ms: number): string {
  // Rounded first, so that 59.97 s become a minute and not 60 s.
  if (Math.round(ms) < 1000) return number(Math.max(1, ms), { style: "unit", unit: "millisecond", maximumFractionDigits: 0 });
  const tenths = Math.round(ms / 100);
  if (tenths < 600) return t("time.s", { n: one(tenths / 10) });
  const seconds = Math.round(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutesText(minutes)} ${t("time.s", { n: whole(seconds % 60) })}`;
  return `${hoursText(Math.floor(minutes / 60))} ${minutesText(minutes % 60)}`;
}

export const hoursText = (hours: number): string => t("time.h", { n: whole(hours) });
const minutesText = (minutes: number): string => t("time.min", { n: whole(minutes) });

/** Remaining time, rounded to what an estimate can promise. */
export const leftText = (ms: number): string => t("time.left", { time: roughly(ms) });

/** The same without "left". */
export const aboutText = (ms: number): string => t("time.about", { time: roughly(ms) });

function roughly(ms: number): string {
  const seconds = Math.max(1, Math.ceil(ms / 1000));
  if (seconds > 55) return minutesText(Math.ceil(seconds / 60));
  return t("time.s", { n: whole(seconds < 10 ? seconds : Math.ceil(seconds / 5) * 5) });
}

const steps = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;

/** For example "3 hours ago" or "in 2 days". */
export function agoText(instant: string, nowMs = Date.now()): string {
  const ms = new Date(instant).getTime() - nowMs;
  const relative = new Intl.RelativeTimeFormat(languageOfPage(), { numeric: "auto" });
  for (const [unit, size] of steps) if (Math.abs(ms) >= size) return relative.format(Math.round(ms / size), unit);
  return t(ms > 0 ? "time.soon" : "time.now");
}

/** How long something is kept, for example "for 24 hours". */
export function untilText(instant: string, nowMs = Date.now()): string {
  const minutes = Math.max(1, Math.round((new Date(instant).getTime() - nowMs) / 60_000));
  if (minutes < 60) return t("time.forMinutes", { n: minutes });
  const hours = Math.round(minutes / 60);
  return hours < 72 ? t("time.forHours", { n: hours }) : t("time.forDays", { n: Math.round(hours / 24) });
}

export const dateText = (instant: string): string => dated(instant, { dateStyle: "medium" });
export const instantText = (instant: string): string => dated(instant, { dateStyle: "medium", timeStyle: "short" });

/** Tomorrow's date in the reader's time zone, for a date field. */
export function tomorrowText(now = new Date()): string {
  const day = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1);
  const padded = (value: number): string => String(value).padStart(2, "0");
  return `${day.getFullYear()}-${padded(day.getMonth() + 1)}-${padded(day.getDate())}`;
}

function dated(instant: string, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat(placeOf(languageOfPage()), options).format(new Date(instant));
}

/** Uses the region of the browser's locale if it matches the page's language: en-GB writes the day first. */
function placeOf(language: string): string {
  return navigator.languages.find((each) => each.split("-")[0] === language) ?? language;
}

/** The name with another extension, as in the download. */
export function renamed(name: string, extension: string): string {
  const stem = name.replace(/\.[^.]{1,16}$/, "");
  return `${stem === "" ? "result" : stem}.${extension}`;
}

/** Splits a name so that its end stays visible when its middle is cut. */
export function splitName(name: string): readonly [head: string, tail: string] {
  const characters = [...name];
  if (characters.length <= 24) return [name, ""];
  return [characters.slice(0, -12).join(""), characters.slice(-12).join("")];
}
