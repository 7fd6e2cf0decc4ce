/** When a job's result is several files, packed into one. */
import type { HopOptions } from "./options.ts";
import type { FoundRoute } from "./planner.ts";

/** What `pages=…`, `sheets=…` or `tracks=…` asks for. */
const archive = "zip";

/** The format of the result where it is not the target; else empty. */
export function resultFormatOf(route: FoundRoute, options: readonly HopOptions[]): string {
  const isSplit = route.hops.some(({ part }, hop) => part !== "" && options[hop]?.[`${part}s`] !== undefined);
  return isSplit ? archive : "";
}
