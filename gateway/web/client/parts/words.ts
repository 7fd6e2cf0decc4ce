/** Figures and names as people read them. */

const one = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

export function sizeText(bytes: number): string {
  const units = ["B", "kB", "MB", "GB"] as const;
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${(unit === 0 || value >= 100 ? whole : one).format(value)} ${units[unit]}`;
}

export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.max(1, Math.round(ms))} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${one.format(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.round(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Time left, no more exact than it can be known. */
export function leftText(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds <= 1) return "about a second left";
  if (seconds < 60) return `about ${seconds < 10 ? seconds : Math.ceil(seconds / 5) * 5} s left`;
  return `about ${Math.ceil(seconds / 60)} min left`;
}

export function ordinal(n: number): string {
  const rule = new Intl.PluralRules("en", { type: "ordinal" }).select(n);
  const endings: Readonly<Record<string, string>> = { one: "st", two: "nd", few: "rd" };
  return `${n}${endings[rule] ?? "th"}`;
}

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const steps = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;

/** For example "3 hours ago" or "in 2 days". */
export function agoText(instant: string, nowMs = Date.now()): string {
  const ms = new Date(instant).getTime() - nowMs;
  for (const [unit, size] of steps) if (Math.abs(ms) >= size) return relative.format(Math.round(ms / size), unit);
  return ms > 0 ? "in less than a minute" : "just now";
}

/** How long something is kept, for example "for 24 hours". */
export function untilText(instant: string, nowMs = Date.now()): string {
  const minutes = Math.max(1, Math.round((new Date(instant).getTime() - nowMs) / 60_000));
  if (minutes < 60) return `for ${plural(minutes, "minute")}`;
  const hours = Math.round(minutes / 60);
  return hours < 72 ? `for ${plural(hours, "hour")}` : `for ${plural(Math.round(hours / 24), "day")}`;
}

const dates = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const instants = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

export const dateText = (instant: string): string => dates.format(new Date(instant));
export const instantText = (instant: string): string => instants.format(new Date(instant));

/** The name with another extension, as the download has it. */
export function renamed(name: string, extension: string): string {
  const stem = name.replace(/\.[^.]{1,16}$/, "");
  return `${stem === "" ? "result" : stem}.${extension}`;
}

/** Splits a name so that its end stays visible when the middle has to go. */
export function splitName(name: string): readonly [head: string, tail: string] {
  const characters = [...name];
  if (characters.length <= 24) return [name, ""];
  return [characters.slice(0, -12).join(""), characters.slice(-12).join("")];
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${whole.format(count)} ${count === 1 ? one : many}`;
}
