/**
 * Objects of a DXF drawing that LibreOffice does not draw, as simpler ones that it draws: text of several lines as single lines, ellipses
 * and splines as polylines, tables as the block that shows them, and the arcs around a hatching as polylines.
 * @see the DXF reference of AutoCAD, and for splines The NURBS Book by Piegl and Tiller, algorithm A4.1
 */
import { pairsIn } from "./dxf-pairs.ts";

type Pair = readonly [code: string, value: string];
type Point = readonly [x: number, y: number];
type Given = {
  number(code: string, usual: number): number;
  numbers(code: string): readonly number[];
  points(code: string): readonly Point[];
  readonly pairs: readonly Pair[];
};

/** Layer, line type, colour and sheet. */
const common = new Set(["6", "8", "48", "60", "62", "67"]);
/** Of a text, in heights: the usual distance of lines, and the mean width of letters. */
const [pitch, letterWidth] = [5 / 3, 0.7];
const mostDegrees = 12;
const samplesOfTurn = 72;
const samplesOfPoint = 6;
const mostSamples = 4000;
/** Further objects stay as they are, and are noted as not drawn. */
const mostMade = 20_000_000;

/** Returns the text itself if it has no such object. */
export function drawableDxf(text: string): string {
  const parts: string[] = [];
  let [copied, bytes] = [0, 0];
  for (const { kind, start, end, pairs } of objectsIn(text)) {
    const made = bytes > mostMade ? undefined : makers[kind]?.(givenOf(pairs));
    if (made === undefined) continue;
    const own = linesOf(pairs.filter(([code]) => common.has(code)));
    const drawn = made.map((each) => linesOf(each.slice(0, 1)) + own + linesOf(each.slice(1))).join("");
    parts.push(text.slice(copied, start), drawn);
    [copied, bytes] = [end, bytes + drawn.length];
  }
  return copied === 0 ? text : parts.join("") + text.slice(copied);
}

const makers: Readonly<Record<string, (given: Given) => readonly (readonly Pair[])[] | undefined>> = {
  MTEXT: textLines,
  ELLIPSE: (given) => polyline(ellipsePoints(given), false),
  ACAD_TABLE: tableBlock,
  HATCH: straightHatch,
  SPLINE: (given) => polyline(splinePoints(given), (given.number("70", 0) & 1) === 1),
};

const linesOf = (pairs: readonly Pair[]) => pairs.map(([code, value]) => `${code}\n${value}\n`).join("");

/** The objects of the kinds that are replaced. */
function* objectsIn(text: string): Generator<{ kind: string; start: number; end: number; pairs: readonly Pair[] }> {
  let [kind, begin] = ["", 0];
  let pairs: Pair[] = [];
  for (const { code, value, start } of pairsIn(text)) {
    const isWanted = Object.hasOwn(makers, kind);
    if (code === "0") {
      if (isWanted) yield { kind, start: begin, end: start, pairs };
      [kind, begin, pairs] = [value.trim(), start, []];
    } else if (isWanted) pairs.push([code, value]);
  }
}

function givenOf(all: readonly Pair[]): Given {
  // What follows repeats the codes with other meanings.
  const embedded = all.findIndex(([code]) => code === "101");
  const pairs = embedded < 0 ? all : all.slice(0, embedded);
  const numbers = (code: string) => pairs.flatMap(([each, value]) => (each === code ? [Number(value)] : []));
  const points = (code: string) => {
    const across = numbers(code);
    return numbers(String(Number(code) + 10)).map((y, index): Point => [across[index] ?? 0, y]);
  };
  return { pairs, numbers, points, number: (code, usual) => numbers(code)[0] ?? usual };
}

function tableBlock({ pairs, points }: Given): readonly (readonly Pair[])[] | undefined {
  const name = pairs.find(([code]) => code === "2");
  const [[x, y] = [0, 0]] = points("10");
  return name === undefined || !Number.isFinite(x + y) ? undefined : [[["0", "INSERT"], name, ["10", digits(x)], ["20", digits(y)]]];
}

function polyline(points: readonly Point[], isClosed: boolean): readonly (readonly Pair[])[] | undefined {
  const drawn = points.filter((point) => point.every(Number.isFinite));
  if (drawn.length < 2) return undefined;
  const places = drawn.flatMap(([x, y]): Pair[] => [
    ["10", digits(x)],
    ["20", digits(y)],
  ]);
  return [[["0", "LWPOLYLINE"], ["90", String(drawn.length)], ["70", isClosed ? "1" : "0"], ...places]];
}

