/** Settings formats: TOML and Java properties. */
import { parseLines, stringify as stringifyProperties } from "dot-properties";
import { parse as parseTomlText, stringify as stringifyToml, TomlDate, TomlError } from "smol-toml";
import { type Notes, noteOnce, type Options } from "../exchange.ts";
import { inexpressible, invalid } from "../failure.ts";
import { noteComment, noteComments } from "./comments.ts";
import { noteRoundedNumbers } from "./rounded-numbers.ts";
import { markedTimeOf, withMarkedTimes } from "./toml-times.ts";
import { type Entries, maxDepth, plainOf, Stamp, settingOf, simplify, tooDeep, type Value, valueFrom, withoutNulls } from "./values.ts";

export function parseToml(text: string, notes: Notes): Value {
  try {
    noteRoundedNumbers(text, notes);
    const value = valueFrom(stamped(parseTomlText(withMarkedTimes(text), { maxDepth, integersAsBigInt: true })));
    noteComments(text, "toml", notes);
    return value;
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    if (/excessively nested/.test(error.message)) throw tooDeep();
    throw invalid(
      `The file is not TOML: ${(error.message.split("\n", 1)[0] ?? "").replace(/^Invalid TOML document: /, "")} (line ${error.line}).`,
    );
  }
}

function stamped(value: unknown): unknown {
  if (typeof value === "string") return markedTimeOf(value) ?? value;
  if (value instanceof TomlDate) return new Stamp(value.toISOString().replace(".000", ""), !value.isLocal());
  if (Array.isArray(value)) return value.map(stamped);
  if (typeof value !== "object" || value === null) return value;
  return new Map(Object.entries(value).map(([name, each]) => [name, stamped(each)]));
}

export function writeToml(value: Value, _options: Options, notes: Notes): string {
  const table = tableOf(value, "TOML");
  const simple = simplify(table, { integers: "int64", infinite: true, instants: 3, localStamps: "toml" }, notes);
  const whole = withoutNulls(simple, notes, () => {
    throw inexpressible("The data has an empty value in a list, which TOML cannot store.");
  });
  // An empty document is valid, but cannot be told from a truncated file.
  return table.size === 0 ? "# empty\n" : stringifyToml(tomlOf(whole));
}

/** The library omits the sign of zero, but writes whatever a date returns. */
const negativeZero = Object.assign(new Date(0), { toISOString: () => "-0.0" });

function tomlOf(value: Value): unknown {
  if (value instanceof Stamp) return new TomlDate(value.text);
  if (Object.is(value, -0)) return negativeZero;
  if (Array.isArray(value)) return value.map(tomlOf);
  if (!(value instanceof Map)) return plainOf(value);
  const object: Record<string, unknown> = Object.create(null);
  for (const [name, each] of value) object[name] = tomlOf(each);
  return object;
}

/** These formats need names, which a top-level list does not have. */
function tableOf(value: Value, label: string): Entries {
  if (value instanceof Map) return value;
  if (Array.isArray(value)) return new Map([["items", value]]);
  throw inexpressible(`The data is a single value, but ${label} stores named values.`);
}

export function parseJavaProperties(text: string, notes: Notes): Value {
  const lines = parseLines(text);
  const given = lines.flatMap((line): (readonly [string, string])[] => (Array.isArray(line) ? [[line[0] ?? "", line[1] ?? ""]] : []));
  const comment = lines.find((line) => typeof line === "string" && line.trim() !== "");
  if (typeof comment === "string") noteComment(comment, notes);
  const value: Entries = new Map(given);
  if (value.size === 0) throw invalid("The file contains no properties.");
  if (given.length > value.size)
    noteOnce(notes, "ENTRIES_LEFT_OUT", "A property occurs more than once; as in Java, the last value was used.");
  return value;
}

/** Nested values get dotted names, list members numbers, as programs that read them expect. */
export function writeJavaProperties(value: Value, _options: Options, notes: Notes): string {
  if (!(value instanceof Map)) throw inexpressible("The data is a list, but properties need names.");
  if (value.size === 0) throw inexpressible("The data has no properties.");
  const flat: Record<string, string> = Object.create(null);
  const put = (wanted: string, text: string): void => {
    let name = wanted;
    for (let count = 2; name in flat; count++) name = `${wanted}_${count}`;
    if (name !== wanted) noteOnce(notes, "NAMES_CHANGED", `Values with the same name were numbered, first “${wanted.slice(0, 60)}”.`);
    flat[name] = text;
  };
  const write = (given: Value, path: string): void => {
    if (given instanceof Map || Array.isArray(given)) {
      const members = [...given.entries()];
      if (members.length === 0)
        noteOnce(notes, "EMPTY_VALUES_DROPPED", `Empty lists and groups were left out, first “${path.slice(0, 60)}”.`);
      if (path !== "") noteOnce(notes, "STRUCTURE_FLATTENED", "Nested values became properties with dotted names.");
      for (const [name, each] of members) write(each, path === "" ? String(name) : `${path}.${name}`);
    } else put(path, settingOf(given, path, notes));
  };
  write(value, "");
  // Everything but ASCII is escaped: older readers expect Latin-1, newer ones UTF-8.
  const text = stringifyProperties(flat, { latin1: true, keySep: "=" });
  return `${text.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)}\n`;
}
