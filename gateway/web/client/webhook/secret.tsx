import { useState } from "preact/hooks";
import { Confirm } from "#client/parts/confirm.tsx";
import { CopyButton } from "#client/parts/copy.tsx";
import { Dialog } from "#client/parts/dialog.tsx";
import { Form, useSending } from "#client/parts/form.tsx";
import { Notice } from "#client/parts/notice.tsx";
import { call } from "#client/server/api.ts";
import type { Webhook } from "#client/server/wire.ts";
import { nameOf } from "./open.ts";

type ChangeProps = { webhook: Webhook; onDone(): void; onClose(): void };

/** The secret, the one time that it can be shown. */
export function ShownSecret({ secret, onClose, children }: { secret: string; onClose(): void; children?: string }) {
  return (
    <div class="form">
      <Notice tone="plain">Copy it now: it cannot be shown again.{children !== undefined && ` ${children}`}</Notice>
      <div class="secret">
        <code id="new-secret">{secret}</code>
        <CopyButton text={secret} label="Copy secret" source="new-secret" />
      </div>
      <p>
        Give it to your receiver. It verifies <code>webhook-signature</code> of each message with any{" "}
        <a href="/docs#webhook-receiver">Standard Webhooks library</a> before you trust its content.
      </p>
      <div class="dialog-foot">
        <button type="button" class="button button-primary" onClick={onClose}>
          Done
        </button>
      </div>
    </div>
  );
}

/** One dialog for both steps: a second one would be closed with the first. */
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
      <Dialog title={`Renew the secret of ${nameOf(webhook)}?`} onClose={onClose} wide>
        <Form sending={sending} onSend={renew}>
          <p>Messages are signed with both secrets for 24 hours, then only with the new one.</p>
          <div class="dialog-foot">
            <button type="button" class="button" onClick={onClose}>
              Keep it
            </button>
            <button type="submit" class="button button-primary" disabled={sending.busy}>
              Renew secret
            </button>
          </div>
        </Form>
      </Dialog>
    );
  }
  return (
    <Dialog title="The new secret" onClose={onClose} wide>
      <ShownSecret secret={secret} onClose={onClose}>
        The old secret stays valid for 24 hours.
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
    <Confirm title={`Delete ${nameOf(webhook)}?`} action="Delete webhook" onConfirm={remove} onClose={onClose}>
      <p>
        Nothing more is sent to <code>{webhook.url}</code>, also not what waits to be tried again, and the list of its deliveries goes.
      </p>
    </Confirm>
  );
}
