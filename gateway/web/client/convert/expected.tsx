import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "#client/parts/language.tsx";
import { Note } from "#client/parts/note.tsx";
import { call } from "#client/server/api.ts";
import type { Route, RouteDetail } from "#client/server/wire.ts";

type Notes = RouteDetail["expectedNotes"];

const known = signal<ReadonlyMap<string, Notes>>(new Map());
const asked = new Set<string>();

/** Asks once; after a failure the next look at the route asks again. */
async function load(key: string): Promise<void> {
  if (asked.has(key)) return;
  asked.add(key);
  try {
    const { route } = await call<{ route: RouteDetail }>(`/routes/${key}`);
    known.value = new Map(known.value).set(key, route.expectedNotes);
  } catch {
    asked.delete(key);
  }
}

/** What a conversion may lose or change, told before it is made. */
export function Expected({ route }: { route: Route }) {
  const key = `${encodeURIComponent(route.from)}/${encodeURIComponent(route.to)}`;
  useEffect(() => void load(key), [key]);
  const notes = known.value.get(key);
  if (notes === undefined || notes.length === 0) return null;
  return (
    <ul class="notes expected" aria-label={t("aria.expected")}>
      {notes.map(({ code, message }) => (
        <li key={code}>
          <Note note={{ code, message }} />
        </li>
      ))}
    </ul>
  );
}
