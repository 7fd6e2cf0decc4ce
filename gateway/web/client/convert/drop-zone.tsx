import { useEffect, useRef, useState } from "preact/hooks";
import { canChooseFolders, chooseFolder, takeChosen, takeDropped } from "#client/many/taking.ts";
import { Icon } from "#client/parts/icons.tsx";
import { linkTo, rich, t } from "#client/parts/language.tsx";
import { countText, sizeText } from "#client/parts/words.ts";
import { me, planOf } from "#client/server/session.ts";
import { items } from "./items.ts";

/** The area for dropping or choosing files. Files can also be dropped anywhere on the page, or pasted. */
export function DropZone() {
  const input = useRef<HTMLInputElement>(null);
  const over = useFilesOver();
  const plan = planOf(me.value);
  const small = items.value.length > 0;
  const choose = (): void => {
    const files = input.current?.files;
    if (files != null && files.length > 0) takeChosen(files);
    if (input.current !== null) input.current.value = "";
  };
  return (
    <div class={`drop${over ? " drop-over" : ""}${small ? " drop-small" : ""}`}>
      <span class="drop-mark">
        <Icon name="up" />
      </span>
      <div class="drop-text">
        <p class="drop-title">{t(over ? "drop.over" : small ? "drop.more" : "drop.here")}</p>
        <p class="quiet">
          {plan !== undefined && t("drop.limits", { size: sizeText(plan.maxInputMb * 1e6), hours: countText(plan.retentionHours) })}{" "}
          {me.value !== undefined && me.value.account === null && rich("drop.signIn", { a: linkTo("/automate") })}
        </p>
      </div>
      <div class="drop-buttons">
        <label class={`button file-button${small ? "" : " button-primary"}`}>
          <input ref={input} type="file" multiple onChange={choose} />
          {t(small ? "do.addFiles" : "do.chooseFiles")}
        </label>
        {canChooseFolders() && (
          <button type="button" class="button" onClick={chooseFolder}>
            {t("do.chooseFolder")}
          </button>
        )}
      </div>
    </div>
  );
}

function useFilesOver(): boolean {
  const [over, setOver] = useState(false);
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    // The event for entering a child fires before the one for leaving its parent.
    let depth = 0;
    const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;
    const on = (type: "dragenter" | "dragleave" | "dragover" | "drop", act: (event: DragEvent) => void): void =>
      addEventListener(
        type,
        (event) => {
          if (!hasFiles(event)) return;
          event.preventDefault();
          act(event);
        },
        { signal },
      );
    on("dragenter", () => {
      depth += 1;
      setOver(true);
    });
    on("dragleave", () => {
      depth -= 1;
      if (depth === 0) setOver(false);
    });
    on("dragover", () => {});
    on("drop", (event) => {
      depth = 0;
      setOver(false);
      void takeDropped(event.dataTransfer);
    });
    addEventListener("paste", ({ clipboardData }) => void takeDropped(clipboardData), { signal });
    return () => stop.abort();
  }, []);
  return over;
}
