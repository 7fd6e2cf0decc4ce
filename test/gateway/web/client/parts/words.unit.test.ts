import { expect, it } from "vitest";
import { t } from "#client/parts/language.tsx";
import {
  aboutText,
  agoText,
  countText,
  durationText,
  leftText,
  renamed,
  sizeText,
  splitName,
  tomorrowText,
  untilText,
} from "#client/parts/words.ts";
import "#test/gateway/web/client/english.ts";

const nowMs = Date.parse("2026-01-01T12:00:00Z");

it("formats sizes in powers of 1000", () => {
  expect([0, 999, 1000, 72_900, 999_600, 25_000_000, 5_250_000_000].map(sizeText)).toEqual([
    ...["0 B", "999 B", "1 kB", "72.9 kB", "1 MB", "25 MB", "5.3 GB"],
  ]);
});

it("formats durations, and rounds the remaining time", () => {
  expect([0, 61, 1500, 61_000, 3_720_000].map(durationText)).toEqual(["1 ms", "61 ms", "1.5 s", "1 min 1 s", "1 h 2 min"]);
  expect([300, 4000, 12_000, 61_000].map(leftText)).toEqual(["about 1 s left", "about 4 s left", "about 15 s left", "about 2 min left"]);
  expect(aboutText(12_000)).toBe("about 15 s");
});

it("never shows 60 s or 60 min", () => {
  expect([999.6, 59_949, 59_970, 119_700, 3_599_600, 7_199_700].map(durationText)).toEqual([
    ...["1 s", "59.9 s", "1 min 0 s", "2 min 0 s", "1 h 0 min", "2 h 0 min"],
  ]);
  expect([55_000, 56_000, 59_000].map(aboutText)).toEqual(["about 55 s", "about 1 min", "about 1 min"]);
});

it.each([
  ["Pacific/Kiritimati", "2026-06-30T23:30:00Z", "2026-07-02"],
  ["America/Los_Angeles", "2026-01-01T02:00:00Z", "2026-01-01"],
  ["Europe/Berlin", "2026-12-31T12:00:00Z", "2027-01-01"],
])("computes tomorrow in the reader's time zone: %s", (zone, now, tomorrow) => {
  const before = process.env.TZ;
  try {
    process.env.TZ = zone;
    expect(tomorrowText(new Date(now))).toBe(tomorrow);
  } finally {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  }
});

it("formats times relative to now", () => {
  expect(agoText("2026-01-01T09:00:00Z", nowMs)).toBe("3 hours ago");
  expect(agoText("2026-01-01T11:59:50Z", nowMs)).toBe("just now");
  expect(agoText("2026-01-03T12:00:00Z", nowMs)).toBe("in 2 days");
  expect(["2026-01-01T12:20:00Z", "2026-01-02T12:00:00Z", "2026-01-08T12:00:00Z"].map((end) => untilText(end, nowMs))).toEqual([
    ...["for 20 minutes", "for 24 hours", "for 7 days"],
  ]);
});

it("formats counts and ordinals", () => {
  const places = [1, 2, 3, 4, 11, 12, 21, 102].map((place) => t("progress.place", { place }).split(" ")[0]);
  expect(places).toEqual(["1st", "2nd", "3rd", "4th", "11th", "12th", "21st", "102nd"]);
  expect([t("count.files", { n: 1 }), t("count.files", { n: 2000 }), countText(2000)]).toEqual(["1 file", "2,000 files", "2,000"]);
});

it("names the result after its source, and keeps the end of a long name visible", () => {
  expect([renamed("a.tar.gz", "zip"), renamed("noextension", "pdf"), renamed(".env", "txt")]).toEqual([
    "a.tar.zip",
    "noextension.pdf",
    "result.txt",
  ]);
  const long = `${"x".repeat(60)}-final.docx`;
  const [head, tail] = splitName(long);
  expect({ whole: head + tail, tail }).toEqual({ whole: long, tail: "x-final.docx" });
  expect(splitName("short.png")).toEqual(["short.png", ""]);
});
