import type { Fidelity } from "#client/server/wire.ts";

const meanings: Readonly<Record<Fidelity, readonly [rank: number, label: string, text: string]>> = {
  lossless: [4, "Lossless", "The content stays identical."],
  high: [3, "High fidelity", "Re-encoded with no visible loss."],
  reduced: [2, "Reduced", "Layout, animation, transparency, colours or structure are simplified."],
  extract: [1, "Extract", "Only a part is kept, such as the text, the sound or the first frame."],
};

/** How faithful a route is: bars and a word. */
export function FidelityMark({ value }: { value: Fidelity }) {
  const [rank, label] = meanings[value];
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
      {label}
    </span>
  );
}

export function fidelityText(value: Fidelity): string {
  return meanings[value][2];
}
