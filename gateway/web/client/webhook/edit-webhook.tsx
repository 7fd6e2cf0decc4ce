import { useState } from "preact/hooks";
import { Dialog } from "#client/parts/dialog.tsx";
import { Field, Form, problemWith, useSending } from "#client/parts/form.tsx";
import { t } from "#client/parts/language.tsx";
import { call } from "#client/server/api.ts";
import type { Webhook } from "#client/server/wire.ts";
import { ShownSecret } from "./secret.tsx";

const events = [
  ["job.done", "label.jobDone"],
  ["job.failed", "label.jobFailed"],
] as const;

type Wish = { readonly url: string; readonly description: string; readonly events: readonly string[] };

/** Creates a webhook and shows its secret. */
export function CreateWebhook({ onDone, onClose }: { onDone(): void; onClose(): void }) {
  const [secret, setSecret] = useState<string | undefined>();
  const create = async (body: Wish): Promise<void> => {
    const made = await call<{ secret: string }>("/webhooks", { method: "POST", body });
    setSecret(made.secret);
    onDone();
  };
  return (
    <Dialog title={t(secret === undefined ? "do.addWebhook" : "title.webhookSecret")} onClose={onClose} wide={secret !== undefined}>
      {secret === undefined ? (
        <WebhookForm action={t("do.addWebhook")} onSend={create} />
      ) : (
        <ShownSecret secret={secret} onClose={onClose} />
      )}
    </Dialog>
  );
}

export function EditWebhook({ webhook, onDone, onClose }: { webhook: Webhook; onDone(): void; onClose(): void }) {
  const save = async (body: Wish): Promise<void> => {
    await call(`/webhooks/${webhook.id}`, { method: "PATCH", body });
    onDone();
    onClose();
  };
  return (
    <Dialog title={t("title.changeWebhook")} onClose={onClose}>
      <WebhookForm webhook={webhook} action={t("do.save")} onSend={save} />
    </Dialog>
  );
}

type FormProps = { webhook?: Webhook; action: string; onSend(wish: Wish): Promise<void> };

function WebhookForm({ webhook, action, onSend }: FormProps) {
  const sending = useSending();
  const [unchosen, setUnchosen] = useState(false);
  const send = async (fields: Readonly<Record<string, string>>): Promise<void> => {
    const chosen = events.flatMap(([name]) => (fields[name] === "on" ? [name] : []));
    setUnchosen(chosen.length === 0);
    if (chosen.length === 0) return;
    await onSend({ url: (fields.url ?? "").trim(), description: (fields.description ?? "").trim(), events: chosen });
  };
  return (
    <Form sending={sending} onSend={send} fields={["url", "description"]} action={action}>
      <Field
        label={t("label.address")}
        name="url"
        type="url"
        required
        maxLength={2000}
        hint={t("text.webhookUrlHint")}
        value={webhook?.url ?? ""}
        problem={problemWith(sending.error, "url")}
      />
      <fieldset class="checks" aria-describedby={unchosen ? "events-problem" : undefined}>
        <legend>{t("label.tellWhen")}</legend>
        {events.map(([name, words]) => (
          <label key={name}>
            <input type="checkbox" name={name} defaultChecked={webhook?.events.includes(name) ?? true} /> {t(words)} <code>{name}</code>
          </label>
        ))}
        {unchosen && (
          <p id="events-problem" class="hint hint-bad" role="alert">
            {t("text.chooseOne")}
          </p>
        )}
      </fieldset>
      <Field
        label={t("label.description")}
        name="description"
        maxLength={100}
        hint={t("text.webhookDescriptionHint")}
        value={webhook?.description ?? ""}
        problem={problemWith(sending.error, "description")}
      />
    </Form>
  );
}
