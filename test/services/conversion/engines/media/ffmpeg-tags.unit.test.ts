import { expect, it } from "vitest";
import { lostWith } from "#services/conversion/engines/media/ffmpeg-tags.ts";

it("counts a track number with its total as kept, and other tags with the same number as lost", () => {
  const carried = { kept: new Map([["track", ["5/12"]]]), lost: new Map(), covers: 0, chapters: 0, isRead: true };
  const before = { track: "05", tracktotal: "12", rating: "5", tempo: "12" };
  expect(lostWith(Object.keys(before), before, {}, carried)).toEqual(["rating", "tempo"]);
});

it("counts a track of zero and a date in the signs of ID3 as kept", () => {
  const kept = new Map([
    ["tracknumber", ["3"]],
    ["date", ["2013-04-29 07:00"]],
  ]);
  const before = { track: "3/0", date: "2013-04-29T07:00:00Z" };
  expect(lostWith(["track", "date"], before, {}, { kept, lost: new Map(), covers: 0, chapters: 0, isRead: true })).toEqual([]);
});
