import { useState } from "preact/hooks";
import { Confirm } from "#client/parts/confirm.tsx";
import { Dialog } from "#client/parts/dialog.tsx";
import { Form, useSending } from "#client/parts/form.tsx";
import { linkTo, rich, t } from "#client/parts/language.tsx";
import { Secret, ShownOnce } from "#client/parts/shown-once.tsx";
import { call } from "#client/server/api.ts";
import type { Webhook } from "#client/server/wire.ts";
import { nameOf } from "./open.ts";

type ChangeProps = { webhook: Webhook; onDone(): void; onClose(): void };

/** A secret, which is shown only once. */
export function ShownSecret({ secret, onClose, children }: { secret: string; onClose(): void; children?: string }) {
  return (
    <ShownOnce said={[t("text.secretOnce"), children].join(" ").trim()} onClose={onClose}>
      <Secret id="new-secret" text={secret} />
      <p>{rich("text.secretUse", { a: linkTo("/docs#webhook-receiver") })}</p>
    </ShownOnce>
  );
}

/** One dialog for both steps, because a second one would be closed together with the first. */
export function RenewSecret({ webhook, onDone, onClose }: ChangeProps) {
  const [secret, setSecret] = useState<string | undefined>();
  const sending = useSending();
  const renew = async (): Promise<void> => {
    const made = await call<{ secret: string }>(`/webhooks/${webhook.id}`, { method: "PATCH", body: { rotateSecret: true } });
    setSecret(made.secret);
    onDone();
  };
  if (secret === undefined) {
    return (
      <Dialog title={t("title.renewSecret", { name: nameOf(webhook) })} onClose={onClose} wide>
        <Form sending={sending} onSend={renew}>
          <p>{t("text.renewSecret")}</p>
          <div class="dialog-foot">
            <button type="button" class="button" onClick={onClose}>
              {t("do.keep")}
            </button>
            <button type="submit" class="button button-primary" disabled={sending.busy}>
              {t("do.renewSecret")}
            </button>
          </div>
        </Form>
      </Dialog>
    );
  }
  return (
    <Dialog title={t("title.webhookSecret")} onClose={onClose} wide>
      <ShownSecret secret={secret} onClose={onClose}>
        {t("text.oldSecret")}
      </ShownSecret>
    </Dialog>
  );
}

export function RemoveWebhook({ webhook, onDone, onClose }: ChangeProps) {
  const remove = async (): Promise<void> => {
    await call(`/webhooks/${webhook.id}`, { method: "DELETE" });
    onDone();
    onClose();
  };
  return (
    <Confirm
      title={t("title.deleteWebhook", { name: nameOf(webhook) })}
      action={t("do.deleteWebhook")}
      onConfirm={remove}
      onClose={onClose}
    >
      <p>{rich("text.deleteWebhook", { url: webhook.url })}</p>
    </Confirm>
  );
}
