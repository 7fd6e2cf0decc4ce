/** When a job's result is several files, packed into one. */
import { FilemillError } from "#contract/errors.ts";
import type { HopOptions } from "./options.ts";
import type { FoundRoute } from "./planner.ts";

/** What `pages=…`, `sheets=…` or `tracks=…` asks for. */
const archive = "zip";

/**
 * The format of the result where it is not the target; else empty.
 *
 * @throws FilemillError INVALID_OPTION when one and several are asked for.
 */
export function resultFormatOf(route: FoundRoute, options: readonly HopOptions[]): string {
  for (const [hop, { part }] of route.hops.entries()) {
    const [one, many] = [part, `${part}s`];
    const given = options[hop] ?? {};
    if (part === "" || given[many] === undefined) continue;
    if (given[one] === undefined) return archive;
    throw new FilemillError("INVALID_OPTION", `Give ${one} or ${many}, not both.`, { details: { option: many, allowed: [] } });
  }
  return "";
}
