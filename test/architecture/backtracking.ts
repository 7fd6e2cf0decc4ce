/**
 * Whether a regular expression can take more than linear time: whether there is a text that two of its loops, or one loop in two ways,
 * can divide arbitrarily. This is the criterion of A. Weber and H. Seidl, On the degree of ambiguity of finite automata (1991), with
 * the search for a match start as an additional loop. A loop from which a match is certain is harmless: nothing else is tried then.
 */
import { type PatternGraph, patternGraphOf } from "./pattern-graph.ts";

/** Undefined: linear in the length of the text. */
export type Backtracking = "exponential" | "polynomial" | "look-around without a bound" | undefined;

export function backtrackingOf(source: string, flags: string): Backtracking {
  const graph = patternGraphOf(source, flags);
  if (graph === undefined) return "look-around without a bound";
  const loops = loopsOf(graph);
  if (loops.some((loop) => hasTwoWays(graph, loop))) return "exponential";
  for (const one of loops) {
    for (const other of loops) if (one !== other && shareText(graph, one, other)) return "polynomial";
  }
  return undefined;
}

/** The strongly connected components in which a text can loop, without positions from which a match is certain. */
function loopsOf(graph: PatternGraph): readonly ReadonlySet<number>[] {
  const reach = graph.next.map((_, from) => reachFrom(graph, from, (position) => !graph.isSure[position]));
  const loops: ReadonlySet<number>[] = [];
  for (const from of reach.keys()) {
    if (graph.isSure[from] || !reach[from]?.has(from) || loops.some((loop) => loop.has(from))) continue;
    loops.push(new Set([...(reach[from] ?? [])].filter((position) => reach[position]?.has(from))));
  }
  return loops;
}

/** In at least one step. */
function reachFrom({ next }: PatternGraph, from: number, isAllowed: (position: number) => boolean): ReadonlySet<number> {
  const reached = new Set<number>();
  const waiting = [from];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for (const to of next[at]?.keys() ?? []) {
      if (reached.has(to) || !isAllowed(to)) continue;
      reached.add(to);
      waiting.push(to);
    }
  }
  return reached;
}

/** Whether the same text leads from a position back to itself in two ways. */
function hasTwoWays(graph: PatternGraph, loop: ReadonlySet<number>): boolean {
  const within = [loop, loop];
  for (const at of loop) {
    if ([...(graph.next[at] ?? [])].some(([to, ways]) => ways > 1 && loop.has(to))) return true;
    const apart = walk(graph, [at, at], within).filter(([one, other]) => one !== other);
    if (apart.some((pair) => walk(graph, pair, within).some(([one, other]) => one === at && other === at))) return true;
  }
  return false;
}

/** Whether some text loops in the first loop, leads from there to the second, and loops in that. */
function shareText(graph: PatternGraph, one: ReadonlySet<number>, other: ReadonlySet<number>): boolean {
  const isSearch = [...one].some((position) => graph.search.has(position));
  const [start = 0] = one;
  // A match ends the search, unless all matches are requested.
  const between = reachFrom(graph, start, (position) => isSearch || !graph.isSure[position]);
  if (![...other].some((position) => between.has(position))) return false;
  return [...one].some((from) =>
    [...other].some((to) => walk(graph, [from, from, to], [one, between, other]).some(([a, b, c]) => a === from && b === to && c === to)),
  );
}

/** Everything reachable from several positions at once with the same text, each within its own limits. */
function walk(
  { masks, next }: PatternGraph,
  from: readonly number[],
  within: readonly ReadonlySet<number>[],
): readonly (readonly number[])[] {
  const reached = new Map<string, readonly number[]>();
  const waiting: (readonly number[])[] = [from];
  const step = (places: readonly number[], taken: readonly number[], mask: bigint): void => {
    const index = taken.length;
    if (index === places.length) {
      const key = taken.join();
      if (!reached.has(key)) {
        reached.set(key, taken);
        waiting.push(taken);
      }
      return;
    }
    for (const to of next[places[index] ?? 0]?.keys() ?? []) {
      const shared = mask & (masks[to] ?? 0n);
      if (shared !== 0n && within[index]?.has(to)) step(places, [...taken, to], shared);
    }
  };
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) step(at, [], -1n);
  return [...reached.values()];
}
