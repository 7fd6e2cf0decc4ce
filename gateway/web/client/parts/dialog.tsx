import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { t } from "#client/parts/language.tsx";
import { IconButton } from "./icon-button.tsx";

type DialogProps = { title: string; onClose(): void; children: ComponentChildren; wide?: boolean };

/** A modal dialog, open while it is rendered. Escape, the button and a click outside close it, and the focus returns to where it was. */
export function Dialog({ title, onClose, children, wide = false }: DialogProps) {
  const box = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  // The browser fires `close` a moment later. It must be ignored if this dialog was replaced by another one.
  useEffect(() => {
    const before = document.activeElement;
    const dialog = box.current;
    dialog?.showModal();
    const beside = (event: MouseEvent): void => {
      if (event.target === dialog) dialog?.close();
    };
    dialog?.addEventListener("click", beside);
    return () => {
      dialog?.removeEventListener("click", beside);
      dialog?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={box}
      class={wide ? "dialog dialog-wide" : "dialog"}
      aria-labelledby={titleId}
      onClose={() => box.current !== null && onClose()}
    >
      <div class="dialog-body">
        <header class="dialog-head">
          <h2 id={titleId}>{title}</h2>
          <IconButton icon="close" label={t("do.close")} onClick={() => box.current?.close()} />
        </header>
        {children}
      </div>
    </dialog>
  );
}
