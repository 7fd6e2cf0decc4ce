import { useState } from "preact/hooks";
import { call } from "#client/server/api.ts";
import { mergedById } from "./merged.ts";
import { type Interval, useRenewed } from "./use-renewed.ts";

type Page = { readonly nextCursor: string | null };
type Older<Item> = Page & { readonly path: string; readonly items: readonly Item[] };

/** A list that the server answers in pages, newest first. The first page is reloaded as by `useRenewed`. */
export function usePages<P extends Page, Item extends { readonly id: string }>(
  endpoint: string,
  query: Readonly<Record<string, string>>,
  interval: Interval<P>,
  itemsOf: (page: P) => readonly Item[],
) {
  const path = `${endpoint}?${new URLSearchParams(query)}`;
  const { value, error, renew } = useRenewed<P>(path, interval);
  const [last, setLast] = useState<Older<Item> | undefined>();
  const [problem, setProblem] = useState<unknown>();
  // A page of an earlier query may arrive late.
  const older = last?.path === path ? last : undefined;
  const items = mergedById(value === undefined ? [] : itemsOf(value), older?.items ?? []);
  const cursor = (older ?? value)?.nextCursor ?? null;
  return {
    first: value,
    items,
    error: error ?? problem,
    hasMore: cursor !== null,
    async more(): Promise<void> {
      setProblem(undefined);
      try {
        const page = await call<P>(`${path}&${new URLSearchParams({ cursor: cursor ?? "" })}`);
        // Entries may have been added since, so those that they pushed off the first page are kept.
        setLast({ path, items: mergedById(items, itemsOf(page)), nextCursor: page.nextCursor });
      } catch (failure) {
        setProblem(failure);
      }
    },
    /** Call it after a change. Pages after the first are stale then and load again on demand, unless only the entry `removed` is gone. */
    async renew(removed?: string): Promise<void> {
      setLast(removed === undefined || older === undefined ? undefined : { ...older, items: items.filter(({ id }) => id !== removed) });
      await renew();
    },
  };
}
