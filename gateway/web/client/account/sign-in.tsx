import { useState } from "preact/hooks";
import { Field, Form, problemWith, useSending } from "#client/parts/form.tsx";
import { linkTo, rich, t } from "#client/parts/language.tsx";
import { call } from "#client/server/api.ts";
import { renewMe } from "#client/server/session.ts";
import type { Me } from "#client/server/wire.ts";
import { curlBlock } from "#gateway/curl-line.ts";

/** Sign-in: password, identity provider, or a new account if the operator allows it. */
export function SignIn({ now, baseUrl }: { now: Me; baseUrl: string }) {
  return (
    <div class="entry">
      <Entry now={now} />
      <Prospect baseUrl={baseUrl} />
    </div>
  );
}

/** What an account offers, for people who have none. */
function Prospect({ baseUrl }: { baseUrl: string }) {
  return (
    <section class="promise" aria-labelledby="promise-title">
      <h2 id="promise-title">{t("title.oneCall")}</h2>
      <pre>
        <code>{curlBlock({ baseUrl })}</code>
      </pre>
      <ul class="points">
        <li>{rich("text.promiseKeys")}</li>
        <li>{rich("text.promiseWebhooks")}</li>
        <li>{rich("text.promiseExamples", { a: linkTo("/docs") })}</li>
      </ul>
    </section>
  );
}

function Entry({ now }: { now: Me }) {
  const [mode, setMode] = useState<"in" | "up">("in");
  const isNew = mode === "up";
  return (
    <section class="panel sign-in" aria-labelledby="sign-in-title">
      <h2 id="sign-in-title">{t(isNew ? "do.createAccount" : "do.signIn")}</h2>
      {now.oidc !== null && (
        <>
          <a class="button" href={`${now.oidc.url}?next=/automate`}>
            {t("do.continueWith", { team: now.oidc.label })}
          </a>
          <p class="or">
            <span>{t("label.or")}</span>
          </p>
        </>
      )}
      <Password key={mode} isNew={isNew} />
      {now.signUpOpen ? (
        <p class="quiet">
          {t(isNew ? "text.haveAccount" : "text.noAccount")}{" "}
          <button type="button" class="link-button" onClick={() => setMode(isNew ? "in" : "up")}>
            {t(isNew ? "do.signIn" : "do.createOne")}
          </button>
        </p>
      ) : (
        <p class="quiet">{t("error.SIGN_UP_CLOSED")}</p>
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
      <Field
        label={t("label.email")}
        name="email"
        type="email"
        autocomplete="username"
        required
        problem={problemWith(sending.error, "email")}
      />
      <Field
        label={t("label.password")}
        name="password"
        type="password"
        autocomplete={isNew ? "new-password" : "current-password"}
        required
        {...(isNew ? { hint: t("text.passwordHint") } : {})}
        problem={problemWith(sending.error, "password")}
      />
      <button type="submit" class="button button-primary" disabled={sending.busy}>
        {t(isNew ? "do.createAccount" : "do.signIn")}
      </button>
    </Form>
  );
}
