/** The operator's page: state of the server, accounts, jobs, plans and engines. */

import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { enter } from "#client/account/enter.ts";
import { SignIn } from "#client/account/sign-in.tsx";
import { loadFormats } from "#client/convert/catalogue.ts";
import { Accounts } from "#client/operate/accounts.tsx";
import { Engines } from "#client/operate/engines.tsx";
import { FirstSteps } from "#client/operate/first-steps.tsx";
import { AllJobs } from "#client/operate/jobs.tsx";
import { Plans } from "#client/operate/plans.tsx";
import { Server } from "#client/operate/server.tsx";
import { useRenewed } from "#client/operate/use-renewed.ts";
import { rich, t } from "#client/parts/language.tsx";
import { Notice } from "#client/parts/notice.tsx";
import { showWho } from "#client/parts/who.tsx";
import { messageOf } from "#client/server/api.ts";
import { me, renewMeOnReturn } from "#client/server/session.ts";
import type { Account, House } from "#client/server/wire.ts";

const HOUSE_MS = 5000;

function Operate() {
  const [error, setError] = useState<unknown>();
  useEffect(() => void Promise.all([enter(), loadFormats()]).catch(setError), []);
  const now = me.value;
  return (
    <div class="stack">
      {error !== undefined && <Notice tone="bad">{messageOf(error)}</Notice>}
      {now === undefined && error === undefined && <div class="panel panel-waiting" role="status" aria-label={t("aria.loading")} />}
      {now?.account === null && <SignIn now={now} baseUrl={location.origin} />}
      {now?.account?.operator === false && <NoOperator email={now.account.email} />}
      {now?.account?.operator === true && <Everything account={now.account} />}
    </div>
  );
}

function NoOperator({ email }: { email: string }) {
  return (
    <section class="panel">
      <p>{rich("text.operatorsOnly", { command: <code dir="ltr">npm run -s filemill -- accounts operator {email}</code> })}</p>
    </section>
  );
}

function Everything({ account }: { account: Account }) {
  const { value: house, error } = useRenewed<House>("/operator/house", HOUSE_MS);
  return (
    <>
      {error !== undefined && <Notice tone="bad">{messageOf(error)}</Notice>}
      {house === undefined ? (
        error === undefined && <div class="panel panel-waiting" role="status" aria-label={t("aria.loading")} />
      ) : (
        <>
          <FirstSteps account={account} />
          <Server house={house} />
          <Accounts own={account.id} plans={house.plans} />
          <AllJobs />
          <Plans plans={house.plans} />
          <Engines house={house} />
        </>
      )}
    </>
  );
}

renewMeOnReturn();
showWho();
const app = document.getElementById("app");
if (app !== null) render(<Operate />, app);
