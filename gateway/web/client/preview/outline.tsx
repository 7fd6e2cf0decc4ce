import { useEffect, useState } from "preact/hooks";
import { t } from "#client/parts/language.tsx";
import { ask } from "./ask.ts";
import { type Drawing, drawingOf } from "./drawing.ts";
import { placesIn } from "./places.ts";

/** Larger files would block the page. */
const MAX_BYTES = 20_000_000;

/** The shapes of a map's features, without a background map, which would have to come from another server. */
export function Outline({ address, name, bytes }: { address: string; name: string; bytes: number }) {
  const [drawing, setDrawing] = useState<Drawing | undefined>();
  useEffect(() => {
    if (bytes > MAX_BYTES) return;
    const stop = new AbortController();
    ask(address, stop.signal)
      .then(async (answer) => drawingOf(placesIn(await answer.text())))
      // Errors are reported by the text view of the same file.
      .then(setDrawing, () => {});
    return () => stop.abort();
  }, [address]);
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
