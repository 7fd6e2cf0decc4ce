import { useId, useState } from "preact/hooks";
import { Icon } from "#client/parts/icons.tsx";
import { listText, t, textOf } from "#client/parts/language.tsx";
import { call } from "#client/server/api.ts";
import type { Webhook } from "#client/server/wire.ts";
import { Deliveries } from "./deliveries.tsx";
import { nameOf, type Open } from "./open.ts";

type RowProps = { webhook: Webhook; onOpen(open: Open): void; onChange(webhook: Webhook): void; onFail(error: unknown): void };

export function WebhookRow({ webhook, onOpen, onChange, onFail }: RowProps) {
  const [shown, setShown] = useState(false);
  const listId = useId();
  const name = nameOf(webhook);
  const acts = [
    { name: "edit", icon: "pen", label: t("aria.change", { name }) },
    { name: "renew", icon: "key", label: t("aria.renewSecret", { name }) },
    { name: "remove", icon: "trash", label: t("aria.delete", { name }) },
  ] as const;
  return (
    <li class="row webhook-row">
      <div class="row-main">
        <p class="row-title">
          <span class="row-name">{name}</span>
          <span class={`state state-${webhook.state}`}>{textOf(`state.${webhook.state}`) ?? webhook.state}</span>
        </p>
        <p class="quiet">
          <code>{webhook.url}</code> · {listText(webhook.events)}
        </p>
        {webhook.state === "gone" && <p class="quiet">{t("text.receiverGone")}</p>}
      </div>
      <div class="row-actions">
        <EnabledSwitch webhook={webhook} onChange={onChange} onFail={onFail} />
        {acts.map(({ name: act, icon, label }) => (
          <button
            key={act}
            type="button"
            class="icon-button"
            aria-label={label}
            title={label}
            onClick={() => onOpen({ name: act, webhook })}
          >
            <Icon name={icon} />
          </button>
        ))}
      </div>
      <button
        type="button"
        class="link-button deliveries-button"
        aria-expanded={shown}
        aria-controls={listId}
        aria-label={t("aria.deliveriesOf", { name })}
        onClick={() => setShown(!shown)}
      >
        {t("label.deliveries")}
        <Icon name="chevron" />
      </button>
      <div id={listId} class="deliveries" hidden={!shown}>
        {shown && <Deliveries webhook={webhook} />}
      </div>
    </li>
  );
}

function EnabledSwitch({ webhook, onChange, onFail }: Omit<RowProps, "onOpen">) {
  const [busy, setBusy] = useState(false);
  const isOn = webhook.state === "enabled";
  const turn = async (): Promise<void> => {
    setBusy(true);
    try {
      onChange((await call<{ webhook: Webhook }>(`/webhooks/${webhook.id}`, { method: "PATCH", body: { enabled: !isOn } })).webhook);
    } catch (error) {
      onFail(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <input
      type="checkbox"
      role="switch"
      class="switch"
      aria-label={t("aria.enable", { name: nameOf(webhook) })}
      checked={isOn}
      aria-checked={isOn}
      disabled={busy}
      onChange={() => void turn()}
    />
  );
}
