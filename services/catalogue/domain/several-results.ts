/** Detects jobs whose result is several files, packed into one. */
import { invalidOption } from "#contract/errors.ts";
import type { HopOptions } from "./options.ts";
import type { FoundRoute } from "./planner.ts";

/** The result format for `pages=…`, `sheets=…` or `tracks=…`. */
const archive = "zip";

/**
 * The format of the result if it differs from the target; otherwise empty.
 *
 * @throws FilemillError INVALID_OPTION if both one part and several are requested.
 */
export function resultFormatOf(route: FoundRoute, options: readonly HopOptions[]): string {
  for (const [hop, { part }] of route.hops.entries()) {
    const [one, many] = [part, `${part}s`];
    const given = options[hop] ?? {};
    if (part === "" || given[many] === undefined) continue;
    if (given[one] === undefined) return archive;
    throw invalidOption(many, `Give ${one} or ${many}, not both.`, []);
  }
  return "";
}
