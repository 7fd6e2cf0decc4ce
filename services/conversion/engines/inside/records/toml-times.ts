/** TOML times with more decimal places than the milliseconds that its library reads. @see https://toml.io/en/v1.0.0#offset-date-time */
import { invalid } from "../failure.ts";
import { endOfText } from "./comments.ts";
import { Stamp } from "./values.ts";

const mark = "\ue000time:";
const time = /(?:\d{4}-\d\d-\d\d[Tt ])?\d\d:\d\d:\d\d\.\d{4,30}(?:[Zz]|[-+]\d\d:\d\d)?/y;

const doubtful = /\d{4}-(?:02-(?:29|3[01])|(?:0[469]|11)-31)(?!\d)/y;

/** Turns such times into marked strings, except within strings and comments. The library turns 30 February into 2 March. */
export function withMarkedTimes(text: string): string {
  if (!/:\d\d\.\d{4}|-(?:02-(?:29|3)|\d\d-31)/.test(text)) return text;
  const parts: string[] = [];
  let copied = 0;
  for (let at = 0; at < text.length; at += 1) {
    const end = afterText(text, at);
    if (end !== undefined) {
      at = end - 1;
      continue;
    }
    time.lastIndex = at;
    doubtful.lastIndex = at;
    const isDigit = /\d/.test(text.charAt(at));
    const [day] = (isDigit ? doubtful.exec(text) : null) ?? [];
    if (day !== undefined && !new Date(day).toISOString().startsWith(day)) throw invalid(`The file is not TOML: there is no day ${day}.`);
    const [found] = (isDigit ? time.exec(text) : null) ?? [];
    if (found === undefined) continue;
    parts.push(text.slice(copied, at), `"${mark}${found}"`);
    copied = at + found.length;
    at = copied - 1;
  }
  return parts.join("") + text.slice(copied);
}

/** The place after the string or comment that starts here; undefined if none does. */
function afterText(text: string, at: number): number | undefined {
  const sign = text.charAt(at);
  if (sign === "#") return endOfText(text, "\n", at, false);
  if (sign !== '"' && sign !== "'") return undefined;
  const fence = text.startsWith(sign.repeat(3), at) ? sign.repeat(3) : sign;
  return endOfText(text, fence, at + fence.length, sign === '"');
}

/** The time in a marked string; undefined for any other. */
export function markedTimeOf(text: string): Stamp | undefined {
  if (!text.startsWith(mark)) return undefined;
  const found = text.slice(mark.length).toUpperCase().replace(" ", "T");
  return new Stamp(found, /(?:Z|[-+]\d\d:\d\d)$/.test(found) && found.includes("T"));
}
