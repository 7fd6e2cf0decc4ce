/** Contacts (RFC 6350, and vCard 2.1 and 3.0) as records. */
import type { Notes } from "../exchange.ts";
import type { Entries, Value } from "../records/values.ts";
import { withoutTrailing } from "../trailing.ts";
import {
  type Component,
  type Dropped,
  dropParameters,
  filled,
  oneOrAllOf,
  type Property,
  propertyOf,
  restOf,
  textOf,
  valuesOf,
} from "./jcal.ts";

/**
 * vCard 2.1, and vCalendar 1.0, as their next versions would have them: types stand there without a name (`TEL;HOME;VOICE`), and letters beyond ASCII as quoted-printable.
 */
export function modernised(text: string): string {
  const lines = text.split(/\r\n?|\n/);
  const done: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const head = /^(?:[^":]|"[^"]*")*/.exec(line)?.[0] ?? "";
    if (/^[ \t]/.test(line) || !line.startsWith(":", head.length)) {
      done.push(line);
      continue;
    }
    const { named, encoding, charset } = parametersOf(head);
    // The library takes the escape off in values of several parts only.
    const value = structured.test(head) ? line.slice(head.length + 1) : line.slice(head.length + 1).replace(/\\[\\;]/g, unescaped);
    if (!/^quoted-printable$/i.test(encoding ?? "")) {
      done.push(`${named}${encoding === undefined || /^[78]bit$/i.test(encoding) ? "" : `;ENCODING=${encoding}`}:${value}`);
      continue;
    }
    const parts = [value];
    while (parts.at(-1)?.endsWith("=") === true && at + 1 < lines.length) parts.push(lines[++at] ?? "");
    const bytes = parts.map((part) => part.replace(/=$/, "")).join("");
    done.push(`${named}:${decodedQuoted(bytes, charset)}`);
  }
  return done.join("\n");
}

const structured = /^(?:[\w-]+\.)?(?:N|ADR|ORG|GENDER|CLIENTPIDMAP)(?:;|$)/i;
const unescaped = (sign: string): string => (sign === "\\;" ? ";" : sign);

/** The name of a line with its parameters, but for how its value is encoded. */
function parametersOf(head: string) {
  const [name = "", ...parameters] = head.match(/(?:[^";]|"[^"]*")+/g) ?? [];
  const types: string[] = [];
  const others: string[] = [];
  let encoding: string | undefined;
  let charset: string | undefined;
  for (const parameter of parameters) {
    const [, key = "", value = parameter] = /^([\w-]+)=(.*)$/.exec(parameter) ?? [];
    if (/^encoding$/i.test(key) || (key === "" && /^(base64|b|quoted-printable|[78]bit)$/i.test(value))) encoding = value;
    else if (/^charset$/i.test(key)) charset = value;
    else if (key === "" || /^type$/i.test(key)) types.push(value.replaceAll('"', ""));
    else others.push(parameter);
  }
  return { named: [name, ...(types.length === 0 ? [] : [`TYPE=${types.join(",")}`]), ...others].join(";"), encoding, charset };
}

function decodedQuoted(text: string, charset = "utf-8"): string {
  const bytes = Buffer.from(
    text.replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  );
  try {
    return new TextDecoder(charset).decode(bytes).replace(/\r?\n/g, "\\n");
  } catch {
    return bytes.toString("utf8").replace(/\r?\n/g, "\\n");
  }
}

/** Pictures and sounds, in the file itself. */
const media = ["photo", "logo", "sound", "key"];
const known = new Set("version fn n nickname org title email tel adr bday url note categories uid".split(" "));
const kept = new Set(["type", "value", "encoding", "group", "charset", "x-ablabel"]);
const withTypes = new Set(["email", "tel", "adr", "url"]);

/**
 * Apple's programs write what a value is called as a property of its own, which its group ties to it: `item1.TEL:1` and
 * `item1.X-ABLabel:Cabin`, or `_$!<Home>!$_` for one of their usual names. Here it is a parameter of the value.
 */
function labelled([name, properties, components]: Component): Component {
  const groupOf = ([, { group }]: Property): string => (typeof group === "string" ? group.toLowerCase() : "");
  const labels = new Map(properties.filter(([each]) => each === "x-ablabel").map((each) => [groupOf(each), String(each[3])]));
  const used = new Set<string>();
  const tied = properties.map((property): Property => {
    const label = withTypes.has(property[0]) ? labels.get(groupOf(property)) : undefined;
    if (label === undefined) return property;
    used.add(groupOf(property));
    const [each, parameters, type, ...values] = property;
    return [each, { ...parameters, "x-ablabel": label.replace(/^_\$!<(.*)>!\$_$/, "$1") }, type, ...values];
  });
  return [name, tied.filter((property) => property[0] !== "x-ablabel" || !used.has(groupOf(property))), components];
}

export function contactOf(card: Component, holdsMedia: boolean, notes: Notes, dropped: Dropped): Entries {
  const component = labelled(card);
  const one = (name: string): Value => oneOrAllOf(component, name);
  const name = propertyOf(component, "n")?.[3];
  const part = (index: number): Value => (Array.isArray(name) ? textOf(name[index]) : "") || null;
  const full = one("fn") ?? (Array.isArray(name) ? [name[1], name[0]].map(textOf).filter(Boolean).join(" ") : null);
  dropParameters(component, kept, dropped);
  if (!holdsMedia && media.some((each) => propertyOf(component, each) !== undefined))
    notes.set("IMAGES_REMOVED", "Photos and other media of contacts were left out.");
  return filled([
    ["name", full],
    ["givenName", part(1)],
    ["familyName", part(0)],
    ["additionalNames", part(2)],
    ["namePrefix", part(3)],
    ["nameSuffix", part(4)],
    ["nickname", one("nickname")],
    [
      "organization",
      valuesOf(component, "org")
        .map((each) => withoutTrailing(String(each), ";"))
        .join("; ") || null,
    ],
    ["title", one("title")],
    ...typed(component, "email", "email", String),
    ...typed(component, "tel", "phone", (each) => String(each).replace(/^tel:/, "")),
    ...typed(component, "adr", "address", (each) => addressOf(String(each), notes)),
    ["birthday", one("bday")],
    ...typed(component, "url", "url", String),
    ["note", one("note")],
    ["categories", valuesOf(component, "categories")],
    ["uid", one("uid")],
    ...restOf(component, holdsMedia ? known : new Set([...known, ...media])),
  ]);
}

/** Values, and beside them what they are for, where that is told of any. */
function typed(component: Component, property: string, name: string, textOfValue: (value: Value) => string): (readonly [string, Value])[] {
  const values = valuesOf(component, property).map(textOfValue);
  const types = component[1].filter(([each]) => each === property).map(typesOf);
  return [[name, values], ...(types.some((type) => type !== "") ? [[`${name}Types`, types] as const] : [])];
}

function typesOf([, parameters]: Property): string {
  const { type, "x-ablabel": label } = parameters;
  const types = (Array.isArray(type) ? type : [type]).flatMap((each) => (typeof each === "string" ? each.toLowerCase().split(",") : []));
  return [...types, ...(typeof label === "string" ? [label] : [])].join(", ");
}

function addressOf(address: string, notes: Notes): string {
  const parts = address
    .split(";")
    .map((part) => part.trim())
    .filter((part) => part !== "");
  if (parts.length > 1) notes.set("STRUCTURE_FLATTENED", "The parts of addresses were joined by commas.");
  return parts.join(", ");
}
