import { linkTo, rich, t } from "#client/parts/language.tsx";
import type { Account } from "#client/server/wire.ts";

/** First steps, shown until the operator has set a password. */
export function FirstSteps({ account }: { account: Account }) {
  if (account.hasPassword) return null;
  return (
    <section class="panel" aria-labelledby="first-title">
      <h2 id="first-title">{t("title.firstSteps")}</h2>
      <ol class="steps">
        <li>{rich("text.firstPassword", { a: linkTo("/automate") })}</li>
        <li>{rich("text.firstConvert", { a: linkTo("/") })}</li>
        <li>{rich("text.firstAccounts", { a: linkTo("#accounts-title") })}</li>
        <li>{rich("text.firstKeys", { a: linkTo("/automate") })}</li>
      </ol>
    </section>
  );
}
