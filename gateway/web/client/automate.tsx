/** The Automate page: sign-in, keys, plan, webhooks, account settings. */

import { useEffect } from "preact/hooks";
import { enter } from "#client/account/enter.ts";
import { renderEntered } from "#client/account/entered.tsx";
import { Keys } from "#client/account/keys.tsx";
import { PlanPanel } from "#client/account/plan.tsx";
import { Settings } from "#client/account/settings.tsx";
import { rich, t } from "#client/parts/language.tsx";
import { call } from "#client/server/api.ts";
import { renewMe } from "#client/server/session.ts";
import type { Account } from "#client/server/wire.ts";
import { Webhooks } from "#client/webhook/webhooks.tsx";

const USAGE_MS = 5000;

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

renderEntered(enter, (account, baseUrl) => <Overview account={account} baseUrl={baseUrl} />);
