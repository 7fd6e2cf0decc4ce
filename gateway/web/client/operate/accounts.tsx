import { useState } from "preact/hooks";
import { DotAgo } from "#client/parts/ago.tsx";
import { Fact } from "#client/parts/fact.tsx";
import { IconButton } from "#client/parts/icon-button.tsx";
import { Icon } from "#client/parts/icons.tsx";
import { t } from "#client/parts/language.tsx";
import { Notice } from "#client/parts/notice.tsx";
import { usePages } from "#client/parts/use-pages.ts";
import { countText, sizeText } from "#client/parts/words.ts";
import { messageOf } from "#client/server/api.ts";
import type { AccountFacts, Plan } from "#client/server/wire.ts";
import { ChangeAccount } from "./change-account.tsx";
import { NewAccount } from "./new-account.tsx";

const ACCOUNTS_MS = 10_000;

type Page = { readonly accounts: readonly AccountFacts[]; readonly total: number; readonly nextCursor: string | null };

/** The accounts with their usage. @param own - Id of the operator's own account. */
export function Accounts({ own, plans }: { own: string; plans: readonly Plan[] }) {
  const [search, setSearch] = useState("");
  const [open, setOpen] = useState<"new" | AccountFacts | undefined>();
  const pages = usePages("/operator/accounts", { search }, ACCOUNTS_MS, ({ accounts }: Page) => accounts);
  const { first, items, error, hasMore, more } = pages;
  const changed = () => pages.renew();
  return (
    <section class="panel" aria-labelledby="accounts-title">
      <div class="panel-head">
        <h2 id="accounts-title">{t("title.accounts", { n: first?.total ?? 0 })}</h2>
        <button type="button" class="button button-primary" onClick={() => setOpen("new")}>
          <Icon name="plus" />
          {t("do.createAccount")}
        </button>
      </div>
      <input
        type="search"
        aria-label={t("label.searchAccounts")}
        placeholder={t("label.searchAccounts")}
        onInput={({ currentTarget }) => setSearch(currentTarget.value.slice(0, 320))}
      />
      {error !== undefined && <Notice tone="bad">{messageOf(error)}</Notice>}
      {first !== undefined && items.length === 0 && <p class="quiet">{t("text.noAccounts")}</p>}
      <ul class="rows">
        {items.map((account) => (
          <Row key={account.id} account={account} plans={plans} onOpen={() => setOpen(account)} />
        ))}
      </ul>
      {hasMore && (
        <button type="button" class="button more" onClick={() => void more()}>
          {t("do.olderAccounts")}
        </button>
      )}
      {open === "new" && <NewAccount plans={plans} onMade={changed} onClose={() => setOpen(undefined)} />}
      {typeof open === "object" && (
        <ChangeAccount account={open} isOwn={open.id === own} plans={plans} onChanged={changed} onClose={() => setOpen(undefined)} />
      )}
    </section>
  );
}

function Row({ account, plans, onOpen }: { account: AccountFacts; plans: readonly Plan[]; onOpen(): void }) {
  const { email, createdAt } = account;
  return (
    <li class="row account-row">
      <div class="row-main">
        <p class="row-title">
          <span class="row-name" title={email}>
            {email}
          </span>
          {account.disabledAt !== null && <span class="state state-failed">{t("state.disabled")}</span>}
          {account.operator && <span class="state">{t("label.operator")}</span>}
        </p>
        <p class="quiet">
          {plans.find(({ id }) => id === account.plan)?.label ?? account.plan}
          <DotAgo at={createdAt} />
        </p>
      </div>
      <dl class="row-facts">
        <Fact label={t("label.unfinishedJobs")} value={countText(account.unfinishedJobs)} />
        <Fact label={t("label.stored")} value={sizeText(account.storedBytes)} />
        <Fact label={t("label.processorTime")} value={t("time.s", { n: countText(account.processorSecondsThisHour) })} />
      </dl>
      <div class="row-actions">
        <IconButton icon="pen" label={t("aria.change", { name: email })} onClick={onOpen} />
      </div>
    </li>
  );
}
