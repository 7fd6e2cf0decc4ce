/** Calendars with dates, rules and texts that programs tend to change. */
import fc from "fast-check";
import { mailEngine } from "#services/conversion/engines/documents/mail.ts";
import type { Difference, Judge } from "./difference.ts";
import { differencesIn, missingIn, recordsIn, textOf, type Wanted } from "./records.ts";
import { isList, isMap, type Said } from "./said.ts";

/** No backslash before n, a comma or a semicolon: the reader treats these as escapes even after another backslash. */
const texts = [
  ...'a|A B|Müller|日本語|👩‍👩‍👧‍👦|שלום|e\u0301|a,b|a;b|a; b|a:b|"a"|a=b|007|1.10|TRUE|NO|2024-01-02|=1+1|<b>&amp;|]]>|_x0041_|\\|a\\b|PT15M'.split(
    "|",
  ),
  "a\nb",
  "a\n\nb",
  "a  b",
  "a\u2028b",
  "x".repeat(300),
  "ü".repeat(80),
];
const text = fc.constantFrom(...texts);
/** The reader also splits at escaped commas, and loses a backslash before one. */
const category = text.filter((each) => !/[\\,]/.test(each));
const zone = fc.constantFrom("", "", "Europe/Berlin", "America/New_York", "Asia/Kathmandu");
const local = ["20240105T100000", "20240331T033000", "19700101T000000", "20241231T235959"];
const days = ["20240105", "20240229", "19000101"];
const moment = fc.oneof(
  fc.tuple(fc.constantFrom(...local), zone).map(([value, where]) => [value, where] as const),
  fc.constantFrom("20240105T090000Z", "20380119T031408Z").map((value) => [value, ""] as const),
  fc.constantFrom(...days).map((value) => [value, ""] as const),
);
const rules = [
  "FREQ=DAILY",
  "FREQ=WEEKLY;UNTIL=20240301T090000Z",
  "FREQ=WEEKLY;INTERVAL=2;COUNT=10;WKST=SU;BYDAY=TU,TH",
  "FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU",
  "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
  "FREQ=YEARLY;BYYEARDAY=1,100,200;BYHOUR=8,9;BYMINUTE=30",
  "FREQ=DAILY;UNTIL=20241231",
  "FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=3",
  "FREQ=YEARLY;BYWEEKNO=20;BYDAY=+1MO",
];
const durations = ["PT15M", "-PT15M", "P1D", "P1DT2H"];

const property = (name: string, values: readonly string[], where = ""): Said => ({
  m: [
    ["name", { t: name }],
    ["zone", { t: where }],
    ["values", values.map((t) => ({ t }))],
  ],
});
const entry = (name: string, properties: readonly Said[], entries: readonly Said[] = []): Said => ({
  m: [
    ["name", { t: name }],
    ["properties", properties],
    ["entries", entries],
  ],
});
const optional = (each: fc.Arbitrary<Said>, maxLength = 1) => fc.array(each, { maxLength });
const said = (name: string, of: fc.Arbitrary<string>) => of.map((value) => property(name, [value]));
const dated = (name: string) => moment.map(([value, where]) => property(name, [value], where));

const alarm = fc
  .tuple(said("TRIGGER", fc.constantFrom(...durations)), optional(said("DESCRIPTION", text)))
  .map(([trigger, more]) => entry("VALARM", [property("ACTION", ["DISPLAY"]), trigger, ...more]));
const properties = fc
  .tuple(
    said("SUMMARY", text).map((each) => [each]),
    dated("DTSTART").map((each) => [each]),
    optional(dated("DTEND")),
    optional(said("LOCATION", text)),
    optional(said("DESCRIPTION", text)),
    optional(said("RRULE", fc.constantFrom(...rules))),
    optional(
      fc
        .tuple(fc.array(fc.constantFrom(...local), { minLength: 1, maxLength: 2 }), zone)
        .map(([all, where]) => property("EXDATE", all, where)),
    ),
    optional(fc.array(category, { minLength: 1, maxLength: 3 }).map((all) => property("CATEGORIES", all))),
    optional(
      fc.constantFrom("GEO:37.386013;-122.082932", "GEO:0.0;0.1", "PRIORITY:1", "SEQUENCE:2147483647", "STATUS:CONFIRMED").map(named),
    ),
    optional(
      fc.constantFrom("COMMENT", "X-FOO", "X-TYPE", "X-WR-NAME", "CONTACT").chain((name) => said(name, text)),
      2,
    ),
    optional(said("ATTENDEE", fc.constantFrom("mailto:a@example.org", "mailto:b@example.org")), 2),
  )
  .map((all) => all.flat());

