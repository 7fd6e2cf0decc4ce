import { describe, expect, it } from "vitest";
import { mailEngine } from "#services/conversion/engines/documents/mail.ts";
import { convertCards } from "#services/conversion/engines/inside/mail/cards.ts";
import { converterOf } from "#test/services/conversion/engines/inside/converter.ts";

const convert = converterOf(mailEngine, convertCards);

const calendar = (...lines: readonly string[]) =>
  ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:x", ...lines, "END:VCALENDAR", ""].join("\r\n");
const event = (...lines: readonly string[]) => calendar("BEGIN:VEVENT", "UID:1", ...lines, "END:VEVENT");
const card = (version: string, ...lines: readonly string[]) =>
  ["BEGIN:VCARD", `VERSION:${version}`, "FN:A", ...lines, "END:VCARD", ""].join("\r\n");

async function recordOf(text: string, from: string) {
  const made = await convert(text, from, "json");
  const { uid, name, type, ...record } = JSON.parse(made.text)[0];
  return { record, codes: made.codes.filter((code) => code !== "TYPES_AS_TEXT") };
}

describe("entries of a calendar keep", () => {
  it.each([
    ["what recurs until when", ["RRULE:FREQ=WEEKLY;UNTIL=20260401T080000Z"], { recurrence: "FREQ=WEEKLY;UNTIL=20260401T080000Z" }],
    ["a day until which", ["RRULE:FREQ=DAILY;UNTIL=20261231"], { recurrence: "FREQ=DAILY;UNTIL=20261231" }],
    [
      "the dates that are left out and added",
      ["EXDATE:20260308T100000,20260315T100000", "EXDATE;VALUE=DATE:20260322", "RDATE:20260310T100000Z"],
      { exceptDates: ["2026-03-08T10:00:00", "2026-03-15T10:00:00", "2026-03-22"], extraDates: ["2026-03-10T10:00:00Z"] },
    ],
    ["which of a series is meant", ["RECURRENCE-ID;VALUE=DATE:20260302"], { recurrenceId: "2026-03-02" }],
    ["alarms", ["BEGIN:VALARM", "ACTION:DISPLAY", "TRIGGER:-PT15M", "END:VALARM"], { alarms: [{ action: "DISPLAY", trigger: "-PT15M" }] }],
    [
      "zones that differ",
      ["DTSTART;TZID=Europe/Berlin:20260302T120000", "DTEND;TZID=America/New_York:20260302T120000"],
      { start: "2026-03-02T12:00:00", end: "2026-03-02T12:00:00", timezone: "Europe/Berlin", endTimezone: "America/New_York" },
    ],
    [
      "properties of any other name",
      ["X-FOO:bar", "PERCENT-COMPLETE:50", "DTSTAMP:20260101T000000Z"],
      { "x-foo": "bar", percentComplete: "50", stamp: "2026-01-01T00:00:00Z" },
    ],
  ])("%s", async (_name, lines, wanted) => {
    expect(await recordOf(event(...lines), "ics")).toEqual({ record: wanted, codes: [] });
  });

  it.each([
    ["words for a day", ["DTSTART:tomorrow"], { start: "tomorrow" }],
    [
      "dates of another syntax",
      ["DTSTART:2024-01-05T10:00:00Z", "DTEND:20240105T1100"],
      { start: "2024-01-05T10:00:00Z", end: "2024-01-05T11:00:00" },
    ],
    ["no date at all", ["DTSTART:", "STATUS:X"], { status: "X" }],
    ["rules in any letters", ["RRULE:freq=daily;x-a=1;interval=0"], { recurrence: "freq=daily;x-a=1;interval=0" }],
    ["leap months of a rule", ["RRULE:FREQ=YEARLY;BYMONTH=5L"], { recurrence: "FREQ=YEARLY;BYMONTH=5L" }],
    ["periods", ["RDATE;VALUE=PERIOD:20240105T100000Z/PT1H"], { extraDates: ["2024-01-05T10:00:00Z/PT1H"] }],
  ])("%s as they are written", async (_name, lines, wanted) => {
    expect(await recordOf(event(...lines), "ics")).toEqual({ record: wanted, codes: [] });
  });

  it("lists of version 1.0", async () => {
    const text = event("EXDATE:20240112T100000;20240119T100000", "CATEGORIES:A;B").replace("VERSION:2.0", "VERSION:1.0");
    const { record } = await recordOf(text, "ics");
    expect(record).toEqual({ exceptDates: ["2024-01-12T10:00:00", "2024-01-19T10:00:00"], categories: ["A", "B"] });
  });

  it.each([
    [
      "a second zone of dates",
      event("EXDATE;TZID=Asia/Tokyo:20240105T100000", "EXDATE;TZID=Europe/Berlin:20240106T100000"),
      ["METADATA_DROPPED"],
    ],
    ["what is nested in an entry", event("BEGIN:PARTICIPANT", "UID:p", "END:PARTICIPANT"), ["METADATA_DROPPED"]],
    ["what is said of a value", event("ATTENDEE;PARTSTAT=ACCEPTED:mailto:a@b"), ["METADATA_DROPPED"]],
    ["the rules of a zone of its own", event("DTSTART;TZID=Our zone:20260302T120000"), ["METADATA_DROPPED"]],
    ["the name of the calendar", calendar("X-WR-CALNAME:Mine", "BEGIN:VEVENT", "END:VEVENT"), ["METADATA_DROPPED"]],
    ["other entries", calendar("BEGIN:X-OTHER", "END:X-OTHER", "BEGIN:VEVENT", "END:VEVENT"), ["ENTRIES_LEFT_OUT"]],
  ])("not %s, with a note", async (_name, text, codes) => {
    expect((await recordOf(text, "ics")).codes).toEqual(codes);
  });

  it.each([
    ["a line without a value", event("SUMMARY:S", "X-APPLE-RADIUS=49.9"), "X-APPLE-RADIUS=49.9"],
    ["a line after the calendar", `${event("SUMMARY:S")}X-COMMENT:Cached\r\n`, "X-COMMENT:Cached"],
  ])("all else than %s, with a note", async (_name, text, line) => {
    const made = await convert(text, "ics", "json");
    expect(JSON.parse(made.text)).toEqual([{ type: "event", uid: "1", summary: "S" }]);
    expect([...made.notes]).toEqual([["INPUT_DAMAGED", `Lines that are no properties were left out: ${line}.`]]);
  });

  it("a line that is folded after an equals sign, before its value", async () => {
    const made = await convert(event("SUMMARY:S", "ATTENDEE;CN=A;RSVP=\r\n FALSE:mailto:a@example.org"), "ics", "json");
    expect(JSON.parse(made.text)).toMatchObject([{ summary: "S", attendees: ["a@example.org"] }]);
    expect(made.notes.has("INPUT_DAMAGED")).toBe(false);
  });

  it("an event without a calendar around it", async () => {
    const { record, codes } = await recordOf("BEGIN:VEVENT\r\r\nSUMMARY:long\r\r\n er\r\r\nEND:VEVENT\r\r\n", "ics");
    expect([record, codes]).toEqual([{ summary: "longer" }, []]);
  });

  it.each(["!BEGIN:\nEND", "BEGIN:VEVENT\nSUMMARY:S\n"])("no secret of what is wrong: %j", async (text) => {
    await expect(convert(text, "ics", "json")).rejects.toThrow(/no entries|began but did not end/);
  });

  it("what version 1.0 says", async () => {
    const text = event("SUMMARY;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:K=C3=B6ln", "RRULE:W1 MO #0").replace("VERSION:2.0", "VERSION:1.0");
    expect(await recordOf(text, "ics")).toEqual({ record: { summary: "Köln", recurrence: "W1 MO #0" }, codes: [] });
  });

  it("backslashes before what parts values", async () => {
    const { record } = await recordOf(event("CATEGORIES:a\\\\,b", "SUMMARY:C:\\\\new", "X-PATH:C:\\\\new\\n"), "ics");
    expect(record).toEqual({ categories: ["a\\", "b"], summary: "C:\\new", "x-path": "C:\\new\n" });
  });

  it("the day that a week begins with", async () => {
    const { record } = await recordOf(event("RRULE:FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=TU,TH"), "ics");
    expect(record).toEqual({ recurrence: "FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=TU,TH" });
  });

  it("several values of a cell with a note", async () => {
    expect((await convert(event("CATEGORIES:a,b"), "ics", "csv")).codes).toEqual(["STRUCTURE_FLATTENED"]);
  });

  it("alarms in a table too", async () => {
    const made = await convert(event("BEGIN:VALARM", "ACTION:AUDIO", "TRIGGER:-PT5M", "END:VALARM"), "ics", "csv");
    expect(made.text).toContain('"action: AUDIO, trigger: -PT5M"');
  });

  it("an alarm whose place (RFC 9074) is left out with a note", async () => {
    const place = ["BEGIN:VLOCATION", "UID:2", "NAME:Office", "END:VLOCATION"];
    const { notes } = await convert(event("BEGIN:VALARM", "ACTION:DISPLAY", ...place, "END:VALARM"), "ics", "json");
    expect(notes?.get("METADATA_DROPPED")).toContain("VLOCATION");
  });
});

