import { expect, it } from "vitest";
import type { Item, Phase } from "#client/convert/items.ts";
import { countsOf, expectationsOf, failuresOf, notesOf } from "#client/many/groups.ts";
import type { Job } from "#client/server/wire.ts";

const item = (id: string, phase: Phase): Item => ({
  ...{ id, name: id, folder: "", batch: 1, sizeBytes: 1, file: undefined, from: "png" },
  ...{ fromChosen: false, to: "jpg", options: {}, jobId: undefined, phase },
});
const done = (id: string, ...codes: readonly string[]): Item =>
  item(id, { name: "done", job: { notes: codes.map((code) => ({ code, message: `about ${code}` })) } as Job });
const failed = (id: string, message: string): Item =>
  item(id, { name: "failed", failure: { code: "INVALID_INPUT", message, details: {} } });

it("lists a shared note once with its files, the most common first, and counts a file once", () => {
  const said = notesOf([done("a", "GPS"), done("b", "FLAT", "GPS"), done("c", "FLAT", "FLAT"), done("d", "FLAT")]);
  expect(said.map(({ code, message, items }) => [code, message, items.map(({ id }) => id)])).toEqual([
    ["FLAT", "about FLAT", ["b", "c", "d"]],
    ["GPS", "about GPS", ["a", "b"]],
  ]);
});

it("lists expected notes of waiting files once, and ignores files without a target", () => {
  const waiting = item("a", { name: "choosing" });
  const others = [{ ...waiting, id: "b" }, { ...waiting, id: "c", to: "webp" }, { ...waiting, id: "d", to: undefined }, done("e", "GPS")];
  const said = expectationsOf([waiting, ...others], (from, to) => (to === "jpg" ? [{ code: "FLAT", message: `${from} to ${to}` }] : []));
  expect(said.map(({ message, items }) => [message, items.map(({ id }) => id)])).toEqual([["png to jpg", ["a", "b"]]]);
});

it("groups failures by message", () => {
  const said = failuresOf([failed("a", "broken"), done("b"), failed("c", "empty"), failed("d", "broken")]);
  expect(said.map(({ message, items }) => [message, items.map(({ id }) => id)])).toEqual([
    ["broken", ["a", "d"]],
    ["empty", ["c"]],
  ]);
});

it("counts files by state and computes the overall progress", () => {
  const waiting = item("w", { name: "choosing" });
  expect(countsOf([waiting, waiting])).toEqual({ all: 2, waiting: 2, busy: 0, done: 0, failed: 0, fraction: undefined });
  const half = item("h", { name: "uploading", fraction: 1 });
  const counts = countsOf([waiting, done("a"), failed("b", "x"), half, item("q", { name: "waiting" })]);
  expect(counts).toMatchObject({ all: 5, waiting: 1, busy: 2, done: 1, failed: 1 });
  expect(counts.fraction).toBeCloseTo(2.3 / 4);
});
