import { expect, it } from "vitest";
import { mailEngine } from "#services/conversion/engines/documents/mail.ts";
import { convertCards } from "#services/conversion/engines/inside/mail/cards.ts";
import { converterOf } from "#test/services/conversion/engines/inside/converter.ts";

const convert = converterOf(mailEngine, convertCards);

const calendarOf = (...events: readonly string[]): string =>
  `BEGIN:VCALENDAR\nVERSION:2.0\n${events.map((event) => `BEGIN:VEVENT\nUID:u\n${event}\nEND:VEVENT\n`).join("")}END:VCALENDAR\n`;

it("line breaks of values are elements on a page, which its readers keep", async () => {
  const { text } = await convert(calendarOf("DTSTART:20240101T000000Z\nSUMMARY:one\\ntwo <b>"), "ics", "html");
  expect(text).toContain(">one<br>two &lt;b&gt;</td>");
});

it("times in UTC are told apart from local times of the same column in XLSX", async () => {
  const events = ["DTEND:20240102T000000Z", "DTEND;TZID=Europe/Berlin:20240103T100000"].map((end) => `DTSTAMP:20240101T000000Z\n${end}`);
  const { notes } = await convert(calendarOf(...events), "ics", "xlsx");
  expect(notes.get("METADATA_DROPPED")).toBe(
    "Times are written in UTC, without a time zone: stamp. Some times are written in UTC, beside local ones: end.",
  );
});
