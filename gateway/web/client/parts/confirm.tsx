import type { ComponentChildren } from "preact";
import { t } from "#client/parts/language.tsx";
import { Dialog } from "./dialog.tsx";
import { Form, useSending } from "./form.tsx";

type ConfirmProps = {
  title: string;
  action: string;
  onConfirm(fields: Readonly<Record<string, string>>): Promise<void>;
  onClose(): void;
  children: ComponentChildren;
};

/** Asks for confirmation before an action that cannot be undone. */
export function Confirm({ title, action, onConfirm, onClose, children }: ConfirmProps) {
  const sending = useSending();
  return (
    <Dialog title={title} onClose={onClose}>
      <Form sending={sending} onSend={onConfirm}>
        {children}
        <div class="dialog-foot">
          <button type="button" class="button" onClick={onClose}>
            {t("do.keep")}
          </button>
          <button type="submit" class="button button-danger" disabled={sending.busy}>
            {action}
          </button>
        </div>
      </Form>
    </Dialog>
  );
}