describe("contacts keep", () => {
  it("the name of a person beside NAME of vCard 3.0", async () => {
    const made = await convert(card("3.0", "NAME:vCard for A"), "vcf", "json");
    expect(JSON.parse(made.text)).toEqual([{ name: "A", name2: "vCard for A" }]);
  });

  it("what Apple's programs call a value by its group", async () => {
    const lines = [
      "item1.TEL;TYPE=pref:1",
      "item1.X-ABLabel:Cabin",
      "TEL:2",
      "item2.URL:https://a.example",
      "item2.X-ABLabel:_$!<HomePage>!$_",
    ];
    const { record, codes } = await recordOf(card("3.0", ...lines, "item3.X-ABDATE:2026-01-02", "item3.X-ABLabel:Wedding"), "vcf");
    expect(record).toEqual({
      ...{ phone: ["1", "2"], phoneTypes: ["pref, Cabin", ""], url: ["https://a.example"], urlTypes: ["HomePage"] },
      ...{ "x-abdate": "2026-01-02", "x-abdateTypes": ["Wedding"] },
    });
    expect(codes).toEqual([]);
  });
  it.each(["", ";CHARSET=UTF-8", ";CHARSET=NONE"])("quoted letters of a code page under%s, with a note", async (charset) => {
    const { record, codes } = await recordOf(card("2.1", `NOTE;ENCODING=QUOTED-PRINTABLE${charset}:Stra=DFe`), "vcf");
    expect([record.note, codes]).toEqual(["Straße", ["ENCODING_GUESSED"]]);
  });

  it.each([
    [
      "types of version 2.1",
      card("2.1", "TEL;HOME;VOICE:1", "TEL;WORK;CELL;PREF:2", "EMAIL;INTERNET:a@b"),
      { phone: ["1", "2"], phoneTypes: ["home, voice", "work, cell, pref"], email: ["a@b"], emailTypes: ["internet"] },
    ],
    [
      "letters and line ends of version 2.1",
      card("2.1", "NOTE;ENCODING=QUOTED-PRINTABLE;CHARSET=ISO-8859-1:K=F6=", "ln=0D=0A=3D", "LABEL;HOME;QUOTED-PRINTABLE:a=3Db"),
      { note: "Köln\n=", label: "a=b", labelTypes: ["home"] },
    ],
    ["photos of version 2.1", card("2.1", "PHOTO;JPEG;BASE64:", " aGVs", " bG8=", ""), { photo: "aGVsbG8=" }],
    [
      "types of version 3.0",
      card("3.0", "item1.TEL;type=CELL;type=pref:1", "EMAIL;TYPE=WORK:a@b", "EMAIL:c@d"),
      { phone: ["1"], phoneTypes: ["cell, pref"], email: ["a@b", "c@d"], emailTypes: ["work", ""] },
    ],
    ["signs that are escaped", card("3.0", "NOTE:a\\nb\\, c\\; d\\\\e", "ORG:A\\; B"), { note: "a\nb, c; d\\e", organization: "A; B" }],
    [
      "backslashes before what parts values",
      card("3.0", "N:Doe\\\\;Jane\\\\n;;;", "CATEGORIES:a\\\\,b"),
      { familyName: "Doe\\", givenName: "Jane\\n", categories: ["a\\", "b"] },
    ],
    ["paths of version 2.1", card("2.1", "NOTE:C:\\new", "ORG:A\\;B"), { note: "C:\\new", organization: "A;B" }],
    ["an escape that is cut by a fold", card("3.0", "NOTE:a\\", " ;b", "TITLE:x", "  ", " y"), { note: "a;b", title: "x y" }],
    ["a line that is cut behind an equals sign", card("3.0", "NOTE:a=", " b"), { note: "a=b" }],
    ["types of version 4.0", card("4.0", 'TEL;VALUE=uri;TYPE="voice,home":tel:+1'), { phone: ["+1"], phoneTypes: ["voice, home"] }],
    [
      "types and labels of any property",
      card("4.0", "RELATED;TYPE=spouse:B", "RELATED:C", "IMPP;TYPE=home:x:y", "item1.X-ABRELATEDNAMES:D", "item1.X-ABLabel:Boss"),
      {
        ...{ related: ["B", "C"], relatedTypes: ["spouse", ""], impp: "x:y", imppTypes: ["home"] },
        ...{ "x-abrelatednames": "D", "x-abrelatednamesTypes": ["Boss"] },
      },
    ],
    ["a birthday without a year", card("3.0", "BDAY;X-APPLE-OMIT-YEAR=1604:1604-04-12"), { birthday: "--04-12" }],
    ["several of a sort", card("3.0", "NICKNAME:A,B", "NOTE:1", "NOTE:2"), { nickname: ["A", "B"], note: ["1", "2"] }],
    [
      "all parts of a name",
      card("3.0", "N:Doe;Jane;Q.;Dr.;PhD"),
      { familyName: "Doe", givenName: "Jane", additionalNames: "Q.", namePrefix: "Dr.", nameSuffix: "PhD" },
    ],
    [
      "properties of any other name, with escaped signs",
      card("3.0", "ROLE:r", "X-SKYPE:s\\, t\\nu\\\\n"),
      { role: "r", "x-skype": "s, t\nu\\n" },
    ],
  ])("%s", async (_name, text, wanted) => {
    expect(await recordOf(text, "vcf")).toEqual({ record: wanted, codes: [] });
  });

  it("letters in the encoding that the values name", async () => {
    const bytes = Buffer.concat([Buffer.from("BEGIN:VCARD\r\nVERSION:2.1\r\nFN;CHARSET=SHIFT_JIS:"), Buffer.from("93fa967b", "hex")]);
    const made = await convert(Buffer.concat([bytes, Buffer.from("\r\nEND:VCARD\r\n")]), "vcf", "json");
    expect([JSON.parse(made.text)[0].name, made.codes]).toEqual(["日本", []]);
  });

  it("letters that old programs cut between their bytes", async () => {
    const bytes = Buffer.from(card("3.0", "NOTE:Käse")).toString("latin1").replace("\u00c3", "\u00c3\r\n ");
    expect(JSON.parse((await convert(Buffer.from(bytes, "latin1"), "vcf", "json")).text)[0].note).toBe("Käse");
  });

  it.each([
    ["json", card("3.0", "ORG:A;B"), ["STRUCTURE_FLATTENED"]],
    ["json", card("2.1", "AGENT:", "BEGIN:VCARD", "FN:B", "END:VCARD", "TEL:1"), ["ENTRIES_LEFT_OUT"]],
    ["csv", card("3.0", "TEL:1", "TEL:2"), ["STRUCTURE_FLATTENED"]],
    ["xlsx", card("3.0", "BDAY:1899-01-02"), ["TYPES_AS_TEXT"]],
    ["csv", card("3.0", "PHOTO;ENCODING=b:aGVsbG8="), ["IMAGES_REMOVED"]],
    ["json", card("4.0", "EMAIL;PREF=1:a@b"), ["METADATA_DROPPED"]],
    ["json", card("3.0", "ADR:;;1 Street;Town;;;"), ["STRUCTURE_FLATTENED"]],
  ])("not in %s all of %j, with a note", async (to, text, codes) => {
    expect((await convert(text, "vcf", to)).codes).toEqual(codes);
  });
});

