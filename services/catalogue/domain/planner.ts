/** Finds the best route of every pair: the highest fidelity, then the fewest hops, then the least cost. */
import { type FormatRow, formatOf } from "#formats/index.ts";
import { Fidelity, type Option } from "#gen/filemill/common/v1/format_pb.ts";
import { compareText, type Edge, type Graph, type LaneName, lanesByWeight, worst } from "./graph.ts";
import { type Passage, passages } from "./passages.ts";

export type FoundRoute = {
  readonly from: string;
  readonly to: string;
  /** One to three. */
  readonly hops: readonly Edge[];
  /** The lowest of the hops. */
  readonly fidelity: Fidelity;
  readonly cost: number;
  /** Of any hop. */
  readonly async: boolean;
  /** The smallest of the hops: what comes in between may be larger than the input, but nothing promises it is not. */
  readonly maxInputMb: number;
  /** The heaviest of the hops. */
  readonly lane: LaneName;
};

/** The best route by source and target; both levels in the order of ids. */
export type Routes = ReadonlyMap<string, ReadonlyMap<string, FoundRoute>>;

const passagesFrom = Map.groupBy(passages, (passage) => passage.from);

export function routesOf(graph: Graph): Routes {
  const rows = new Map([...graph].flatMap(([from, edges]) => [from, ...edges.keys()]).map((id) => [id, formatOf(id)]));
  const routes = new Map<string, ReadonlyMap<string, FoundRoute>>();
  for (const from of [...graph.keys()].sort(compareText)) {
    const found = new Map<string, FoundRoute>();
    for (const hops of waysFrom(graph, from, rows)) {
      const route = routeOf(hops);
      const best = found.get(route.to);
      if (best === undefined || isBetter(route, best)) found.set(route.to, route);
    }
    routes.set(from, new Map([...found].sort(([a], [b]) => compareText(a, b))));
  }
  return routes;
}

function* waysFrom(graph: Graph, from: string, rows: ReadonlyMap<string, FormatRow | undefined>): Generator<readonly Edge[]> {
  for (const edge of graph.get(from)?.values() ?? []) yield [edge];
  const kind = rows.get(from)?.kind;
  for (const passage of kind === undefined ? [] : (passagesFrom.get(kind) ?? [])) {
    for (const chain of passage.via) {
      const start = chainOf(graph, from, chain, passage);
      const hub = start?.at(-1)?.to;
      if (start === undefined || hub === undefined) continue;
      for (const last of graph.get(hub)?.values() ?? []) {
        const isTarget = rows.get(last.to)?.kind === passage.to && passage.targets?.has(last.to) !== false;
        if (isTarget && last.to !== from && !chain.includes(last.to)) yield [...start, last];
      }
    }
  }
}

/** The hops from a source through the hubs, when all are there and none loses what the next one needs. */
function chainOf(graph: Graph, from: string, chain: readonly string[], passage: Passage): readonly Edge[] | undefined {
  const hops: Edge[] = [];
  let at = from;
  for (const hub of chain) {
    const edge = hub === from ? undefined : graph.get(at)?.get(hub);
    if (edge === undefined) return undefined;
    if (edge.fidelity === Fidelity.EXTRACT && !(passage.partIsEnough && hops.length === 0)) return undefined;
    hops.push(edge);
    at = hub;
  }
  return hops;
}

function routeOf(hops: readonly Edge[]): FoundRoute {
  const [first] = hops;
  const last = hops.at(-1);
  if (first === undefined || last === undefined) throw new Error("a route has hops");
  return {
    from: first.from,
    to: last.to,
    hops,
    fidelity: hops.map((hop) => hop.fidelity).reduce(worst),
    cost: hops.reduce((sum, hop) => sum + hop.cost, 0),
    async: hops.some((hop) => hop.async),
    maxInputMb: Math.min(...hops.map((hop) => hop.maxInputMb)),
    lane: lanesByWeight.find((lane) => hops.some((hop) => hop.lane === lane)) ?? first.lane,
  };
}

function isBetter(a: FoundRoute, b: FoundRoute): boolean {
  if (a.fidelity !== b.fidelity) return a.fidelity < b.fidelity;
  if (a.hops.length !== b.hops.length) return a.hops.length < b.hops.length;
  if (a.cost !== b.cost) return a.cost < b.cost;
  return compareText(viaOf(a).join(), viaOf(b).join()) < 0;
}

/** The formats between source and target. */
export function viaOf(route: FoundRoute): readonly string[] {
  return route.hops.slice(1).map((hop) => hop.from);
}

/**
 * Which hop gets which option: the last one that declares it, for it shapes the result
 * (`width` of a PDF's page, then of the PNG made of it, is the PNG's). Earlier hops keep their defaults.
 */
export function optionsOf(route: FoundRoute): ReadonlyMap<string, { readonly option: Option; readonly hop: number }> {
  const options = new Map<string, { option: Option; hop: number }>();
  route.hops.forEach((edge, hop) => {
    for (const option of edge.options) {
      options.delete(option.name);
      options.set(option.name, { option, hop });
    }
  });
  return options;
}
