import type { ComponentChildren } from "preact";
import { t } from "#client/parts/language.tsx";
import { Icon } from "./icons.tsx";

/** A message that screen readers announce when it appears. */
export function Notice({ tone, children }: { tone: "bad" | "good" | "plain"; children: ComponentChildren }) {
  return (
    <div class={`notice notice-${tone}`} role={tone === "bad" ? "alert" : "status"}>
      <Icon name={tone === "bad" ? "warn" : tone === "good" ? "check" : "info"} />
      <div>{children}</div>
    </div>
  );
}

/** In place of what is being loaded. */
export function Waiting() {
  return <div class="panel panel-waiting" role="status" aria-label={t("text.loading")} />;
}
