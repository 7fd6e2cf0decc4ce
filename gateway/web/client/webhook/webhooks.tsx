import { useEffect, useState } from "preact/hooks";
import { Icon } from "#client/parts/icons.tsx";
import { linkTo, rich, t } from "#client/parts/language.tsx";
import { Notice } from "#client/parts/notice.tsx";
import { call, messageOf } from "#client/server/api.ts";
import type { Webhook } from "#client/server/wire.ts";
import { CreateWebhook, EditWebhook } from "./edit-webhook.tsx";
import type { Open } from "./open.ts";
import { RemoveWebhook, RenewSecret } from "./secret.tsx";
import { WebhookRow } from "./webhook-row.tsx";

/** The account's webhooks. */
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
        <h2 id="webhooks-title">{t("title.webhooks")}</h2>
        <button type="button" class="button" onClick={() => setOpen({ name: "create" })}>
          <Icon name="plus" />
          {t("do.addWebhook")}
        </button>
      </div>
      {error !== undefined && <Notice tone="bad">{messageOf(error)}</Notice>}
      {webhooks?.length === 0 && <p class="quiet">{rich("text.noWebhooks", { a: linkTo("/docs#webhook-receiver") })}</p>}
      {webhooks !== undefined && webhooks.length > 0 && (
        <ul class="rows" aria-label={t("title.webhooks")}>
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
