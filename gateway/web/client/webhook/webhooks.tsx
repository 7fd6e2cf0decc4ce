import { useEffect, useState } from "preact/hooks";
import { Icon } from "#client/parts/icons.tsx";
import { Notice } from "#client/parts/notice.tsx";
import { call, messageOf } from "#client/server/api.ts";
import type { Webhook } from "#client/server/wire.ts";
import { CreateWebhook, EditWebhook } from "./edit-webhook.tsx";
import type { Open } from "./open.ts";
import { RemoveWebhook, RenewSecret } from "./secret.tsx";
import { WebhookRow } from "./webhook-row.tsx";

/** The servers that are told how the account's jobs end. */
export function Webhooks() {
  const [webhooks, setWebhooks] = useState<readonly Webhook[] | undefined>();
  const [error, setError] = useState<unknown>();
  const [open, setOpen] = useState<Open>();
  const load = async (): Promise<void> => {
    try {
      setWebhooks((await call<{ webhooks: Webhook[] }>("/webhooks")).webhooks);
      setError(undefined);
    } catch (problem) {
      setError(problem);
    }
  };
  useEffect(() => void load(), []);
  const put = (changed: Webhook): void => setWebhooks((all) => all?.map((each) => (each.id === changed.id ? changed : each)));
  const props = { onDone: () => void load(), onClose: () => setOpen(undefined) };
  return (
    <section class="panel" aria-labelledby="webhooks-title">
      <div class="panel-head">
        <h2 id="webhooks-title">Webhooks</h2>
        <button type="button" class="button" onClick={() => setOpen({ name: "create" })}>
          <Icon name="plus" />
          Add webhook
        </button>
      </div>
      {error !== undefined && <Notice tone="bad">{messageOf(error)}</Notice>}
      {webhooks?.length === 0 && (
        <p class="quiet">
          No webhook yet. Add one, and a server of yours is told when a job is done or has failed.{" "}
          <a href="/docs#webhook-receiver">How to receive them</a>
        </p>
      )}
      {webhooks !== undefined && webhooks.length > 0 && (
        <ul class="rows" aria-label="Webhooks">
          {webhooks.map((webhook) => (
            <WebhookRow key={webhook.id} webhook={webhook} onOpen={setOpen} onChange={put} onFail={setError} />
          ))}
        </ul>
      )}
      {open?.name === "create" && <CreateWebhook {...props} />}
      {open?.name === "edit" && <EditWebhook webhook={open.webhook} {...props} />}
      {open?.name === "renew" && <RenewSecret webhook={open.webhook} {...props} />}
      {open?.name === "remove" && <RemoveWebhook webhook={open.webhook} {...props} />}
    </section>
  );
}
