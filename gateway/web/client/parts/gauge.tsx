import { t } from "./language.tsx";
import { countText } from "./words.ts";

type GaugeFacts = { label: string; used: number; of: number; text?: (amount: number) => string };

/** Usage of a limited resource. */
export function Gauge({ label, used, of, text = countText }: GaugeFacts) {
  const value = t("label.usedOf", { used: text(used), limit: text(of) });
  return (
    <div class="gauge">
      <p>
        <span>{label}</span>
        <span class="quiet">{value}</span>
      </p>
      <meter min={0} max={of} value={used} aria-label={t("aria.pair", { name: label, value })} />
    </div>
  );
}
