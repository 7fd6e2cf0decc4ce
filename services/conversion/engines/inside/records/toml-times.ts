/** Times of TOML with more places than the milliseconds that its library reads. @see https://toml.io/en/v1.0.0#offset-date-time */
import { Stamp } from "./values.ts";

const mark = "\ue000time:";

/** What may hold the look of a time and is none, and times. */
const tokens = /"""|'''|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*|(?:\d{4}-\d\d-\d\d[Tt ])?\d\d:\d\d:\d\d\.\d{4,30}(?:[Zz]|[-+]\d\d:\d\d)?/g;

/** The text with such times as marked texts. */
export function withMarkedTimes(text: string): string {
  if (!/:\d\d\.\d{4}/.test(text)) return text;
  let within = "";
  return text.replace(tokens, (token) => {
    if (token === '"""' || token === "'''") within = within === "" ? token : within === token ? "" : within;
    return within === "" && /^\d/.test(token) ? `"${mark}${token}"` : token;
  });
}

/** The time of a marked text; undefined for every other. */
export function markedTimeOf(text: string): Stamp | undefined {
  if (!text.startsWith(mark)) return undefined;
  const time = text.slice(mark.length).toUpperCase().replace(" ", "T");
  return new Stamp(time, /(?:Z|[-+]\d\d:\d\d)$/.test(time) && time.includes("T"));
}
