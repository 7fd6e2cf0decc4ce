import { expect, it } from "vitest";
import { withoutCopies } from "#services/conversion/engines/inside/pdf/overprinted.ts";
import { runAt } from "./letters.ts";

const textsOf = (runs: Parameters<typeof withoutCopies>[0]) => withoutCopies(runs).map(({ text }) => text);

it("keeps the topmost of words painted over themselves, as shadows and bold are", () => {
  expect(textsOf([runAt("YOUR", 20, 30), runAt("YOUR", 20.5, 30), runAt("YOUR", 20, 31), runAt("PARTS", 45, 30)])).toEqual([
    "",
    "",
    "YOUR",
    "PARTS",
  ]);
});

it("keeps equal words beside and below each other, and those of another size", () => {
  const apart = [runAt("no", 20, 30), runAt("no", 30, 30), runAt("no", 20, 42), runAt("no", 20, 30, { size: 20 })];
  expect(textsOf(apart)).toEqual(["no", "no", "no", "no"]);
});

it("keeps the line ends of what it leaves out", () => {
  expect(withoutCopies([runAt("one", 20, 30), runAt("one", 20, 30)])[0]).toMatchObject({ text: "", endsLine: true });
});

it("keeps one of each part if copies are joined with what follows", () => {
  const runs = [runAt("Te", 20, 30), runAt("Te", 20.5, 30), runAt("Text", 20, 30), runAt("xt", 30.5, 30), runAt("xtile", 30, 30)];
  expect(textsOf(runs).join("")).toBe("Textile");
});

it("numbers of a row changed by copies of some of their digits", () => {
  const row = ["7 6", "120 0", "7.6", "120.0", "49.9", "9 9", "$749", "$", "9"];
  const places = [20, 50, 20, 50, 90, 95, 120, 120, 135];
  expect(textsOf(row.map((text, index) => runAt(text, places[index] ?? 0, 30)))).toEqual([
    "",
    "",
    "7.6",
    "120.0",
    "49.9",
    "",
    "$749",
    "",
    "",
  ]);
  expect(textsOf([runAt("1.5", 20, 30), runAt("5", 36, 30), runAt("7", 25, 30), runAt("5", 30, 36)])).toEqual(["1.5", "5", "7", "5"]);
});

it("keeps text that laps over its neighbour", () => {
  expect(textsOf([runAt("banana", 20, 30), runAt("nap", 44, 30), runAt("anchor", 54, 30)])).toEqual(["banana", "nap", "anchor"]);
});

it("compares long texts that lap over each other in linear time", () => {
  const long = "a".repeat(5000);
  const runs = Array.from({ length: 40 }, (_, at) => runAt(`${at}${long}`, 20 + at, 30));
  const start = performance.now();
  expect(withoutCopies(runs)).toHaveLength(40);
  expect(performance.now() - start).toBeLessThan(3000);
});
