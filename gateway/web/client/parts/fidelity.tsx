import { t } from "#client/parts/language.tsx";
import type { Fidelity } from "#client/server/wire.ts";

const ranks: Readonly<Record<Fidelity, number>> = { lossless: 4, high: 3, reduced: 2, extract: 1 };

/** A route's fidelity, as bars and a word. */
export function FidelityMark({ value }: { value: Fidelity }) {
  const rank = ranks[value];
  return (
    <span class={`fidelity fidelity-${value}`}>
      <svg viewBox="0 0 20 12" width="20" height="12" aria-hidden="true">
        {[1, 2, 3, 4].map((bar) => (
          <rect
            key={bar}
            x={(bar - 1) * 5}
            y={12 - bar * 3}
            width="3.5"
            height={bar * 3}
            rx="1"
            class={bar <= rank ? "bar-on" : "bar-off"}
          />
        ))}
      </svg>
      {t(`fidelity.${value}`)}
    </span>
  );
}

export function fidelityText(value: Fidelity): string {
  return t(`fidelity.${value}Text`);
}
