import type { VNode } from "preact";
import { useRef } from "preact/hooks";
import { ItemCard } from "#client/convert/item-card.tsx";
import { type Item, items } from "#client/convert/items.ts";
import { t } from "#client/parts/language.tsx";

/** Up to this many files are shown as full cards; more are shown as lines that open. */
const FEW = 4;

type Drawn = { readonly item: Item; readonly place: number; readonly count: number; readonly card: VNode };

/** The file list. Re-renders a card only if its own file changed. */
export function FileList() {
  const drawn = useRef<ReadonlyMap<string, Drawn>>(new Map());
  const all = items.value;
  const count = all.length;
  const now = new Map<string, Drawn>();
  for (const [place, item] of all.entries()) {
    const before = drawn.current.get(item.id);
    const isSame = before?.item === item && before.place === place && before.count === count;
    now.set(
      item.id,
      isSame
        ? before
        : { item, place, count, card: <ItemCard key={item.id} item={item} place={place} count={count} isLine={count > FEW} /> },
    );
  }
  drawn.current = now;
  return (
    <ul class={`items${count > FEW ? " items-lines" : ""}`} aria-label={t("aria.files")}>
      {[...now.values()].map(({ card }) => card)}
    </ul>
  );
}