describe("contacts out of a table", () => {
  it("have the types that the columns name", async () => {
    const made = await convert("Name,Mobile Phone,Work Phone,Home Address\nA,1,2,X\n", "csv", "vcf");
    expect(made.text).toContain("TEL;TYPE=CELL:1\r\nTEL;TYPE=WORK:2\r\nADR;TYPE=HOME:;;X;;;;\r\n");
    expect(made.codes).toEqual([]);
  });

  it("keep a number with its extension, and part what stands behind each other", async () => {
    const made = await convert("Name,Phone,E-mail\nA,1;ext=2,a@b;c@d\nB,030 1; 030 2,a b;c\n", "csv", "vcf");
    expect(made.text).toContain("EMAIL:a@b\r\nEMAIL:c@d\r\nTEL:1\\;ext=2\r\n");
    expect(made.text).toContain("EMAIL:a b\\;c\r\nTEL:030 1\r\nTEL:030 2\r\n");
  });

  it.each([
    ["Jane van Doe", "N:Doe;Jane van;;;"],
    ["Doe, Jane", "N:Doe;Jane;;;"],
    ["Jane", "N:Jane;;;;"],
  ])("have the parts of the name %s", async (name, parts) => {
    expect((await convert(`Name\n"${name}"\n`, "csv", "vcf")).text.split("\r\n")).toContain(parts);
  });

  it("say what became of second names, nested values and control characters", async () => {
    const made = await convert(
      JSON.stringify([{ Name: "A", "Full name": "B", Notes: "a\u0001b", Address: { street: "S" } }]),
      "json",
      "vcf",
    );
    expect(made.codes).toEqual(["CHARACTERS_REPLACED", "METADATA_DROPPED", "STRUCTURE_FLATTENED"]);
    expect(made.notes.get("METADATA_DROPPED")).toContain("Full name");
  });

  it("come back from the records that were made of them", async () => {
    const lines = ["N:Doe;Jane;Q.;Dr.;PhD", "TEL;TYPE=HOME,VOICE:1", "TEL:2", "EMAIL;TYPE=WORK:a@b", "CATEGORIES:x,y", "UID:7"];
    for (const through of ["json", "csv", "xlsx"]) {
      const { bytes } = await convert(card("3.0", ...lines), "vcf", through);
      const made = await convert(bytes, through, "vcf");
      for (const line of lines) expect(made.text.split("\r\n"), through).toContain(line);
      expect(made.codes, through).toEqual([]);
    }
  });

  it("have the titles before names, workplaces and addresses of the exports of Outlook and Google", async () => {
    const outlook = await convert("First Name,Last Name,Title,Job Title\nJane,Doe,Dr.,CEO\n", "csv", "vcf");
    expect(outlook.text).toContain("N:Doe;Jane;;Dr.;\r\nTITLE:CEO\r\n");
    const google = "First Name,Organization Title,Address 1 - Formatted,Website 1 - Value\nJane,CEO,1 Main,https://x.example\n";
    const made = await convert(google, "csv", "vcf");
    expect(made.text).toContain("TITLE:CEO\r\nURL:https://x.example\r\nADR:;;1 Main;;;;\r\n");
    expect(made.codes).toEqual([]);
  });

  it("leave out columns and rows with a note", async () => {
    const made = await convert("Name,Shoe size\nA,42\n,43\n", "csv", "vcf");
    expect(made.notes.get("METADATA_DROPPED")).toContain("Shoe size");
    expect(made.notes.get("ENTRIES_LEFT_OUT")).toContain(": 1.");
  });
});

it("names six of the things that records cannot hold, and says that there are others", async () => {
  const attendee = "ATTENDEE;CN=A;ROLE=CHAIR;PARTSTAT=ACCEPTED;RSVP=TRUE;DIR=x;LANGUAGE=de;X-MORE=1:mailto:a@x.org";
  const { notes } = await convert(event("DTSTART:20260101T000000Z", attendee), "ics", "json");
  expect(notes.get("METADATA_DROPPED")).toMatch(/: \S+(, \S+){5} and others\.$/);
});
