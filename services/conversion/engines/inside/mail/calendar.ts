/** Converts calendar entries (RFC 5545) to records. */
import type { Notes } from "../exchange.ts";
import { type Entries, firstOf, type Value } from "../records/values.ts";
import { type Component, type Dropped, dropParameters, filled, oneOrAllOf, propertyOf, restOf, unguarded, valuesOf } from "./jcal.ts";

const entryNames: Readonly<Record<string, string>> = { vevent: "event", vtodo: "task", vjournal: "note", vfreebusy: "busy" };

export function eventsOf(roots: readonly Component[], notes: Notes, dropped: Dropped): readonly Entries[] {
  const others = new Set<string>();
  const components = roots.flatMap((root) => {
    if (root[0] !== "vcalendar") return [root];
    for (const [name] of restOf(root, ofCalendar)) dropped.add(name.toUpperCase());
    return root[2];
  });
  const events = components.flatMap((component) => {
    const sort = entryNames[component[0]];
    if (sort !== undefined) return [eventOf(sort, component, dropped)];
    if (component[0] !== "vtimezone") others.add(component[0].toUpperCase());
    return [];
  });
  if (others.size > 0) notes.set("ENTRIES_LEFT_OUT", `Entries of these kinds were left out: ${firstOf([...others])}.`);
  return events;
}

/** Properties of the calendar itself. */
const ofCalendar = new Set(["version", "prodid", "calscale"]);

const known = new Set(
  (
    "summary dtstart dtend due duration location description organizer attendee status rrule exdate rdate recurrence-id categories url " +
    "uid dtstamp"
  ).split(" "),
);
const kept = new Set(["tzid", "value", "type", "encoding"]);

function eventOf(sort: string, component: Component, dropped: Dropped): Entries {
  const one = (name: string): Value => oneOrAllOf(component, name);
  dropParameters(component, kept, dropped);
  return filled([
    ["type", sort],
    ["summary", one("summary")],
    ["start", one("dtstart")],
    ["end", one("dtend") ?? one("due")],
    ["duration", one("duration")],
    ["timezone", zoneOf(component, "dtstart", dropped)],
    ...otherZonesOf(component, dropped),
    ["location", one("location")],
    ["description", one("description")],
    ["organizer", addressOf(one("organizer"))],
    ["attendees", valuesOf(component, "attendee").map(addressOf)],
    ["status", one("status")],
    ["recurrence", one("rrule")],
    ["exceptDates", valuesOf(component, "exdate")],
    ["extraDates", valuesOf(component, "rdate")],
    ["recurrenceId", one("recurrence-id")],
    ["alarms", alarmsOf(component, dropped)],
    ["categories", valuesOf(component, "categories")],
    ["url", one("url")],
    ["uid", one("uid")],
    ["stamp", one("dtstamp")],
    ...restOf(component, known),
  ]);
}

/** The name of a time zone; rules that a file defines itself do not become records. */
function zoneOf(component: Component, name: string, dropped: Dropped): string | null {
  const named = propertyOf(component, name)?.[1]["tzid"];
  if (typeof named !== "string") return null;
  const zone = unguarded(named);
  if (!isWellKnown(zone)) dropped.add(`the rules of the time zone ${zone.slice(0, 40)}`);
  return zone;
}

function isWellKnown(zone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

/** Dates given in another time zone than the start. */
function otherZonesOf(component: Component, dropped: Dropped): (readonly [string, Value])[] {
  const start = zoneOf(component, "dtstart", dropped);
  const names = { dtend: "end", due: "end", exdate: "exceptDates", rdate: "extraDates", "recurrence-id": "recurrenceId" } as const;
  return Object.entries(names).flatMap(([name, label]) => {
    const zone = zoneOf(component, name, dropped);
    const zones = new Set(component[1].filter(([each]) => each === name).map(([, { tzid }]) => tzid));
    if (zones.size > 1) dropped.add(`the other time zones of ${name.toUpperCase()}`);
    return zone === null || zone === start ? [] : [[`${label}Timezone`, zone] as const];
  });
}

function alarmsOf([, , components]: Component, dropped: Dropped): Entries[] {
  for (const [name] of components) if (name !== "valarm") dropped.add(name.toUpperCase());
  return components.filter(([name]) => name === "valarm").map((alarm) => alarmOf(alarm, dropped));
}

function alarmOf(alarm: Component, dropped: Dropped): Entries {
  for (const [name] of alarm[2]) dropped.add(name.toUpperCase());
  dropParameters(alarm, kept, dropped);
  return filled(restOf(alarm, new Set()));
}

function addressOf(value: Value): Value {
  return typeof value === "string" ? value.replace(/^mailto:/i, "") : value;
}
