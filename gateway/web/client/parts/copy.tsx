import { useState } from "preact/hooks";
import { t } from "#client/parts/language.tsx";
import { Icon } from "./icons.tsx";

/** Copies text. Without clipboard access (plain HTTP on another host), selects the text so that the reader can copy it. */
export function CopyButton({ text, label, source }: { text: string; label: string; source?: string }) {
  const [state, setState] = useState<"ready" | "copied" | "selected">("ready");
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setState("copied");
    } catch {
      const shown = source === undefined ? null : document.getElementById(source);
      if (shown !== null) getSelection()?.selectAllChildren(shown);
      setState("selected");
    }
    setTimeout(() => setState("ready"), 2500);
  };
  const words = { ready: label, copied: t("do.copied"), selected: t("do.copyByHand") }[state];
  return (
    <button type="button" class="button button-small" onClick={() => void copy()}>
      <Icon name={state === "copied" ? "check" : "copy"} />
      <span aria-live="polite">{words}</span>
    </button>
  );
}
