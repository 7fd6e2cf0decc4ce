import { expect, it } from "vitest";
import { drawableDxf } from "#services/conversion/inspectors/inside/dxf-shapes.ts";

const pairs = (...values: readonly (string | number)[]) => values.map((value) => `${value}\r\n`).join("");
const entities = (...bodies: readonly string[]) => pairs(0, "SECTION", 2, "ENTITIES") + bodies.join("") + pairs(0, "ENDSEC", 0, "EOF");
const line = pairs(0, "LINE", 8, "walls", 10, 0, 20, 0, 11, 9, 21, 9);

/** Of the objects that were made, the values of each code. */
function drawnFrom(body: string) {
  const made: { kind: string; values: Map<string, string[]> }[] = [];
  const lines = drawableDxf(entities(body)).split(/\r?\n/);
  for (let at = 0; at + 1 < lines.length; at += 2) {
    const [code = "", value = ""] = lines.slice(at, at + 2);
    if (code === "0") made.push({ kind: value, values: new Map() });
    else made.at(-1)?.values.set(code, [...(made.at(-1)?.values.get(code) ?? []), value]);
  }
  const drawn = made.filter(({ kind }) => kind === "TEXT" || kind === "LWPOLYLINE");
  return drawn.map(
    ({ values }) =>
      (code: string) =>
        values.get(code) ?? [],
  );
}

function pointsOf(body: string): readonly (readonly [x: number, y: number])[] {
  const [valuesOf] = drawnFrom(body);
  return (valuesOf?.("10") ?? []).map((x, index) => [Number(x), Number(valuesOf?.("20")[index])]);
}

it("keeps a drawing that the office draws whole, to the byte", () => {
  expect(drawableDxf(entities(line))).toBe(entities(line));
});

it("text of several lines becomes single lines in its place and on its layer", () => {
  const text = "{\\fArial|b0;Main \\C1;hall}\\P\\S1#2; \\{a\\}\\P\\P2\xc3\xa0";
  const made = drawnFrom(pairs(0, "MTEXT", 5, "2F", 8, "notes", 10, 100, 20, 50, 40, 3, 41, 0, 71, 1, 3, text, 1, " m"));
  expect(made.map((values) => values("1")[0])).toEqual(["Main hall", "1/2 {a}", "2\xc3\xa0 m"]);
  expect(made.map((values) => Number(values("20")[0]))).toEqual([47, 42, 32]);
  for (const values of made) expect(["8", "10", "40"].map(values)).toEqual([["notes"], ["100"], ["3"]]);
  expect(drawableDxf(entities(line, pairs(0, "MTEXT", 1, "a"), line))).toContain(line);
});

it("wraps text at its width, and turns and centres it", () => {
  const wide = drawnFrom(pairs(0, "MTEXT", 10, 0, 20, 0, 40, 1, 41, 7, 1, "one two three four five"));
  expect(wide.map((values) => values("1")[0])).toEqual(["one two", "three four", "five"]);
  const embedded = pairs(101, "Embedded Object", 10, 0, 20, 1, 11, 5, 21, 5);
  const [straight] = drawnFrom(pairs(0, "MTEXT", 10, 3, 20, 4, 40, 1, 1, "ab") + embedded);
  expect(["10", "20", "50"].map((code) => straight?.(code))).toEqual([["3"], ["3"], []]);
  const [turned] = drawnFrom(pairs(0, "MTEXT", 10, 0, 20, 0, 40, 1, 71, 5, 11, 0, 21, 1, 1, "ab"));
  expect(turned?.("50")).toEqual(["90"]);
  expect(["10", "20"].map((code) => Number(turned?.(code)[0]))).toEqual([0.5, -0.7]);
});

