/** The operator's page: state of the server, accounts, jobs, plans and engines. */

import { enter } from "#client/account/enter.ts";
import { renderEntered } from "#client/account/entered.tsx";
import { loadFormats } from "#client/convert/catalogue.ts";
import { Accounts } from "#client/operate/accounts.tsx";
import { Engines } from "#client/operate/engines.tsx";
import { FirstSteps } from "#client/operate/first-steps.tsx";
import { AllJobs } from "#client/operate/jobs.tsx";
import { Plans } from "#client/operate/plans.tsx";
import { Server } from "#client/operate/server.tsx";
import { rich } from "#client/parts/language.tsx";
import { Notice, Waiting } from "#client/parts/notice.tsx";
import { useRenewed } from "#client/parts/use-renewed.ts";
import { messageOf } from "#client/server/api.ts";
import type { Account, House } from "#client/server/wire.ts";

const HOUSE_MS = 5000;

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
        error === undefined && <Waiting />
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

renderEntered(
  () => Promise.all([enter(), loadFormats()]),
  (account) => (account.operator ? <Everything account={account} /> : <NoOperator email={account.email} />),
);
