import { type ComponentChildren, render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { SignIn } from "#client/account/sign-in.tsx";
import { Notice, Waiting } from "#client/parts/notice.tsx";
import { showWho } from "#client/parts/who.tsx";
import { messageOf } from "#client/server/api.ts";
import { me, renewMeOnReturn } from "#client/server/session.ts";
import type { Account } from "#client/server/wire.ts";

type EnteredProps = { baseUrl: string; load(): Promise<unknown>; children(account: Account): ComponentChildren };

/** Asks whoever is not signed in to do so, and shows the account's content to everyone else. */
function Entered({ baseUrl, load, children }: EnteredProps) {
  const [error, setError] = useState<unknown>();
  useEffect(() => void load().catch(setError), []);
  const now = me.value;
  return (
    <div class="stack">
      {error !== undefined && <Notice tone="bad">{messageOf(error)}</Notice>}
      {now === undefined && error === undefined && <Waiting />}
      {now?.account === null && <SignIn now={now} baseUrl={baseUrl} />}
      {now?.account != null && children(now.account)}
    </div>
  );
}

/** Renders a page for people with an account. */
export function renderEntered(load: () => Promise<unknown>, contentOf: (account: Account, baseUrl: string) => ComponentChildren): void {
  renewMeOnReturn();
  showWho();
  const app = document.getElementById("app");
  if (app === null) return;
  const baseUrl = app.dataset.base ?? location.origin;
  render(
    <Entered baseUrl={baseUrl} load={load}>
      {(account) => contentOf(account, baseUrl)}
    </Entered>,
    app,
  );
}
