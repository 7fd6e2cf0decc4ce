/** The live hops of every node, one per engine and pair, and the best of each pair. */

import { formatOf } from "#formats/index.ts";
import type { Manifest } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import { Fidelity, type Option } from "#gen/filemill/common/v1/format_pb.ts";

/** Heaviest first: a job with hops of several lanes rides in the heaviest. */
export const lanesByWeight = ["media", "office", "document", "image"] as const;
export type LaneName = (typeof lanesByWeight)[number];

/** One engine's way from one format to another. */
export type Edge = {
  readonly engine: string;
  readonly from: string;
  readonly to: string;
  readonly lane: LaneName;
  readonly fidelity: Fidelity;
  readonly cost: number;
  readonly async: boolean;
  readonly maxInputMb: number;
  readonly options: readonly Option[];
};

/** The best edge by source and target. */
export type Graph = ReadonlyMap<string, ReadonlyMap<string, Edge>>;

/** Nodes that announce the same engine are merged: what a route promises holds on whichever of them takes the job. */
export function graphOf(manifests: readonly Manifest[]): Graph {
  const merged = new Map<string, Edge>();
  for (const manifest of manifests.toSorted((a, b) => compareText(a.node, b.node))) {
    for (const edge of edgesOf(manifest)) {
      const key = `${edge.engine} ${edge.from} ${edge.to}`;
      const known = merged.get(key);
      merged.set(key, known === undefined ? edge : sharedEdge(known, edge));
    }
  }
  const graph = new Map<string, Map<string, Edge>>();
  for (const edge of [...merged.values()].sort(compareEdges)) {
    const targets = graph.get(edge.from) ?? new Map<string, Edge>();
    graph.set(edge.from, targets);
    const best = targets.get(edge.to);
    if (best === undefined || isBetterEdge(edge, best)) targets.set(edge.to, edge);
  }
  return graph;
}

/** Hops between formats that this build has no row for are left out, as is an engine on a lane it does not know. */
function* edgesOf(manifest: Manifest): Generator<Edge> {
  for (const engine of manifest.engines) {
    const lane = lanesByWeight.find((name) => name === engine.lane);
    if (lane === undefined) continue;
    for (const { from, to, fidelity, cost, async, maxInputMb, options } of engine.hops) {
      if (formatOf(from) === undefined || formatOf(to) === undefined || !isKnown(fidelity)) continue;
      yield { engine: engine.id, lane, from, to, fidelity, cost, async, maxInputMb, options };
    }
  }
}

function isKnown(fidelity: Fidelity): boolean {
  return fidelity >= Fidelity.LOSSLESS && fidelity <= Fidelity.EXTRACT;
}

function sharedEdge(a: Edge, b: Edge): Edge {
  const names = new Set(b.options.map((option) => option.name));
  return {
    ...a,
    fidelity: worst(a.fidelity, b.fidelity),
    cost: Math.max(a.cost, b.cost),
    async: a.async || b.async,
    maxInputMb: Math.min(a.maxInputMb, b.maxInputMb),
    options: a.options.filter((option) => names.has(option.name)),
  };
}

/** Fidelities are numbered from lossless up. */
export function worst(a: Fidelity, b: Fidelity): Fidelity {
  return a > b ? a : b;
}

function isBetterEdge(a: Edge, b: Edge): boolean {
  return a.fidelity !== b.fidelity ? a.fidelity < b.fidelity : a.cost < b.cost;
}

function compareEdges(a: Edge, b: Edge): number {
  return compareText(a.from, b.from) || compareText(a.to, b.to) || compareText(a.engine, b.engine);
}

/** By code unit, the same on every host. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