/** Of its edges that are polylines, LibreOffice draws arcs as straight lines. */
function straightHatch({ pairs }: Given): readonly (readonly Pair[])[] | undefined {
  const made: Pair[] = [];
  let isChanged = false;
  for (let at = 0; at < pairs.length; ) {
    const [code, value] = pairs[at++] ?? ["", ""];
    made.push([code, value]);
    const [arcs, closed, count] = pairs.slice(at, at + 3);
    const isCurved = code === "92" && (Number(value) & 2) === 2 && arcs?.[0] === "72" && arcs[1].trim() === "1";
    if (!isCurved || closed?.[0] !== "73" || count?.[0] !== "93") continue;
    const corners: (readonly [point: Point, bulge: number])[] = [];
    for (at += 3; pairs[at]?.[0] === "10" && pairs[at + 1]?.[0] === "20"; at += 2) {
      const bulge = pairs[at + 2]?.[0] === "42" ? Number(pairs[at + 2]?.[1]) : 0;
      corners.push([[Number(pairs[at]?.[1]), Number(pairs[at + 1]?.[1])], bulge]);
      if (pairs[at + 2]?.[0] === "42") at += 1;
    }
    const points = corners.flatMap(([point, bulge], index) => arcPoints(point, corners[(index + 1) % corners.length]?.[0] ?? point, bulge));
    made.push(["72", "0"], closed, ["93", String(points.length)]);
    for (const [x, y] of points) made.push(["10", digits(x)], ["20", digits(y)]);
    isChanged = true;
  }
  return isChanged ? [[["0", "HATCH"], ...made.filter(([code]) => !common.has(code))]] : undefined;
}

/** From one point up to another. A bulge is the tangent of a quarter of the angle, positive if the arc runs counter-clockwise. */
function arcPoints([x, y]: Point, [nextX, nextY]: Point, bulge: number): readonly Point[] {
  // Of a larger one, the square has no number.
  if (bulge === 0 || !(Math.abs(bulge) < 1e6)) return [[x, y]];
  const [turn, offset] = [4 * Math.atan(bulge), (1 - bulge * bulge) / (4 * bulge)];
  const [middleX, middleY] = [(x + nextX) / 2 - (nextY - y) * offset, (y + nextY) / 2 + (nextX - x) * offset];
  const count = Math.max(1, Math.ceil((samplesOfTurn * Math.abs(turn)) / (2 * Math.PI)));
  return Array.from({ length: count }, (_, index): Point => {
    const [cos, sin] = [Math.cos((turn * index) / count), Math.sin((turn * index) / count)];
    return [middleX + (x - middleX) * cos - (y - middleY) * sin, middleY + (x - middleX) * sin + (y - middleY) * cos];
  });
}

const digits = (value: number) => String(Number(value.toPrecision(9)));

/** The minor axis is at a right angle to the major one, to its left if the drawing is seen from above. */
function ellipsePoints({ number, points }: Given): readonly Point[] {
  const [[x, y] = [0, 0]] = points("10");
  const [[across, up] = [NaN, NaN]] = points("11");
  const ratio = number("40", 1) * (number("230", 1) < 0 ? -1 : 1);
  const [from, to] = [number("41", 0), number("42", 2 * Math.PI)];
  const turn = from < to ? to - from : to - from + 2 * Math.PI;
  const count = Math.max(8, Math.min(samplesOfTurn, Math.ceil((samplesOfTurn * turn) / (2 * Math.PI))));
  return Array.from({ length: count + 1 }, (_, index): Point => {
    const angle = from + (turn * index) / count;
    const [cos, sin] = [Math.cos(angle), Math.sin(angle) * ratio];
    return [x + across * cos - up * sin, y + up * cos + across * sin];
  });
}

