import type { Hop } from "./engine.ts";

/** Wall-clock bound of a hop in ms: an async or a long one has ten times as long as one that somebody waits for. */
export function hopBoundMs({ async, isLong }: Pick<Hop, "async" | "isLong">, inlineMs: number): number {
  return async || isLong === true ? inlineMs * 10 : inlineMs;
}
