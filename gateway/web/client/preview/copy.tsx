import { useState } from "preact/hooks";
import { Icon } from "#client/parts/icons.tsx";
import { t } from "#client/parts/language.tsx";

/** Copies something to the clipboard and confirms that. */
export function Copy({ label, copy }: { label: string; copy(): Promise<void> }) {
  const [state, setState] = useState<"ready" | "copied" | "failed">("ready");
  const act = async (): Promise<void> => {
    try {
      await copy();
      setState("copied");
    } catch {
      setState("failed");
    }
    setTimeout(() => setState("ready"), 2500);
  };
  const words = { ready: label, copied: t("do.copied"), failed: t("text.notCopied") }[state];
  return (
    <button type="button" class="button button-small" onClick={() => void act()}>
      <Icon name={state === "copied" ? "check" : "copy"} />
      <span aria-live="polite">{words}</span>
    </button>
  );
}
