import { useState } from "preact/hooks";
import { t } from "#client/parts/language.tsx";
import { Icon } from "./icons.tsx";

/** Copies text. Without clipboard access (plain HTTP on another host), selects the text so that the reader can copy it. */
export function CopyButton({ text, label, source }: { text: string; label: string; source?: string }) {
  const select = (): void => {
    const shown = source === undefined ? null : document.getElementById(source);
    if (shown !== null) getSelection()?.selectAllChildren(shown);
  };
  return <Copy label={label} copy={() => navigator.clipboard.writeText(text)} failed={t("do.copyByHand")} onFail={select} />;
}

type CopyProps = { label: string; copy(): Promise<void>; failed?: string; onFail?(): void };

/** Copies something to the clipboard and confirms that. `failed` says what to do otherwise. */
export function Copy({ label, copy, failed = t("text.notCopied"), onFail }: CopyProps) {
  const [state, setState] = useState<"ready" | "copied" | "failed">("ready");
  const act = async (): Promise<void> => {
    try {
      await copy();
      setState("copied");
    } catch {
      onFail?.();
      setState("failed");
    }
    setTimeout(() => setState("ready"), 2500);
  };
  const words = { ready: label, copied: t("do.copied"), failed }[state];
  return (
    <button type="button" class="button button-small" onClick={() => void act()}>
      <Icon name={state === "copied" ? "check" : "copy"} />
      <span aria-live="polite">{words}</span>
    </button>
  );
}
