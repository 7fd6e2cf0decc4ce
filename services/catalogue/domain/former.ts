/** Remembers what could be converted a moment ago. */
import { FilemillError } from "#contract/errors.ts";
import type { Catalogue } from "./catalogue.ts";

/** Longer than a node takes to restart. */
const rememberedMs = 60_000;

/**
 * For a minute after a conversion disappears, the catalogue answers UNAVAILABLE instead of UNSUPPORTED_TARGET or UNSUPPORTED_CONVERSION.
 * While nodes restart, there is nothing wrong with the request.
 */
export function createFormerCatalogues(clock = () => Date.now()): (now: Catalogue) => Catalogue {
  let last: Catalogue | undefined;
  let former: { readonly catalogue: Catalogue; readonly untilMs: number } | undefined;

  return (now) => {
    const isFewer = last !== undefined && now.routeCount < last.routeCount;
    const isRicher = former === undefined || clock() > former.untilMs || (last?.routeCount ?? 0) >= former.catalogue.routeCount;
    if (isFewer && isRicher && last !== undefined) former = { catalogue: last, untilMs: clock() + rememberedMs };
    if (former !== undefined && now.routeCount >= former.catalogue.routeCount) former = undefined;
    last = now;
    const before = former;
    if (before === undefined) return now;

    const excused = <T>(ask: (catalogue: Catalogue) => T): T => {
      try {
        return ask(now);
      } catch (error) {
        if (!isUnsupported(error) || clock() > before.untilMs || !isAnswered(() => ask(before.catalogue))) throw error;
        throw new FilemillError("UNAVAILABLE", "The engine for this conversion is starting again; try again soon.", { retryAfterMs: 5000 });
      }
    };
    return {
      routeCount: now.routeCount,
      list: now.list,
      route: (query) => excused((catalogue) => catalogue.route(query)),
      // That there is no alternative route does not depend on when it is requested.
      plan: (query) => (query.avoid?.length ? now.plan(query) : excused((catalogue) => catalogue.plan(query))),
    };
  };
}

function isUnsupported(error: unknown): boolean {
  return error instanceof FilemillError && (error.code === "UNSUPPORTED_TARGET" || error.code === "UNSUPPORTED_CONVERSION");
}

function isAnswered(ask: () => unknown): boolean {
  try {
    ask();
    return true;
  } catch {
    return false;
  }
}
