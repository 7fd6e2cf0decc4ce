import { expect, it } from "vitest";
import { withoutFurniture } from "#services/conversion/engines/inside/pdf/furniture.ts";
import { piecesOf } from "#services/conversion/engines/inside/pdf/lines.ts";
import { turnedFurniture } from "#services/conversion/engines/inside/pdf/turned-furniture.ts";
import { runAt } from "./letters.ts";

const pageOf = (number: number, foot: string) => ({
  number,
  height: 800,
  pieces: piecesOf([runAt(`Text of page ${"abcdefgh"[number]}`, 50, 300), runAt(foot, 50, 780)]),
});
const leftOn = (feet: readonly string[]) =>
  withoutFurniture(
    feet.map((foot, index) => pageOf(index + 1, foot)),
    new Map(),
  ).map((pieces) => pieces.length);

it("leaves out a footer but once, even if a number in it differs on a few pages", () => {
  expect(leftOn(["Frame 1, form 4702", "Frame 2, form 4702", "Frame 3, form 4725", "Frame 4, form 4702", "Frame 5, form 4702"])).toEqual([
    1, 1, 1, 1, 2,
  ]);
});

it("keeps once the number of an invoice in three copies that only their heads give", () => {
  const copyWith = (number: number, title: string) => ({
    number,
    height: 800,
    pieces: piecesOf([runAt("Invoice 17/2021", 400, 20), runAt("Copy for the buyer", 50, 300), runAt(title, 50, 320)]),
  });
  const kept = (title: string) =>
    withoutFurniture(
      [1, 2, 3].map((number) => copyWith(number, title)),
      new Map(),
    ).map((pieces) => pieces.length);
  expect(kept("Total")).toEqual([3, 2, 2]);
  expect(kept("Payment for invoice 17/2021 is due")).toEqual([3, 2, 2]);
  expect(kept("Invoice 17/2021")).toEqual([2, 2, 2]);
});

it("leaves out page numbers on every page", () => {
  expect(leftOn(["Page 1 of 3", "Page 2 of 3", "Page 3 of 3"])).toEqual([1, 1, 1]);
});

it("keeps the text of pages that have nothing but the same line", () => {
  const pages = [1, 2, 3].map((number) => ({ number, height: 800, pieces: piecesOf([runAt("Fragile", 50, 20)]) }));
  expect(withoutFurniture(pages, new Map()).map((pieces) => pieces.length)).toEqual([1, 1, 1]);
});

it("keeps a footer whose numbers are content", () => {
  expect(leftOn(["Total 310 EUR", "Total 87 EUR", "Total 1200 EUR", "Total 5 EUR", "Total 310 EUR"])).toEqual([2, 2, 2, 2, 2]);
});

it("leaves out vertical text in the margin of most pages, and keeps an axis label", () => {
  const turned = (text: string, x: number) => ({ ...runAt(text, x, 400), width: 0, turn: { angle: -Math.PI / 2, length: 80 } });
  const pages = [1, 2, 3, 4].map((number) => ({
    number,
    runs: [turned("made by nobody", 8), ...(number === 2 ? [turned("seconds", 90)] : [])],
  }));
  const away = turnedFurniture(pages);
  expect(pages.flatMap(({ runs }) => runs.filter((run) => !away.has(run))).map(({ text }) => text)).toEqual(["seconds"]);
});

it("keeps the first line of a text that repeats on several pages, and leaves out a two-line head above it", () => {
  const first = "The movie opens with a news report on the way of life";
  const pageWith = (number: number, ...head: readonly string[]) => ({
    number,
    height: 800,
    pieces: piecesOf([
      ...head.map((text, index) => runAt(text, 50, 20 + index * 12)),
      runAt(first, 50, 60),
      runAt(`goes on ${"abcd"[number]}`, 50, 72),
    ]),
  });
  const kept = (...head: readonly string[]) =>
    withoutFurniture(
      [1, 2, 3].map((number) => pageWith(number, ...head)),
      new Map(),
    ).map((pieces) => pieces.length);
  expect(kept()).toEqual([2, 2, 2]);
  expect(kept("A journal of films, published by nobody in particular", "Volume 12 of the collected works of many writers")).toEqual([
    4, 2, 2,
  ]);
});