function named(line: string): Said {
  const [name = "", value = ""] = line.split(":");
  return property(name, [value]);
}

export const calendars: fc.Arbitrary<Said> = fc.array(
  fc
    .tuple(fc.constantFrom("VEVENT", "VEVENT", "VTODO", "VJOURNAL"), properties, fc.array(alarm, { maxLength: 2 }))
    .map(([name, all, alarms]) =>
      entry(
        name,
        [property("UID", ["1"]), property("DTSTAMP", ["20240101T000000Z"]), ...all.filter((each) => name === "VEVENT" || !isEnd(each))],
        name === "VJOURNAL" ? [] : alarms,
      ),
    ),
  { minLength: 1, maxLength: 2 },
);
const isEnd = (each: Said) => isMap(each) && textOf(each.m[0]?.[1] ?? null) === "DTEND";

type Line = { readonly name: string; readonly zone: string; readonly values: readonly string[] };

function partsOf(of: Said): { readonly name: string; readonly lines: readonly Line[]; readonly entries: readonly Said[] } {
  const { name = null, properties: all = [], entries = [] } = Object.fromEntries(isMap(of) ? of.m : []);
  const lines = (isList(all) ? all : []).map((each) => {
    const { name: own = null, zone: where = null, values = [] } = Object.fromEntries(isMap(each) ? each.m : []);
    return { name: textOf(own), zone: textOf(where), values: (isList(values) ? values : []).map(textOf) };
  });
  return { name: textOf(name), lines, entries: isList(entries) ? entries : [] };
}

const labels: Readonly<Record<string, string>> = {
  ...{ DTSTART: "start", DTEND: "end", RRULE: "recurrence", EXDATE: "exceptDates", DTSTAMP: "stamp", ATTENDEE: "attendees" },
};
const kinds: Readonly<Record<string, string>> = { VEVENT: "event", VTODO: "task", VJOURNAL: "note" };
const fieldOf = (name: string) =>
  labels[name] ??
  (name.startsWith("X-") ? name.toLowerCase() : name.toLowerCase().replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase()));
/** The parts of a rule may be in any order. */
const sorted = (rule: string) => rule.split(";").toSorted().join(";");
const numbers = (place: string) => place.split(";").map(Number).join(";");
const bareAddress = (each: string) => each.replace(/^mailto:/i, "");

const evening: Readonly<Record<string, (text: string) => string>> = { RRULE: sorted, GEO: numbers, ATTENDEE: bareAddress };

function wantedOf(of: Said): readonly Wanted[] {
  const { name, lines, entries } = partsOf(of);
  const start = lines.find((each) => each.name === "DTSTART")?.zone ?? "";
  const fields = [...new Set(lines.map((each) => each.name))].flatMap((own): readonly Wanted[] => {
    const same = lines.filter((each) => each.name === own);
    const texts = same.flatMap(({ values }) => values);
    const zones = [...new Set(same.map(({ zone: where }) => where))].filter((each) => each !== "" && (own === "DTSTART" || each !== start));
    const zoneField = own === "DTSTART" ? "timezone" : `${fieldOf(own)}Timezone`;
    return [
      { field: fieldOf(own), texts, ...(evening[own] === undefined ? {} : { even: evening[own] }) },
      ...(zones.length > 0 ? [{ field: zoneField, texts: zones }] : []),
    ];
  });
  const alarms = entries.map((each) =>
    partsOf(each)
      .lines.map((line) => `${fieldOf(line.name)}: ${line.values.join("; ")}`)
      .toSorted()
      .join(", "),
  );
  const alarmSorted = (each: string) =>
    each
      .split(/[,;] (?=[a-z]+: )/)
      .toSorted()
      .join(", ");
  return [
    { field: "type", texts: [kinds[name] ?? name] },
    ...fields,
    ...(alarms.length > 0 ? [{ field: "alarms", texts: alarms, even: alarmSorted }] : []),
  ];
}

export const calendarJudge: Judge = {
  engine: mailEngine,
  differencesOf(was, is, _from, to): readonly Difference[] {
    const entries = isList(was as Said) ? (was as readonly Said[]) : [];
    if (to === "txt") return entries.flatMap((each, at) => missingIn(is as Said, wantedOf(each), at));
    const records = recordsIn(is, to);
    if (records.length !== entries.length)
      return [{ change: "other", place: "entries", was: String(entries.length), is: String(records.length) }];
    return entries.flatMap((each, at) => differencesIn(wantedOf(each), records[at] ?? new Map(), `[${at}]`, to));
  },
  excuses: { joined: ["STRUCTURE_FLATTENED"], text: ["CHARACTERS_REPLACED"], zone: ["METADATA_DROPPED"] },
};
