import { useId, useState } from "preact/hooks";
import { Icon } from "#client/parts/icons.tsx";
import { call } from "#client/server/api.ts";
import type { Webhook } from "#client/server/wire.ts";
import { Deliveries } from "./deliveries.tsx";
import { nameOf, type Open } from "./open.ts";

type RowProps = { webhook: Webhook; onOpen(open: Open): void; onChange(webhook: Webhook): void; onFail(error: unknown): void };

export function WebhookRow({ webhook, onOpen, onChange, onFail }: RowProps) {
  const [shown, setShown] = useState(false);
  const [busy, setBusy] = useState(false);
  const listId = useId();
  const name = nameOf(webhook);
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
  const acts = [
    { name: "edit", icon: "pen", label: `Change ${name}` },
    { name: "renew", icon: "key", label: `Renew the secret of ${name}` },
    { name: "remove", icon: "trash", label: `Delete ${name}` },
  ] as const;
  return (
    <li class="row webhook-row">
      <div class="row-main">
        <p class="row-title">
          <span class="row-name">{name}</span>
          <span class={`state state-${webhook.state}`}>{webhook.state}</span>
        </p>
        <p class="quiet">
          <code>{webhook.url}</code> · {webhook.events.join(" and ")}
        </p>
        {webhook.state === "gone" && <p class="quiet">The receiver answered 410, so nothing is sent to it until you enable it again.</p>}
      </div>
      <div class="row-actions">
        <input
          type="checkbox"
          role="switch"
          class="switch"
          aria-label={`Enable ${name}`}
          checked={isOn}
          aria-checked={isOn}
          disabled={busy}
          onChange={() => void turn()}
        />
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
        aria-label={`Deliveries of ${name}`}
        onClick={() => setShown(!shown)}
      >
        Deliveries
        <Icon name="chevron" />
      </button>
      <div id={listId} class="deliveries" hidden={!shown}>
        {shown && <Deliveries webhook={webhook} />}
      </div>
    </li>
  );
}
