import { useState } from "preact/hooks";
import { Field, Form, problemWith, useSending } from "#client/parts/form.tsx";
import { call } from "#client/server/api.ts";
import { renewMe } from "#client/server/session.ts";
import type { Me } from "#client/server/wire.ts";
import { curlBlock } from "#gateway/curl-line.ts";

/** The way in: password, team sign-in, or a new account where the operator allows it. */
export function SignIn({ now, baseUrl }: { now: Me; baseUrl: string }) {
  return (
    <div class="entry">
      <Entry now={now} />
      <Prospect baseUrl={baseUrl} />
    </div>
  );
}

/** What there is behind the door. */
function Prospect({ baseUrl }: { baseUrl: string }) {
  return (
    <section class="promise" aria-labelledby="promise-title">
      <h2 id="promise-title">One call converts a file</h2>
      <pre>
        <code>{curlBlock({ baseUrl })}</code>
      </pre>
      <ul class="points">
        <li>
          <strong>Keys</strong> with a name, scopes and an expiry date, revoked within a second.
        </li>
        <li>
          <strong>Webhooks</strong> that notify your server when a job ends.
        </li>
        <li>
          <strong>Examples</strong> in curl, TypeScript and Python for every call, in the <a href="/docs">API reference</a>.
        </li>
      </ul>
    </section>
  );
}

function Entry({ now }: { now: Me }) {
  const [mode, setMode] = useState<"in" | "up">("in");
  const isNew = mode === "up";
  return (
    <section class="panel sign-in" aria-labelledby="sign-in-title">
      <h2 id="sign-in-title">{isNew ? "Create an account" : "Sign in"}</h2>
      {now.oidc !== null && (
        <>
          <a class="button" href={`${now.oidc.url}?next=/automate`}>
            Continue with {now.oidc.label}
          </a>
          <p class="or">
            <span>or</span>
          </p>
        </>
      )}
      <Password key={mode} isNew={isNew} />
      {now.signUpOpen ? (
        <p class="quiet">
          {isNew ? "You have an account?" : "No account yet?"}{" "}
          <button type="button" class="link-button" onClick={() => setMode(isNew ? "in" : "up")}>
            {isNew ? "Sign in" : "Create one"}
          </button>
        </p>
      ) : (
        <p class="quiet">New accounts are made by the operator of this server.</p>
      )}
    </section>
  );
}

function Password({ isNew }: { isNew: boolean }) {
  const sending = useSending();
  const send = async (fields: Readonly<Record<string, string>>): Promise<void> => {
    await call(isNew ? "/sign-up" : "/sign-in", { method: "POST", body: { email: fields.email, password: fields.password } });
    await renewMe();
  };
  return (
    <Form sending={sending} onSend={send} fields={["email", "password"]}>
      <Field label="E-mail" name="email" type="email" autocomplete="username" required problem={problemWith(sending.error, "email")} />
      <Field
        label="Password"
        name="password"
        type="password"
        autocomplete={isNew ? "new-password" : "current-password"}
        required
        {...(isNew ? { hint: "Long beats complicated: a sentence is fine." } : {})}
        problem={problemWith(sending.error, "password")}
      />
      <button type="submit" class="button button-primary" disabled={sending.busy}>
        {isNew ? "Create account" : "Sign in"}
      </button>
    </Form>
  );
}
