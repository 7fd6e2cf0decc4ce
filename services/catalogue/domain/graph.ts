/** The live hops of all nodes, one per engine and pair. */

import { formatOf } from "#formats/index.ts";
import type { ExpectedNote, Manifest } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import { Fidelity, type Option } from "#gen/filemill/common/v1/format_pb.ts";
import { createOptionPool, type OptionPool } from "./option-pool.ts";
import { type Judge, trusting } from "./proof.ts";

/** Heaviest first: a job whose hops belong to several lanes uses the heaviest. */
export const lanesByWeight = ["media", "office", "document", "image"] as const;
export type LaneName = (typeof lanesByWeight)[number];

/** One engine's hop from one format to another. */
export type Edge = {
  readonly engine: string;
  /** Display name of the engine. */
  readonly label: string;
  /** Every announced version, sorted. */
  readonly versions: readonly string[];
  readonly from: string;
  readonly to: string;
  readonly lane: LaneName;
  readonly fidelity: Fidelity;
  readonly cost: number;
  readonly async: boolean;
  readonly maxInputMb: number;
  /** Equal options are the same objects on every edge of a graph. */
  readonly options: readonly Option[];
  /** Of what the source may have several and the target holds only one, for example pages; empty: not applicable. */
  readonly part: string;
  /** Notes that a run can raise. */
  readonly expectedNotes: readonly ExpectedNote[];
};

/** The edges by source and target, the best of each pair first. */
export type Graph = ReadonlyMap<string, ReadonlyMap<string, readonly [Edge, ...Edge[]]>>;

/**
 * Nodes that announce the same engine are merged, so that a route's promises hold on whichever node takes the job. Hops without a passing
 * proof are left out. The others get their declared or their measured fidelity, whichever is worse.
 */
export function graphOf(manifests: readonly Manifest[], judge: Judge = trusting): Graph {
  const merged = new Map<string, Edge>();
  const pool = createOptionPool();
  for (const manifest of manifests.toSorted((a, b) => compareText(a.node, b.node))) {
    for (const edge of edgesOf(manifest, pool)) {
      const key = `${edge.engine} ${edge.from} ${edge.to}`;
      const known = merged.get(key);
      merged.set(key, known === undefined ? edge : sharedEdge(known, edge));
    }
  }
  const graph = new Map<string, Map<string, [Edge, ...Edge[]]>>();
  const judged = [...merged.values()].flatMap((edge) => {
    const fidelity = judgedFidelity(edge.fidelity, judge([edge]));
    return fidelity === undefined ? [] : [{ ...edge, fidelity }];
  });
  for (const edge of judged.sort(compareEdges)) {
    const targets = graph.get(edge.from) ?? new Map<string, [Edge, ...Edge[]]>();
    graph.set(edge.from, targets);
    const known = targets.get(edge.to);
    if (known === undefined) targets.set(edge.to, [edge]);
    else known.push(edge);
  }
  return graph;
}

/** The graph without some of its edges. */
export function graphWithout(graph: Graph, isLeftOut: (edge: Edge) => boolean): Graph {
  const rest = new Map<string, Map<string, [Edge, ...Edge[]]>>();
  for (const [from, targets] of graph) {
    const kept = new Map<string, [Edge, ...Edge[]]>();
    for (const [to, edges] of targets) {
      const [first, ...others] = edges.filter((edge) => !isLeftOut(edge));
      if (first !== undefined) kept.set(to, [first, ...others]);
    }
    rest.set(from, kept);
  }
  return rest;
}

/** Leaves out hops between formats that this build does not know, and engines on an unknown lane. */
function* edgesOf(manifest: Manifest, pool: OptionPool): Generator<Edge> {
  for (const engine of manifest.engines) {
    const lane = lanesByWeight.find((name) => name === engine.lane);
    if (lane === undefined) continue;
    const { id, label, version } = engine;
    const notesAt = (places: readonly number[]) => places.flatMap((place) => engine.expectedNotes[place] ?? []);
    for (const { from, to, fidelity, cost, async, maxInputMb, options, part, expectedNotes } of engine.hops) {
      if (formatOf(from) === undefined || formatOf(to) === undefined || !isKnown(fidelity)) continue;
      const declared = {
        from,
        to,
        fidelity,
        cost,
        async,
        maxInputMb,
        part,
        expectedNotes: notesAt(expectedNotes),
        options: pool.shared(options),
      };
      yield { engine: id, label, versions: [version], lane, ...declared };
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
    versions: [...new Set([...a.versions, ...b.versions])].sort(compareText),
    fidelity: worst(a.fidelity, b.fidelity),
    cost: Math.max(a.cost, b.cost),
    async: a.async || b.async,
    maxInputMb: Math.min(a.maxInputMb, b.maxInputMb),
    options: a.options.filter((option) => names.has(option.name)),
    expectedNotes: [...a.expectedNotes, ...b.expectedNotes],
  };
}

const measured = { lossless: Fidelity.LOSSLESS, high: Fidelity.HIGH, reduced: Fidelity.REDUCED };

/** The worse of the two: a sample shows what is lost, but not that nothing else is. Undefined: not proven. */
export function judgedFidelity(declared: Fidelity, word: ReturnType<Judge>): Fidelity | undefined {
  if (word === "failed") return undefined;
  return word === "declared" ? declared : worst(declared, measured[word]);
}

/** Fidelities are numbered from lossless upwards. */
export function worst(a: Fidelity, b: Fidelity): Fidelity {
  return a > b ? a : b;
}

function compareEdges(a: Edge, b: Edge): number {
  return (
    compareText(a.from, b.from) || compareText(a.to, b.to) || a.fidelity - b.fidelity || a.cost - b.cost || compareText(a.engine, b.engine)
  );
}

/** Compares code units, so the order is the same on every host. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
