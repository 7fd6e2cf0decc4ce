/** The Automate page: sign-in, keys, plan, webhooks, account settings. */

import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { enter } from "#client/account/enter.ts";
import { Keys } from "#client/account/keys.tsx";
import { PlanPanel } from "#client/account/plan.tsx";
import { Settings } from "#client/account/settings.tsx";
import { SignIn } from "#client/account/sign-in.tsx";
import { rich, t } from "#client/parts/language.tsx";
import { Notice } from "#client/parts/notice.tsx";
import { showWho } from "#client/parts/who.tsx";
import { call, messageOf } from "#client/server/api.ts";
import { me, renewMe, renewMeOnReturn } from "#client/server/session.ts";
import type { Account } from "#client/server/wire.ts";
import { Webhooks } from "#client/webhook/webhooks.tsx";

const USAGE_MS = 5000;

function Automate({ baseUrl }: { baseUrl: string }) {
  const [error, setError] = useState<unknown>();
  useEffect(() => void enter().catch(setError), []);
  const now = me.value;
  return (
    <div class="stack">
      {error !== undefined && <Notice tone="bad">{messageOf(error)}</Notice>}
      {now === undefined && error === undefined && <div class="panel panel-waiting" role="status" aria-label={t("aria.loading")} />}
      {now?.account === null && <SignIn now={now} baseUrl={baseUrl} />}
      {now?.account != null && <Overview account={now.account} baseUrl={baseUrl} />}
    </div>
  );
}

function Overview({ account, baseUrl }: { account: Account; baseUrl: string }) {
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") void renewMe().catch(() => {});
    }, USAGE_MS);
    return () => clearInterval(timer);
  }, []);
  const signOut = async (): Promise<void> => {
    await call("/sign-out", { method: "POST" }).catch(() => {});
    await renewMe();
  };
  return (
    <>
      <div class="who">
        <p>{rich("text.signedInAs", { email: account.email })}</p>
        <button type="button" class="button button-small" onClick={() => void signOut()}>
          {t("do.signOut")}
        </button>
      </div>
      <Keys account={account} baseUrl={baseUrl} />
      <PlanPanel account={account} />
      <Webhooks />
      <Settings account={account} />
    </>
  );
}

renewMeOnReturn();
showWho();
const app = document.getElementById("app");
if (app !== null) render(<Automate baseUrl={app.dataset.base ?? location.origin} />, app);
