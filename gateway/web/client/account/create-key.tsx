import { useState } from "preact/hooks";
import { Dialog } from "#client/parts/dialog.tsx";
import { Field, Form, problemWith, useSending } from "#client/parts/form.tsx";
import { t } from "#client/parts/language.tsx";
import { Secret, ShownOnce } from "#client/parts/shown-once.tsx";
import { tomorrowText } from "#client/parts/words.ts";
import { call } from "#client/server/api.ts";
import type { Key } from "#client/server/wire.ts";
import { curlLine } from "#gateway/curl-line.ts";

type Made = { readonly key: Key; readonly secret: string };

/** Creates a key and shows its secret, which is shown only once. */
export function CreateKey({ baseUrl, onMade, onClose }: { baseUrl: string; onMade(): void; onClose(): void }) {
  const [made, setMade] = useState<Made | undefined>();
  return (
    <Dialog title={t(made === undefined ? "do.createKey" : "title.newKey")} onClose={onClose} wide={made !== undefined}>
      {made === undefined ? (
        <Wish
          onMade={(key) => {
            setMade(key);
            onMade();
          }}
        />
      ) : (
        <Shown made={made} baseUrl={baseUrl} onClose={onClose} />
      )}
    </Dialog>
  );
}

function Wish({ onMade }: { onMade(made: Made): void }) {
  const sending = useSending();
  const send = async (fields: Readonly<Record<string, string>>): Promise<void> => {
    const scopes = (["convert", "read"] as const).filter((scope) => fields[scope] === "on");
    // A key works until the end of its last day, in the reader's time zone.
    const expiresAt =
      fields.expires === undefined || fields.expires === "" ? undefined : new Date(`${fields.expires}T23:59:59`).toISOString();
    const body = { name: (fields.name ?? "").trim(), scopes, ...(expiresAt === undefined ? {} : { expiresAt }) };
    onMade(await call<Made>("/keys", { method: "POST", body }));
  };
  return (
    <Form sending={sending} onSend={send} fields={["name", "expiresAt"]} action={t("do.createKey")}>
      <Field
        label={t("label.name")}
        name="name"
        required
        maxLength={100}
        hint={t("text.keyNameHint")}
        problem={problemWith(sending.error, "name")}
      />
      <fieldset class="checks">
        <legend>{t("label.may")}</legend>
        <label>
          <input type="checkbox" name="convert" defaultChecked /> {t("label.mayConvert")}
        </label>
        <label>
          <input type="checkbox" name="read" defaultChecked /> {t("label.mayRead")}
        </label>
      </fieldset>
      <Field
        label={t("label.expiresOptional")}
        name="expires"
        type="date"
        min={tomorrowText()}
        problem={problemWith(sending.error, "expiresAt")}
      />
    </Form>
  );
}

function Shown({ made, baseUrl, onClose }: { made: Made; baseUrl: string; onClose(): void }) {
  const docs = (
    <a class="button" href="/docs">
      {t("do.readDocs")}
    </a>
  );
  return (
    <ShownOnce said={t("text.keyOnce")} onClose={onClose} foot={docs}>
      <Secret id="new-key" text={made.secret} />
      <p>{t("text.tryKey")}</p>
      <Secret id="new-key-line" text={curlLine({ baseUrl, key: made.secret })} isLine />
    </ShownOnce>
  );
}
