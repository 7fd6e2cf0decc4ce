/**
 * Finds the best route of every pair: a direct hop unless a longer route measures better; then the highest fidelity, the fewest hops, the
 * lowest cost.
 */
import { type FormatRow, formatOf, losesTransparency } from "#formats/index.ts";
import { Fidelity, type Option } from "#gen/filemill/common/v1/format_pb.ts";
import { compareText, type Edge, type Graph, judgedFidelity, type LaneName, lanesByWeight, worst } from "./graph.ts";
import { type Passage, passages } from "./passages.ts";
import { isMeasuredBetter, type Judge, trusting } from "./proof.ts";

export type FoundRoute = {
  readonly from: string;
  readonly to: string;
  /** One to three. */
  readonly hops: readonly Edge[];
  /** The lowest of its hops. */
  readonly fidelity: Fidelity;
  readonly cost: number;
  /** Whether any hop is async. */
  readonly async: boolean;
  /** The smallest of its hops. Intermediate files may be larger than the input, and nothing guarantees that they are not. */
  readonly maxInputMb: number;
  /** The heaviest of its hops. */
  readonly lane: LaneName;
};

/** The best route by source and target, both sorted by id. */
export type Routes = ReadonlyMap<string, ReadonlyMap<string, FoundRoute>>;

const passagesFrom = Map.groupBy(passages, (passage) => passage.from);

/** A candidate route. The figures that decide are summed once per chain of hubs. */
type Way = { readonly start: readonly Edge[]; readonly last: Edge; readonly fidelity: Fidelity; readonly cost: number };

/** The best route of each pair with a passing proof. */
export function routesOf(graph: Graph, judge: Judge = trusting): Routes {
  const rows = new Map([...graph].flatMap(([from, edges]) => [from, ...edges.keys()]).map((id) => [id, formatOf(id)]));
  const routes = new Map<string, ReadonlyMap<string, FoundRoute>>();
  for (const from of [...graph.keys()].sort(compareText)) {
    const best = new Map<string, Way>();
    for (const [to, [last]] of graph.get(from) ?? []) best.set(to, directWayOf(last));
    for (const way of composedWays(graph, from, rows)) {
      const known = best.get(way.last.to);
      if (known !== undefined && !isBetter(way, known)) continue;
      const word = judge([...way.start, way.last]);
      const fidelity = judgedFidelity(way.fidelity, word);
      if (fidelity === undefined) continue;
      const [direct] = graph.get(from)?.get(way.last.to) ?? [];
      if (direct !== undefined && !isMeasuredBetter(word, judge([direct]))) continue;
      const judged = fidelity === way.fidelity ? way : { ...way, fidelity };
      if (known === undefined || isBetter(judged, known)) best.set(way.last.to, judged);
    }
    const found = [...best.keys()].sort(compareText).flatMap((to) => best.get(to) ?? []);
    routes.set(from, new Map(found.map((way) => [way.last.to, routeOf(way)])));
  }
  return routes;
}

/**
 * Every route between two formats, the best first. It searches a lot to find little, so it is only for the rare case that the best route
 * failed.
 */
export function routesBetween(graph: Graph, from: string, to: string): readonly FoundRoute[] {
  const rows = new Map([...graph].flatMap(([id, edges]) => [id, ...edges.keys()]).map((id) => [id, formatOf(id)]));
  const direct = (graph.get(from)?.get(to) ?? []).map(directWayOf);
  const composed = [...composedWays(graph, from, rows)].filter((way) => way.last.to === to);
  return [...direct, ...composed].sort((a, b) => (isBetter(a, b) ? -1 : isBetter(b, a) ? 1 : 0)).map(routeOf);
}

function directWayOf(last: Edge): Way {
  const fidelity = losesTransparency(last.from, last.to) ? worst(last.fidelity, Fidelity.REDUCED) : last.fidelity;
  return { start: [], last, fidelity, cost: last.cost };
}

function* composedWays(graph: Graph, from: string, rows: ReadonlyMap<string, FormatRow | undefined>): Generator<Way> {
  const kind = rows.get(from)?.kind;
  // What a target cannot hold is lost on every route to it, whatever the hubs are.
  const lossy = new Set([...rows.keys()].filter((to) => losesTransparency(from, to)));
  for (const passage of kind === undefined ? [] : (passagesFrom.get(kind) ?? [])) {
    if (passage.sources?.has(from) === false) continue;
    for (const chain of passage.via) {
      const start = chainOf(graph, from, chain, passage);
      const hub = start?.at(-1)?.to;
      if (start === undefined || hub === undefined) continue;
      const fidelity = start.map((edge) => edge.fidelity).reduce(worst);
      const cost = start.reduce((sum, edge) => sum + edge.cost, 0);
      for (const [to, [last]] of graph.get(hub) ?? []) {
        const isTarget = rows.get(to)?.kind === passage.to && passage.targets?.has(to) !== false;
        if (!isTarget || to === from || chain.includes(to)) continue;
        const kept = worst(fidelity, last.fidelity);
        yield { start, last, fidelity: lossy.has(to) ? worst(kept, Fidelity.REDUCED) : kept, cost: cost + last.cost };
      }
    }
  }
}

/** The hops from a source through the hubs. Undefined if one is missing or loses what the next one needs. */
function chainOf(graph: Graph, from: string, chain: readonly string[], passage: Passage): readonly Edge[] | undefined {
  const hops: Edge[] = [];
  let at = from;
  for (const hub of chain) {
    const edge = hub === from ? undefined : graph.get(at)?.get(hub)?.[0];
    if (edge === undefined) return undefined;
    if (edge.fidelity === Fidelity.EXTRACT && !(passage.partIsEnough && hops.length === 0)) return undefined;
    hops.push(edge);
    at = hub;
  }
  return hops;
}

function routeOf({ start, last, fidelity, cost }: Way): FoundRoute {
  const hops = [...start, last];
  return {
    from: start[0]?.from ?? last.from,
    to: last.to,
    hops,
    fidelity,
    cost,
    async: hops.some((hop) => hop.async),
    maxInputMb: Math.min(...hops.map((hop) => hop.maxInputMb)),
    lane: lanesByWeight.find((lane) => hops.some((hop) => hop.lane === lane)) ?? last.lane,
  };
}

function isBetter(a: Way, b: Way): boolean {
  if (a.fidelity !== b.fidelity) return a.fidelity < b.fidelity;
  if (a.start.length !== b.start.length) return a.start.length < b.start.length;
  if (a.cost !== b.cost) return a.cost < b.cost;
  const hubs = (way: Way) => way.start.map((edge) => edge.to).join();
  return compareText(hubs(a), hubs(b)) < 0;
}

/** The formats between source and target. */
export function viaOf(route: FoundRoute): readonly string[] {
  return route.hops.slice(1).map((hop) => hop.from);
}

/**
 * Assigns each option to the last hop that declares it, because that hop shapes the result: of a PDF page and the PNG made from it, `width`
 * is the PNG's. Earlier hops keep their defaults.
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
