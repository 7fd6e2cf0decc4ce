/** One target for many files: which targets exist, which files can become them, and why others cannot. */
import type { Item } from "#client/convert/items.ts";
import { popularOf } from "#client/convert/popular.ts";
import type { Format, Route } from "#client/server/wire.ts";

export type Known = {
  routesFrom(from: string): readonly Route[] | undefined;
  formatOf(id: string | undefined): Format | undefined;
};

/** All waiting files, or those of one kind. */
export type Scope = { readonly kind: string | undefined; readonly items: readonly Item[] };

/** All files first, then each kind with at least two files, largest first. Kinds are left out if there is only one. */
export function scopesOf(waiting: readonly Item[], { formatOf }: Known): readonly Scope[] {
  const kinds = [...Map.groupBy(waiting, ({ from }) => formatOf(from)?.kind)]
    .filter(([kind, members]) => kind !== undefined && members.length > 1 && members.length < waiting.length)
    .map(([kind, members]): Scope => ({ kind, items: members }))
    .toSorted((a, b) => b.items.length - a.items.length);
  return [{ kind: undefined, items: waiting }, ...kinds];
}

/** The formats that files can become, with the number of files, most frequent first. A file's own format does not count. */
export function commonTargets(waiting: readonly Item[], { routesFrom }: Known): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [from, { length }] of Map.groupBy(waiting, (item) => item.from ?? "")) {
    for (const { to } of routesFrom(from) ?? []) if (to !== from) counts.set(to, (counts.get(to) ?? 0) + length);
  }
  return new Map([...counts].toSorted(([, a], [, b]) => b - a));
}

/** The everyday targets of these formats. Targets for most files come first, such as PDF for letters and photos. */
export function everydayTargets(waiting: readonly Item[], { routesFrom, formatOf }: Known): readonly string[] {
  const wanted = new Map<string, number>();
  const formats = [...Map.groupBy(waiting, ({ from }) => from ?? "")].toSorted(([, a], [, b]) => b.length - a.length);
  for (const [from, { length }] of formats) {
    for (const { to } of popularOf(routesFrom(from) ?? [], formatOf(from)?.kind ?? "")) wanted.set(to, (wanted.get(to) ?? 0) + length);
  }
  return [...wanted].toSorted(([, a], [, b]) => b - a).map(([to]) => to);
}

/** Why a file cannot become a target. */
export type Reason = "unknown" | "already" | "no-route";
export type Rest = { readonly reason: Reason; readonly from: string | undefined; readonly names: readonly string[] };

export type Shared = { readonly ids: ReadonlySet<string>; readonly rest: readonly Rest[] };

/** Files that can become a target, and the others by reason and format. */
export function shareOut(waiting: readonly Item[], to: string, { routesFrom }: Known): Shared {
  const reasonOf = ({ from }: Item): Reason | undefined => {
    const routes = from === undefined ? undefined : routesFrom(from);
    if (routes === undefined || routes.length === 0) return "unknown";
    if (from === to) return "already";
    return routes.some((route) => route.to === to) ? undefined : "no-route";
  };
  const groups = Map.groupBy(waiting, (item) => {
    const reason = reasonOf(item);
    return reason === undefined ? "" : `${reason} ${reason === "unknown" ? "" : item.from}`;
  });
  const ids = new Set((groups.get("") ?? []).map(({ id }) => id));
  groups.delete("");
  const rest = [...groups.values()].flatMap((members): Rest[] => {
    const [first] = members;
    const reason = first === undefined ? undefined : reasonOf(first);
    return first === undefined || reason === undefined ? [] : [{ reason, from: first.from, names: members.map(({ name }) => name) }];
  });
  return { ids, rest };
}
