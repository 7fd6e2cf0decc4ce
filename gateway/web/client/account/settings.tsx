import { useState } from "preact/hooks";
import { Confirm } from "#client/parts/confirm.tsx";
import { Field, Form, problemWith, useSending } from "#client/parts/form.tsx";
import { Notice } from "#client/parts/notice.tsx";
import { call } from "#client/server/api.ts";
import { renewMe } from "#client/server/session.ts";
import type { Account } from "#client/server/wire.ts";

/** Password, other devices, and the end of the account. */
export function Settings({ account }: { account: Account }) {
  const [deleting, setDeleting] = useState(false);
  const everywhere = useSending();
  return (
    <section class="panel" aria-labelledby="settings-title">
      <h2 id="settings-title">Account</h2>
      <ChangePassword account={account} />
      <div class="setting">
        <div>
          <h3>Sign out everywhere</h3>
          <p class="quiet">Ends the sessions on all devices, this one too. Keys keep working.</p>
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
          Sign out everywhere
        </button>
      </div>
      <div class="setting">
        <div>
          <h3>Delete the account</h3>
          <p class="quiet">With its keys, jobs, results and webhooks. Nothing can be brought back.</p>
        </div>
        <button type="button" class="button button-danger" onClick={() => setDeleting(true)}>
          Delete account
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
  const verb = account.hasPassword ? "Change password" : "Set a password";
  return (
    <div class="setting">
      <div>
        <h3>Password</h3>
        <p class="quiet">
          {account.hasPassword
            ? "Changing it ends the sessions on all other devices."
            : "You sign in by your team or by a link; a password is another way in."}
        </p>
      </div>
      {!open && (
        <button type="button" class="button" onClick={() => setOpen(true)}>
          {verb}
        </button>
      )}
      {done && !open && <Notice tone="good">The password was changed.</Notice>}
      {open && (
        <Form sending={sending} onSend={send} fields={["current", "next", "password"]}>
          <input type="text" name="username" autocomplete="username" value={account.email} hidden readOnly />
          {account.needsCurrentPassword && (
            <Field
              label="Current password"
              name="current"
              type="password"
              autocomplete="current-password"
              required
              problem={problemWith(sending.error, "current")}
            />
          )}
          <Field
            label="New password"
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
              Cancel
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
    <Confirm title="Delete the account?" action="Delete account" onConfirm={remove} onClose={onClose}>
      <p>
        <strong>{account.email}</strong> with all keys, jobs, results and webhooks is removed at once and for good.
      </p>
      {account.hasPassword ? (
        <Field label="Your password" name="proof" type="password" autocomplete="current-password" required />
      ) : (
        <Field label="Type your e-mail address" name="proof" type="email" required />
      )}
    </Confirm>
  );
}
