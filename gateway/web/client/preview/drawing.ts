/** Converts a GeoJSON document to shapes for an SVG. */

export type Drawing = {
  readonly width: number;
  readonly height: number;
  /** Lines and borders, as the attribute `d` of one path. */
  readonly lines: string;
  readonly points: readonly (readonly [x: number, y: number])[];
};

type Position = readonly [x: number, y: number];
type Shapes = { readonly lines: Position[][]; readonly points: Position[] };

const WIDTH = 640;
const MAX_HEIGHT = 640;
const MARGIN = 8;
/** Points closer together than this are merged, in SVG units. */
const MIN_STEP = 0.4;
const MAX_POINTS = 5000;

/** Undefined if the document has no positions. */
export function drawingOf(document: unknown): Drawing | undefined {
  const shapes = shapesOf(document);
  const all = [...shapes.lines.flat(), ...shapes.points];
  const box = boxOf(all);
  if (box === undefined) return undefined;
  const { left, bottom, right, top } = box;
  // Degrees of longitude shrink away from the equator. Other units have the same length in both directions.
  const isDegrees = left >= -180 && right <= 180 && bottom >= -90 && top <= 90;
  const squeeze = isDegrees ? Math.max(0.05, Math.cos((((bottom + top) / 2) * Math.PI) / 180)) : 1;
  const [across, up] = [Math.max((right - left) * squeeze, 1e-9), Math.max(top - bottom, 1e-9)];
  const scale = Math.min((WIDTH - 2 * MARGIN) / across, (MAX_HEIGHT - 2 * MARGIN) / up);
  const place = ([x, y]: Position): Position => [MARGIN + (x - left) * squeeze * scale, MARGIN + (top - y) * scale];
  return {
    width: Math.round(across * scale + 2 * MARGIN),
    height: Math.round(up * scale + 2 * MARGIN),
    lines: shapes.lines.map((line) => pathOf(line.map(place))).join(""),
    points: shapes.points.slice(0, MAX_POINTS).map(place),
  };
}

/** Collects geometries at any depth. Skips everything else. */
function shapesOf(document: unknown): Shapes {
  const shapes: Shapes = { lines: [], points: [] };
  const open: unknown[] = [document];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (typeof one !== "object" || one === null) continue;
    const { type, coordinates, geometry, geometries, features } = one as Readonly<Record<string, unknown>>;
    for (const inner of [features, geometries]) if (Array.isArray(inner)) for (const each of inner) open.push(each ?? false);
    open.push(geometry ?? false);
    if (typeof type === "string") take(type, coordinates, shapes);
  }
  return shapes;
}

function take(type: string, coordinates: unknown, { lines, points }: Shapes): void {
  const depth = { Point: 0, MultiPoint: 1, LineString: 1, MultiLineString: 2, Polygon: 2, MultiPolygon: 3 }[type];
  if (depth === undefined) return;
  let rows: unknown[] = [coordinates];
  const isOfPoints = type.endsWith("Point");
  for (let level = isOfPoints ? 0 : 1; level < depth; level++) rows = rows.flatMap((row) => (Array.isArray(row) ? row : []));
  if (isOfPoints) for (const row of rows) points.push(...positionsOf([row]));
  else for (const row of rows) lines.push(positionsOf(row));
}

function positionsOf(row: unknown): Position[] {
  if (!Array.isArray(row)) return [];
  return row.flatMap((each: unknown): Position[] => {
    const [x, y]: unknown[] = Array.isArray(each) ? each : [];
    return Number.isFinite(x) && Number.isFinite(y) ? [[Number(x), Number(y)]] : [];
  });
}

function boxOf(positions: readonly Position[]) {
  if (positions.length === 0) return undefined;
  const box = { left: Infinity, bottom: Infinity, right: -Infinity, top: -Infinity };
  for (const [x, y] of positions) {
    box.left = Math.min(box.left, x);
    box.right = Math.max(box.right, x);
    box.bottom = Math.min(box.bottom, y);
    box.top = Math.max(box.top, y);
  }
  return box;
}

function pathOf(line: readonly Position[]): string {
  let path = "";
  let last: Position | undefined;
  for (const [index, [x, y]] of line.entries()) {
    const isNear = last !== undefined && Math.hypot(x - last[0], y - last[1]) < MIN_STEP;
    if (isNear && index < line.length - 1) continue;
    path += `${last === undefined ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`;
    last = [x, y];
  }
  return path;
}
