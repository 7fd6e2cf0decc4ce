import { expect, it } from "vitest";
import type { Run } from "#services/conversion/engines/inside/pdf/content.ts";
import type { Pixels } from "#services/conversion/engines/inside/pdf/png.ts";
import { cutOutsOf } from "#services/conversion/engines/inside/pdf/scan-figures.ts";
import { runAt } from "./letters.ts";

const [width, height] = [400, 600];
const box = { left: 0, top: 0, right: width, bottom: height };
const column = (x: number) =>
  Array.from({ length: 22 }, (_, index) => runAt("words of a line of text that was read", x, 310 + index * 12, { size: 8 }));
const lines = [...column(40), ...column(220)];

type Part = readonly [left: number, top: number, right: number, bottom: number];

/** A blank page with these parts inked, one pixel per point. */
function pageWith(parts: readonly Part[], kind: 1 | 2 = 2): Pixels {
  const bits = kind === 1 ? 1 : 24;
  const row = (width * bits) / 8;
  const data = new Uint8Array(row * height).fill(kind === 1 ? 0xff : 0xe0);
  for (const [left, top, right, bottom] of parts)
    for (let y = top; y < bottom; y++) data.fill(0, y * row + (left * bits) / 8, y * row + (right * bits) / 8);
  return { width, height, kind, data };
}

/** The ink of the lines, at the height of lowercase letters. */
const written = (runs: readonly Run[], down = 0): Part[] =>
  runs.map((run): Part => [run.x, Math.round(run.baseline + down) - 3, run.x + Math.round(run.width), Math.round(run.baseline + down)]);

it.each([1, 2] as const)("cuts out a figure but not the text or a speck (pixel kind %i)", (kind) => {
  const parts: Part[] = [[80, 80, 240, 200], [320, 320, 328, 324], ...written(lines)];
  const found = cutOutsOf(pageWith(parts, kind), box, lines);
  expect(found).toHaveLength(1);
  const [{ box: part, pixels }] = found as [(typeof found)[number]];
  expect([part.left, part.top, part.right, part.bottom].map((place) => Math.round(place / 10) * 10)).toEqual([80, 80, 240, 200]);
  expect(pixels.data.length).toBe((kind === 1 ? Math.ceil(pixels.width / 8) : pixels.width * 3) * pixels.height);
  expect(pixels.data.filter((value) => value === 0).length).toBeGreaterThan(pixels.data.length * 0.8);
});

it("cuts nothing out of a crooked page, whose ink does not match the recognised text", () => {
  expect(cutOutsOf(pageWith([[80, 80, 240, 200], ...written(lines, 6)]), box, lines)).toEqual([]);
});

it("cuts nothing out of truncated pixel data", () => {
  expect(cutOutsOf({ ...pageWith([]), data: new Uint8Array(10) }, box, [])).toEqual([]);
});
