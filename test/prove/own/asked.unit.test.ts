import { expect, it } from "vitest";
import type { OwnFigure } from "#gateway/docs/own-figures.ts";
import { engines } from "#services/conversion/engines/registry.ts";
import { everydayOwnFormats, type OwnRow, ownRows } from "./asked.ts";
import { keyOfAsked, readOwnFigures } from "./own-figures.ts";
import { failureOf, mergedFigures } from "./run.ts";
import { sourceNames } from "./sources.ts";

it("covers every everyday format that can be changed", () => {
  const asked = new Set(ownRows.map(({ format }) => format));
  expect(everydayOwnFormats().length).toBeGreaterThan(30);
  expect(everydayOwnFormats().filter((format) => !asked.has(format))).toEqual([]);
});

it("requests only existing options, and a smaller result each time", () => {
  for (const { format, options, wants } of ownRows) {
    const known = engines
      .flatMap(({ hops }) => hops.filter(({ from, to }) => from === format && to === format))
      .flatMap((hop) => hop.options);
    expect(
      Object.keys(options).filter((name) => !known.some((option) => option.name === name)),
      format,
    ).toEqual([]);
    expect([Object.keys(options).length > 0, wants.weight !== "same" && (wants.weight?.[1] ?? 1) < 1], format).toEqual([true, true]);
    expect(Object.keys(wants).length, format).toBeGreaterThan(1);
  }
});

it("has measurements that match the table and pass", async () => {
  const figures = await readOwnFigures();
  expect(figures.map(keyOfAsked)).toEqual(ownRows.map(keyOfAsked));
  for (const [index, row] of ownRows.entries()) {
    const figure = figures[index];
    if (figure === undefined) continue;
    expect([figure.failure, failureOf(row, figure), figure.source], row.format).toEqual(["", "", sourceNames[row.source]]);
  }
});

const row: OwnRow = { format: "pdf", source: "report", options: {}, wants: { weight: [0, 0.5], pages: "same", ssim: [0.9, 1] } };
const good: OwnFigure = {
  ...{ format: "pdf", source: "", options: {}, engine: "pdf-change", reader: "poppler", failure: "" },
  ...{ bytesBefore: 100, bytesAfter: 50, figures: { pages: [3, 3], ssim: 0.9 } },
};

it.each<[string, Partial<OwnFigure>]>([
  ["", {}],
  ["weight must be 0 to 0.5", { bytesAfter: 51 }],
  ["pages must be as before", { figures: { pages: [3, 2], ssim: 1 } }],
  ["pages must be as before", { figures: { ssim: 1 } }],
  ["ssim must be 0.9 to 1", { figures: { pages: [3, 3], ssim: Number.NaN } }],
  ["read by its own writer alone", { reader: "self" }],
])("failureOf returns %j", (failure, change) => {
  expect(failureOf(row, { ...good, ...change })).toBe(failure);
});

it("replaces old measurements and drops rows that are no longer requested", () => {
  const [first, second] = ownRows.map((each) => ({ ...good, ...each, source: "" }));
  if (first === undefined || second === undefined) throw new Error("nothing is asked");
  const stale = { ...good, options: { gone: "1" } };
  expect(mergedFigures([second, stale, first], [{ ...first, bytesAfter: 7 }])).toEqual([{ ...first, bytesAfter: 7 }, second]);
});
