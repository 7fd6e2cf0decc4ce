/** Draws triangles into pixels on the CPU. WebGL is not available in every browser. */
import { type Mesh, STEP } from "./mesh.ts";
import type { Steps } from "./steps.ts";

/** Angles in radians: around the vertical axis, and towards the viewer. */
export type Turn = { readonly yaw: number; readonly tilt: number };
export type Size = { readonly width: number; readonly height: number };
export type Raster = Size & { readonly data: Uint8ClampedArray };

/** The centre of a model, and the radius of a sphere that contains it in any orientation. */
export type Reach = { readonly middle: readonly [number, number, number]; readonly radius: number };

const SHARE_FILLED = 0.92;
/** Direction of the light, from over the left shoulder. Faces turned away from it are not black. */
const light = [-0.4, 0.6, 0.69] as const;
const DIMMEST = 0.35;
/** Keeps the time for one image at a few tenths of a second. */
const MAX_PIXELS = 60_000_000;
const coarsenesses = [1, 2, 4, 8] as const;
const PIXELS_A_STEP = 50_000;

export function reachOf({ places }: Mesh): Reach {
  const least = [Infinity, Infinity, Infinity];
  const most = [-Infinity, -Infinity, -Infinity];
  for (let n = 0; n < places.length; n++) {
    least[n % 3] = Math.min(least[n % 3] ?? 0, places[n] ?? 0);
    most[n % 3] = Math.max(most[n % 3] ?? 0, places[n] ?? 0);
  }
  const at = (axis: number): number => ((least[axis] ?? 0) + (most[axis] ?? 0)) / 2;
  const middle = [at(0), at(1), at(2)] as const;
  return { middle, radius: Math.hypot(...middle.map((value, axis) => (most[axis] ?? 0) - value)) || 1 };
}

/**
 * Draws the nearest triangle at each pixel; other pixels stay transparent. If overlapping triangles would take too long at this size, draws
 * at a lower resolution. Throws if even that is too slow.
 */
export function* drawMesh<Made extends Raster>(mesh: Mesh, reach: Reach, turn: Turn, size: Size, make: (size: Size) => Made): Steps<Made> {
  const { seen, pixels } = yield* projected(mesh, reach, turn, size);
  const coarseness = coarsenesses.find((each) => pixels / each ** 2 <= MAX_PIXELS);
  if (coarseness === undefined) throw new RangeError("more than is drawn here");
  const raster = make({ width: Math.ceil(size.width / coarseness), height: Math.ceil(size.height / coarseness) });
  const depths = new Float32Array(raster.width * raster.height).fill(-Infinity);
  const triangle = new Float64Array(9);
  let gone = 0;
  for (let at = 0; at < seen.length; at += 9) {
    for (let part = 0; part < 9; part++) triangle[part] = (seen[at + part] ?? 0) / coarseness;
    gone += 50 + fill(triangle, mesh.colours, at / 3, raster, depths);
    if (gone < PIXELS_A_STEP) continue;
    gone = 0;
    yield;
  }
  return raster;
}

/** Projects the corners, and counts the pixels that drawing all triangles would test. */
function* projected(
  { places }: Mesh,
  { middle, radius }: Reach,
  { yaw, tilt }: Turn,
  size: Size,
): Steps<{ seen: Float32Array; pixels: number }> {
  const { width, height } = size;
  const scale = ((Math.min(width, height) / 2) * SHARE_FILLED) / radius;
  const [sy, cy, st, ct] = [Math.sin(yaw), Math.cos(yaw), Math.sin(tilt), Math.cos(tilt)];
  const seen = new Float32Array(places.length);
  let pixels = 0;
  for (let at = 0; at < places.length; at += 9) {
    for (let corner = at; corner < at + 9; corner += 3) {
      const x = (places[corner] ?? 0) - middle[0];
      const y = (places[corner + 1] ?? 0) - middle[1];
      const z = (places[corner + 2] ?? 0) - middle[2];
      const near = cy * z - sy * x;
      seen[corner] = width / 2 + (cy * x + sy * z) * scale;
      seen[corner + 1] = height / 2 - (ct * y - st * near) * scale;
      seen[corner + 2] = (st * y + ct * near) * scale;
    }
    const { left, right, top, bottom } = boundsOf(seen.subarray(at, at + 9), size);
    pixels += Math.max(0, right - left) * Math.max(0, bottom - top);
    if (at % (9 * STEP) === 0) yield;
  }
  return { seen, pixels };
}

function boundsOf([ax = 0, ay = 0, , bx = 0, by = 0, , cx = 0, cy = 0]: Float32Array | Float64Array, { width, height }: Size) {
  return {
    left: Math.max(0, Math.floor(Math.min(ax, bx, cx))),
    right: Math.min(width - 1, Math.ceil(Math.max(ax, bx, cx))),
    top: Math.max(0, Math.floor(Math.min(ay, by, cy))),
    bottom: Math.min(height - 1, Math.ceil(Math.max(ay, by, cy))),
  };
}

/** @returns The number of tested pixels. */
function fill(seen: Float64Array, colours: readonly number[], colour: number, raster: Raster, depths: Float32Array): number {
  const { width, data } = raster;
  const [ax = 0, ay = 0, az = 0, bx = 0, by = 0, bz = 0, cx = 0, cy = 0, cz = 0] = seen;
  const area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
  if (area === 0) return 0;
  const shade = shadeOf(seen);
  const { left, right, top, bottom } = boundsOf(seen, raster);
  for (let y = top; y <= bottom; y++) {
    for (let x = left; x <= right; x++) {
      // Barycentric coordinates: none is negative inside the triangle.
      const ofB = ((x - ax) * (cy - ay) - (y - ay) * (cx - ax)) / area;
      const ofC = ((bx - ax) * (y - ay) - (by - ay) * (x - ax)) / area;
      if (ofB < 0 || ofC < 0 || ofB + ofC > 1) continue;
      const depth = az + ofB * (bz - az) + ofC * (cz - az);
      const pixel = y * width + x;
      if (depth <= (depths[pixel] ?? 0)) continue;
      depths[pixel] = depth;
      for (let part = 0; part < 3; part++) data[pixel * 4 + part] = (colours[colour + part] ?? 0) * shade * 255;
      data[pixel * 4 + 3] = 255;
    }
  }
  return Math.max(0, right - left) * Math.max(0, bottom - top);
}

/** Lights both sides, because many files do not define which one is outside. */
function shadeOf([ax = 0, ay = 0, az = 0, bx = 0, by = 0, bz = 0, cx = 0, cy = 0, cz = 0]: Float64Array): number {
  const [ux, uy, uz, vx, vy, vz] = [bx - ax, ay - by, bz - az, cx - ax, ay - cy, cz - az];
  const normal = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx] as const;
  const length = Math.hypot(...normal) || 1;
  // The normal of the visible side points towards the viewer.
  const side = normal[2] < 0 ? -1 : 1;
  const lit = (side * (normal[0] * light[0] + normal[1] * light[1] + normal[2] * light[2])) / length;
  return DIMMEST + (1 - DIMMEST) * Math.max(0, lit);
}
