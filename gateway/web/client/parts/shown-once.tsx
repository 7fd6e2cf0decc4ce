import type { ComponentChildren } from "preact";
import { CopyButton } from "./copy.tsx";
import { t } from "./language.tsx";
import { Notice } from "./notice.tsx";

/** A secret or a link with its copy button. */
export function Secret({ id, text, isLine = false }: { id: string; text: string; isLine?: boolean }) {
  return (
    <div class={isLine ? "secret secret-line" : "secret"}>
      <code id={id} dir="ltr">
        {text}
      </code>
      <CopyButton text={text} label={t("do.copy")} source={id} />
    </div>
  );
}

type ShownOnceProps = { said: string; onClose(): void; children: ComponentChildren; foot?: ComponentChildren };

/** The content of a dialog for what is shown only once. */
export function ShownOnce({ said, onClose, children, foot }: ShownOnceProps) {
  return (
    <div class="form">
      <Notice tone="plain">{said}</Notice>
      {children}
      <div class="dialog-foot">
        {foot}
        <button type="button" class="button button-primary" onClick={onClose}>
          {t("do.done")}
        </button>
      </div>
    </div>
  );
}
