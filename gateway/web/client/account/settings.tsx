import { useState } from "preact/hooks";
import { Confirm } from "#client/parts/confirm.tsx";
import { Field, Form, problemWith, useSending } from "#client/parts/form.tsx";
import { rich, t } from "#client/parts/language.tsx";
import { Notice } from "#client/parts/notice.tsx";
import { call } from "#client/server/api.ts";
import { renewMe } from "#client/server/session.ts";
import type { Account } from "#client/server/wire.ts";

/** Settings: password, sign-out everywhere, and deleting the account. */
export function Settings({ account }: { account: Account }) {
  const [deleting, setDeleting] = useState(false);
  const everywhere = useSending();
  return (
    <section class="panel" aria-labelledby="settings-title">
      <h2 id="settings-title">{t("title.account")}</h2>
      <ChangePassword account={account} />
      <div class="setting">
        <div>
          <h3>{t("do.signOutEverywhere")}</h3>
          <p class="quiet">{t("text.signOutEverywhere")}</p>
        </div>
        <button
          type="button"
          class="button"
          disabled={everywhere.busy}
          onClick={() =>
            void everywhere.run(async () => {
              await call("/sign-out-everywhere", { method: "POST" });
              await renewMe();
            })
          }
        >
          {t("do.signOutEverywhere")}
        </button>
      </div>
      <div class="setting">
        <div>
          <h3>{t("do.deleteAccount")}</h3>
          <p class="quiet">{t("text.deleteAccount")}</p>
        </div>
        <button type="button" class="button button-danger" onClick={() => setDeleting(true)}>
          {t("do.deleteAccount")}
        </button>
      </div>
      {deleting && <DeleteAccount account={account} onClose={() => setDeleting(false)} />}
    </section>
  );
}

function ChangePassword({ account }: { account: Account }) {
  const sending = useSending();
  const [open, setOpen] = useState(false);
  const [done, setDone] = useState(false);
  const send = async ({ current, next }: Readonly<Record<string, string>>): Promise<void> => {
    await call("/password", { method: "POST", body: { ...(account.needsCurrentPassword ? { current } : {}), next } });
    setDone(true);
    setOpen(false);
    await renewMe();
  };
  const verb = t(account.hasPassword ? "do.changePassword" : "do.setPassword");
  return (
    <div class="setting">
      <div>
        <h3>{t("label.password")}</h3>
        <p class="quiet">{t(account.hasPassword ? "text.changePassword" : "text.noPassword")}</p>
      </div>
      {!open && (
        <button type="button" class="button" onClick={() => setOpen(true)}>
          {verb}
        </button>
      )}
      {done && !open && <Notice tone="good">{t("text.passwordChanged")}</Notice>}
      {open && (
        <Form sending={sending} onSend={send} fields={["current", "next", "password"]}>
          <input type="text" name="username" autocomplete="username" value={account.email} hidden readOnly />
          {account.needsCurrentPassword && (
            <Field
              label={t("label.currentPassword")}
              name="current"
              type="password"
              autocomplete="current-password"
              required
              problem={problemWith(sending.error, "current")}
            />
          )}
          <Field
            label={t("label.newPassword")}
            name="next"
            type="password"
            autocomplete="new-password"
            required
            problem={problemWith(sending.error, "next") ?? problemWith(sending.error, "password")}
          />
          <div class="actions">
            <button type="submit" class="button button-primary" disabled={sending.busy}>
              {verb}
            </button>
            <button type="button" class="button" onClick={() => setOpen(false)}>
              {t("do.cancel")}
            </button>
          </div>
        </Form>
      )}
    </div>
  );
}

function DeleteAccount({ account, onClose }: { account: Account; onClose(): void }) {
  const remove = async ({ proof = "" }: Readonly<Record<string, string>>): Promise<void> => {
    await call("/me", { method: "DELETE", body: account.hasPassword ? { password: proof } : { email: proof } });
    onClose();
    await renewMe();
  };
  return (
    <Confirm title={t("title.deleteAccountAsked")} action={t("do.deleteAccount")} onConfirm={remove} onClose={onClose}>
      <p>{rich("text.deleteAccountAsked", { email: account.email })}</p>
      {account.hasPassword ? (
        <Field label={t("label.yourPassword")} name="proof" type="password" autocomplete="current-password" required />
      ) : (
        <Field label={t("label.typeEmail")} name="proof" type="email" required />
      )}
    </Confirm>
  );
}
