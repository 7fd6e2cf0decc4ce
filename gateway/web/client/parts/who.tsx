import { render } from "preact";
import { me } from "#client/server/session.ts";
import { Icon } from "./icons.tsx";
import { t } from "./language.tsx";

/** Who is signed in, with the way to the account and, for operators, to their page; nothing for guests, who are shown the way in where it is of use. */
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

/** Puts it into the head of the page, where the server left a place for it. */
export function showWho(): void {
  const place = document.getElementById("who");
  if (place !== null) render(<Who />, place);
}