function splinePoints(given: Given): readonly Point[] {
  const controls = given.points("10");
  const degree = given.number("71", 3);
  const knots = given.numbers("40");
  const isWhole = Number.isInteger(degree) && degree >= 1 && degree <= mostDegrees && knots.length === controls.length + degree + 1;
  if (controls.length === 0) return given.points("11");
  if (!isWhole || controls.length <= degree) return controls;
  const weights = given.numbers("41");
  if (![controls.flat(), knots, weights].every((values) => values.every(Number.isFinite))) return [];
  const weighted = controls.map(([x, y], index) => {
    const weight = weights[index] ?? 1;
    return [x * weight, y * weight, weight];
  });
  const [from, to] = [knots[degree] ?? 0, knots[controls.length] ?? 0];
  const count = Math.min(mostSamples, controls.length * samplesOfPoint);
  let span = degree;
  return Array.from({ length: count + 1 }, (_, index): Point => {
    const at = from + ((to - from) * index) / count;
    while (span < controls.length - 1 && at >= (knots[span + 1] ?? 0)) span += 1;
    return pointAt(at, span, degree, knots, weighted);
  });
}

/** De Boor's algorithm, of the control points that act on a span. */
function pointAt(at: number, span: number, degree: number, knots: readonly number[], weighted: readonly (readonly number[])[]): Point {
  let row = weighted.slice(span - degree, span + 1);
  for (let level = 1; level <= degree; level += 1) {
    row = row.slice(1).map((right, index) => {
      const low = knots[span - degree + level + index] ?? 0;
      const share = (at - low) / ((knots[span + 1 + index] ?? 0) - low);
      return right.map((value, axis) => value * share + (row[index]?.[axis] ?? 0) * (1 - share));
    });
  }
  const [[x = NaN, y = NaN, weight = 1] = []] = row;
  return [x / weight, y / weight];
}

/** One TEXT a line; where it starts is computed, because LibreOffice does not know how a TEXT is aligned. */
function textLines(given: Given): readonly (readonly Pair[])[] | undefined {
  const { number, points, pairs } = given;
  const [[x, y] = [0, 0]] = points("10");
  const [height, width] = [number("40", 1), number("41", 0)];
  const raw = pairs.flatMap(([code, value]) => (code === "3" || code === "1" ? [value] : [])).join("");
  const lines = plainLines(raw).flatMap((line) => wrapped(line, width > 0 ? Math.max(8, width / (height * letterWidth)) : Infinity));
  const [direction] = points("11");
  const angle = direction === undefined ? (number("50", 0) * Math.PI) / 180 : Math.atan2(direction[1], direction[0]);
  const [row, column] = [Math.floor((number("71", 1) - 1) / 3), (number("71", 1) - 1) % 3];
  const distance = height * pitch * number("44", 1);
  const first = -height + ((height + (lines.length - 1) * distance) * row) / 2;
  if (!(height > 0 && [x, y, angle, first, column].every(Number.isFinite))) return undefined;
  return lines.flatMap((line, index) => {
    if (line === "") return [];
    const [along, over] = [(-line.length * height * letterWidth * column) / 2, first - index * distance];
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    const [left, base] = [x + along * cos - over * sin, y + along * sin + over * cos];
    const turned: Pair[] = angle === 0 ? [] : [["50", digits((angle * 180) / Math.PI)]];
    return [[["0", "TEXT"], ["10", digits(left)], ["20", digits(base)], ["40", digits(height)], ["1", line], ...turned]];
  });
}

/** Without the codes for font, size, colour and spacing; stacked text keeps its bar. */
function plainLines(raw: string): readonly string[] {
  const plain = raw.replace(
    /\\P|\\X|\^J|\\~|\^I|\\S([^;]{0,200});|\\[fFHCcTQWAp][^;]{0,200};|\\[LlOoKkN]|\\([\\{}])|[{}]/g,
    (found: string, stacked?: string, literal?: string) => {
      if (found === "\\P" || found === "\\X" || found === "^J") return "\n";
      if (found === "\\~" || found === "^I") return " ";
      return stacked?.replace(/[#^]\s?/, "/") ?? literal ?? "";
    },
  );
  const lines = plain.split("\n");
  return lines.some((line) => /[^ ]/.test(line)) ? lines : [];
}

/** A byte of 0xA0 may be half of a letter, not a blank. */
function wrapped(line: string, most: number): readonly string[] {
  const lines = [""];
  for (const word of line.split(/ +/)) {
    const last = lines.length - 1;
    const longer = lines[last] === "" ? word : `${lines[last]} ${word}`;
    if (longer.length <= most || lines[last] === "") lines[last] = longer;
    else lines.push(word);
  }
  return lines;
}
