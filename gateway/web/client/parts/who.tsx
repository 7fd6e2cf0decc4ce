import { render } from "preact";
import { me } from "#client/server/session.ts";
import { Icon } from "./icons.tsx";

/** Who is signed in, with the way to the account; nothing for guests, who are shown the way in where it is of use. */
function Who() {
  const email = me.value?.account?.email;
  if (email === undefined) return null;
  return (
    <a class="who" href="/automate" title={email}>
      <Icon name="person" />
      <span class="who-mail">{email}</span>
    </a>
  );
}

/** Puts it into the head of the page, where the server left a place for it. */
export function showWho(): void {
  const place = document.getElementById("who");
  if (place !== null) render(<Who />, place);
}
