import { render } from "preact";
import { me } from "#client/server/session.ts";
import { Icon } from "./icons.tsx";
import { t } from "./language.tsx";

/** The signed-in account, with links to its page and, for operators, to theirs. Shows nothing to guests. */
function Who() {
  const account = me.value?.account;
  if (account == null) return null;
  return (
    <>
      {account.operator && (
        <a class="who" href="/operate" aria-current={location.pathname === "/operate" ? "page" : undefined}>
          <Icon name="server" />
          <span class="who-operate">{t("nav.operate")}</span>
        </a>
      )}
      <a class="who" href="/automate" title={account.email}>
        <Icon name="person" />
        <span class="who-mail">{account.email}</span>
      </a>
    </>
  );
}

/** Renders it into the place that the server left for it in the page's header. */
export function showWho(): void {
  const place = document.getElementById("who");
  if (place !== null) render(<Who />, place);
}
