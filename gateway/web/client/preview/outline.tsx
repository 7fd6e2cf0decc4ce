import { t } from "#client/parts/language.tsx";
import { ask } from "./ask.ts";
import { drawingOf } from "./drawing.ts";
import { useLoaded } from "./loaded.tsx";
import { placesIn } from "./places.ts";

/** Larger files would block the page. */
const MAX_BYTES = 20_000_000;

/** The shapes of a map's features, without a background map, which would have to come from another server. */
export function Outline({ address, name, bytes }: { address: string; name: string; bytes: number }) {
  // Errors are reported by the text view of the same file.
  const { value: drawing } = useLoaded(address, async (signal) =>
    bytes > MAX_BYTES ? undefined : drawingOf(placesIn(await (await ask(address, signal)).text())),
  );
  if (drawing === undefined) return null;
  const { width, height, lines, points } = drawing;
  return (
    <svg class="outline" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={t("aria.preview", { name })}>
      <path d={lines} />
      {points.map(([x, y], index) => (
        <circle key={index} cx={x} cy={y} r={3} />
      ))}
    </svg>
  );
}
