import type { Hop } from "./engine.ts";

/** Wall-clock limit of a hop in ms. An async or long hop gets ten times as much as one that a client waits for. */
export function hopBoundMs({ async = false, isLong }: Pick<Hop, "async" | "isLong">, inlineMs: number): number {
  return async || isLong === true ? inlineMs * 10 : inlineMs;
}