it("ellipses and their arcs become polylines", () => {
  for (const [x, y] of pointsOf(pairs(0, "ELLIPSE", 8, 0, 10, 1, 20, 2, 11, 4, 21, 0, 40, 0.5)))
    expect(((x - 1) / 4) ** 2 + ((y - 2) / 2) ** 2).toBeCloseTo(1, 6);
  const arc = pointsOf(pairs(0, "ELLIPSE", 10, 0, 20, 0, 11, 0, 21, 2, 40, 1, 41, 0, 42, Math.PI / 2));
  expect([arc[0], arc.at(-1)].flat().map((value = NaN) => Math.round(value * 1e6) / 1e6 || 0)).toEqual([0, 2, -2, 0]);
});

it("arcs at the edge of a hatching, which the office draws as straight lines, become short ones", () => {
  const head = pairs(0, "HATCH", 8, "fill", 10, 0, 20, 0, 2, "ANSI31", 91, 1, 92, 7, 72, 1, 73, 1, 93, 2);
  const made = drawableDxf(entities(head + pairs(10, 3, 20, 0, 42, 1, 10, -1, 20, 0, 42, 1, 97, 0, 75, 0, 98, 1, 10, 7, 20, 7)));
  const words = made.split(/\r?\n/);
  const valuesOf = (code: string) => words.filter((_, at) => at % 2 === 1 && words[at - 1] === code);
  const [across, up] = [valuesOf("10").slice(1, -1).map(Number), valuesOf("20").slice(1, -1).map(Number)];
  expect([valuesOf("93"), valuesOf("72"), valuesOf("8"), valuesOf("42")]).toEqual([[String(across.length)], ["0"], ["fill"], []]);
  expect(across.length).toBeGreaterThan(60);
  for (const [index, x] of across.entries()) expect(Math.hypot(x - 1, up[index] ?? NaN)).toBeCloseTo(2, 6);
});

it("splines, rational ones too, become polylines", () => {
  const half = Math.SQRT1_2;
  const knots = [0, 0, 0, 1, 1, 1].flatMap((knot) => [40, knot]);
  const quarter = pairs(0, "SPLINE", 70, 8, 71, 2, ...knots, 41, 1, 41, half, 41, 1, 10, 1, 20, 0, 10, 1, 20, 1, 10, 0, 20, 1);
  const points = pointsOf(quarter);
  for (const [x, y] of points) expect(Math.hypot(x, y)).toBeCloseTo(1, 6);
  expect([points[0], points.at(-1)]).toEqual([
    [1, 0],
    [0, 1],
  ]);
  expect(pointsOf(pairs(0, "SPLINE", 71, 3, 11, 1, 21, 2, 11, 3, 21, 4))).toEqual([
    [1, 2],
    [3, 4],
  ]);
});

it("shows tables by their block, and nothing for an empty text", () => {
  const table = pairs(0, "ACAD_TABLE", 8, "lists", 2, "*T1", 10, 5, 20, 6, 91, 2);
  expect(drawableDxf(entities(table, line))).toContain(`0\nINSERT\n8\nlists\n2\n*T1\n10\n5\n20\n6\n${line}`);
  expect(drawableDxf(entities(pairs(0, "MTEXT", 40, 1, 1, "{}")))).toBe(entities(""));
});

it("leaves what it cannot place, and stays small whatever a file claims", () => {
  for (const body of [
    pairs(0, "ELLIPSE", 8, 0),
    pairs(0, "MTEXT", 40, 0, 1, "a"),
    pairs(0, "MTEXT", 10, "x", 20, 1, 40, 1, 1, "a"),
    pairs(0, "ACAD_TABLE", 2, "*T1", 10, "x", 20, 1),
    pairs(0, "SPLINE", 71, 1e9, 40, 1),
    pairs(0, "ELLIPSE", 11, "x", 21, 1),
    pairs(0, "SPLINE", 71, 1, 40, 0, 40, 0, 40, 1, 40, 1, 10, "x", 20, 1, 10, 2, 20, 2),
  ])
    expect(drawableDxf(entities(body))).toBe(entities(body));
  const many = entities(pairs(0, "ELLIPSE", 11, 1.23456789, 21, 1).repeat(100_000));
  expect(drawableDxf(many).length).toBeLessThan(30_000_000);
});
