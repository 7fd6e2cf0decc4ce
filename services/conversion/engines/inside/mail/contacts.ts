/** Converts contacts to records. */
import { type Notes, noteAlso } from "../exchange.ts";
import { type Entries, Stamp, type Value } from "../records/values.ts";
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

/** Embedded pictures and sounds. */
const media = ["photo", "logo", "sound", "key"];
const known = new Set("version fn n nickname org title email tel adr bday url note categories uid".split(" "));
const kept = new Set(["type", "value", "encoding", "group", "charset", "x-ablabel", "x-apple-omit-year"]);
/** Their types are fields of their own, and those of media are told by the content. */
const withoutTypes = new Set(["email", "tel", "adr", "url", ...media]);

/**
 * Apple's programs write the label of a value as a separate property with the same group: `item1.TEL:1` and
 * `item1.X-ABLabel:Cabin`, or `_$!<Home>!$_` for one of their standard labels. Here it becomes a parameter of the value.
 */
function labelled([name, properties, components]: Component): Component {
  const groupOf = ([, { group }]: Property): string => (typeof group === "string" ? group.toLowerCase() : "");
  const labels = new Map(properties.filter(([each]) => each === "x-ablabel").map((each) => [groupOf(each), String(each[3])]));
  const used = new Set<string>();
  const tied = properties.map((property): Property => {
    const label = property[0] === "x-ablabel" ? undefined : labels.get(groupOf(property));
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
  const part = (index: number): Value => (Array.isArray(name) ? oneText(name[index], "names", notes) : "") || null;
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
    ["organization", organisationOf(component, notes)],
    ["title", one("title")],
    ...typed(component, "email", "email"),
    ...typed(component, "tel", "phone", ([, , , value]) => textOf(value).replace(/^tel:/, "")),
    ...typed(component, "adr", "address", ([, , , value]) => withoutGaps(value, ", ", "addresses", notes)),
    ["birthday", birthdayOf(component)],
    ...typed(component, "url", "url"),
    ["note", one("note")],
    ["categories", valuesOf(component, "categories")],
    ["uid", one("uid")],
    ...restOf(component, holdsMedia ? known : new Set([...known, ...media])),
    ...otherTypesOf(component),
  ]);
}

/** Apple's programs write a birthday without a year in a placeholder year, which a parameter names. */
function birthdayOf(component: Component): Value {
  const omitted = propertyOf(component, "bday")?.[1]["x-apple-omit-year"];
  const birthday = oneOrAllOf(component, "bday");
  const text = birthday instanceof Stamp ? birthday.text : "";
  return typeof omitted === "string" && text.startsWith(`${omitted}-`) ? `-${text.slice(omitted.length)}` : birthday;
}

/** Types and labels of other properties, such as relations and profiles. */
function otherTypesOf(component: Component): (readonly [string, Value])[] {
  const groups = Map.groupBy(component[1], ([name]) => name);
  return [...groups].flatMap(([name, properties]) => {
    const types = withoutTypes.has(name) ? [] : properties.map(typesOf);
    return types.some((type) => type !== "") ? [[`${name}Types`, types] as const] : [];
  });
}

/** Values, and next to them their types, if any has one. */
function typed(
  component: Component,
  name: string,
  label: string,
  textOfValue = ([, , , value]: Property): string => textOf(value),
): (readonly [string, Value])[] {
  const properties = component[1].filter(([each]) => each === name);
  const types = properties.map(typesOf);
  return [[label, properties.map(textOfValue)], ...(types.some((type) => type !== "") ? [[`${label}Types`, types] as const] : [])];
}

function typesOf([, parameters]: Property): string {
  const { type, "x-ablabel": label } = parameters;
  const types = (Array.isArray(type) ? type : [type]).flatMap((each) => (typeof each === "string" ? each.toLowerCase().split(",") : []));
  return [...types, ...(typeof label === "string" ? [label] : [])].join(", ");
}

function organisationOf([, properties]: Component, notes: Notes): Value {
  const all = properties.filter(([name]) => name === "org").map(([, , , value]) => withoutGaps(value, "; ", "organisations", notes));
  return all.length > 1 ? all : (all[0] ?? null);
}

/** A component of a name, which may have several values. */
function oneText(part: unknown, sort: string, notes: Notes): string {
  if (!Array.isArray(part)) return textOf(part);
  noteAlso(notes, "STRUCTURE_FLATTENED", `The parts of ${sort} were joined.`);
  return part.map(textOf).join("; ");
}

/** The non-empty parts, joined. */
function withoutGaps(value: unknown, joiner: string, sort: string, notes: Notes): string {
  const parts = (Array.isArray(value) ? value.flat() : [value]).map(textOf).filter((part) => part.trim() !== "");
  if (parts.length > 1) noteAlso(notes, "STRUCTURE_FLATTENED", `The parts of ${sort} were joined.`);
  return parts.join(joiner);
}
