import type { Hop } from "./engine.ts";

/** Wall-clock bound of a hop in ms: an async one has ten times as long as one that somebody waits for. */
export function hopBoundMs({ async }: Pick<Hop, "async">, inlineMs: number): number {
  return async ? inlineMs * 10 : inlineMs;
}
