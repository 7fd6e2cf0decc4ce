/** Reduces triangles with meshoptimizer. Vertices are neither moved nor created, so each keeps its other attributes. */
import { MeshoptSimplifier, type SimplifierFlags } from "meshoptimizer/simplifier";
import { invalid } from "../failure.ts";

export type Surface = {
  /** Three numbers per vertex. */
  readonly places: Float32Array;
  /** Vertices of triangles that may be merged with each other: of one material, colour and group. */
  readonly groups: readonly Uint32Array[];
};

/** Returns the groups with about this share of their triangles; the borders between groups stay. */
export async function simplified(
  { places, groups }: Surface,
  share: number,
  keepsBorders = groups.length > 1,
): Promise<readonly Uint32Array[]> {
  assertSound(places, groups);
  if (share >= 1) return groups;
  await MeshoptSimplifier.ready;
  const flags: readonly SimplifierFlags[] = keepsBorders ? ["LockBorder"] : [];
  return groups.map((corners) => fewer(places, corners, share, flags));
}

/** Passes on only the vertices in use, so that a thousand groups cost no more than one. */
function fewer(places: Float32Array, corners: Uint32Array, share: number, flags: readonly SimplifierFlags[]): Uint32Array {
  const wanted = Math.max(1, Math.round((corners.length / 3) * share)) * 3;
  if (wanted >= corners.length) return corners;
  const used: number[] = [];
  const numbers = new Map<number, number>();
  const own = corners.map((corner) => {
    const known = numbers.get(corner);
    if (known !== undefined) return known;
    numbers.set(corner, used.length);
    return used.push(corner) - 1;
  });
  const ownPlaces = new Float32Array(used.length * 3);
  used.forEach((corner, index) => {
    ownPlaces.set(places.subarray(corner * 3, corner * 3 + 3), index * 3);
  });
  const attempt = (more: readonly SimplifierFlags[]) => MeshoptSimplifier.simplify(own, ownPlaces, 3, wanted, 1, [...flags, ...more])[0];
  let made = attempt([]);
  // Vertices that share a position but differ in other attributes are merged only as a last resort.
  if (made.length > wanted * 1.1) {
    const freer = attempt(["Permissive"]);
    if (freer.length < made.length && freer.length > 0) made = freer;
  }
  return made.length === 0 ? corners : made.map((index) => used[index] ?? 0);
}

function assertSound(places: Float32Array, groups: readonly Uint32Array[]): void {
  if (!places.every(Number.isFinite)) throw invalid("The model has vertices without a position.");
  const count = places.length / 3;
  if (groups.some((corners) => corners.some((corner) => corner >= count)))
    throw invalid("The model has faces that refer to missing vertices.");
}

export function trianglesOf(groups: readonly Uint32Array[]): number {
  return groups.reduce((sum, corners) => sum + corners.length / 3, 0);
}
