import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "#client/parts/language.tsx";
import { Note } from "#client/parts/note.tsx";
import { call } from "#client/server/api.ts";
import type { Route, RouteDetail } from "#client/server/wire.ts";

type Notes = RouteDetail["expectedNotes"];
type Pair = Pick<Route, "from" | "to">;

const known = signal<ReadonlyMap<string, Notes>>(new Map());
const asked = new Set<string>();

const keyOf = ({ from, to }: Pair): string => `${encodeURIComponent(from)}/${encodeURIComponent(to)}`;

/** The expected notes of a conversion; undefined until `loadExpected` has loaded them. */
export function expectedOf(route: Pair): Notes | undefined {
  return known.value.get(keyOf(route));
}

/** Loads once. After a failure, the next view of the conversion tries again. */
export async function loadExpected(wanted: Pair): Promise<void> {
  const key = keyOf(wanted);
  if (asked.has(key)) return;
  asked.add(key);
  try {
    const { route } = await call<{ route: RouteDetail }>(`/routes/${key}`);
    known.value = new Map(known.value).set(key, route.expectedNotes);
  } catch {
    asked.delete(key);
  }
}

/** What a conversion may lose or change, shown before it starts. */
export function Expected({ route }: { route: Route }) {
  useEffect(() => void loadExpected(route), [route.from, route.to]);
  const notes = expectedOf(route);
  if (notes === undefined || notes.length === 0) return null;
  return (
    <>
      <p class="may-happen">{t("text.mayHappen")}</p>
      <ul class="notes expected" aria-label={t("aria.expected")}>
        {notes.map(({ code, message }) => (
          <li key={code}>
            <Note note={{ code, message }} />
          </li>
        ))}
      </ul>
    </>
  );
}
