import { useState } from "preact/hooks";
import { DotAgo } from "#client/parts/ago.tsx";
import { Fact } from "#client/parts/fact.tsx";
import { IconButton } from "#client/parts/icon-button.tsx";
import { Icon } from "#client/parts/icons.tsx";
import { t } from "#client/parts/language.tsx";
import { mergedById } from "#client/parts/merged.ts";
import { Notice } from "#client/parts/notice.tsx";
import { countText, sizeText } from "#client/parts/words.ts";
import { call, messageOf } from "#client/server/api.ts";
import type { AccountFacts, Plan } from "#client/server/wire.ts";
import { ChangeAccount } from "./change-account.tsx";
import { NewAccount } from "./new-account.tsx";
import { useRenewed } from "./use-renewed.ts";

const ACCOUNTS_MS = 10_000;

type Page = { readonly accounts: readonly AccountFacts[]; readonly total: number; readonly nextCursor: string | null };

/** The accounts with their usage. @param own - Id of the operator's own account. */
export function Accounts({ own, plans }: { own: string; plans: readonly Plan[] }) {
  const [search, setSearch] = useState("");
  const [pages, setOlder] = useState<(Page & { readonly search: string }) | undefined>();
  const [open, setOpen] = useState<"new" | AccountFacts | undefined>();
  const { value, error, renew } = useRenewed<Page>(`/operator/accounts?${new URLSearchParams({ search })}`, ACCOUNTS_MS);
  const [problem, setProblem] = useState<unknown>();
  // A page of an earlier search may arrive late.
  const older = pages?.search === search ? pages : undefined;
  const rows = mergedById(value?.accounts ?? [], older?.accounts ?? []);
  const find = (text: string): void => {
    setOlder(undefined);
    setSearch(text.slice(0, 320));
  };
  const cursor = (older ?? value)?.nextCursor ?? null;
  const more = async (): Promise<void> => {
    const page = await call<Page>(`/operator/accounts?${new URLSearchParams({ search, cursor: cursor ?? "" })}`);
    // New accounts may have arrived since, so accounts pushed off the first page are kept.
    setOlder({ ...page, search, accounts: mergedById(rows, page.accounts) });
  };
  const changed = async (): Promise<void> => {
    // Pages after the first are stale now and load again on demand.
    setOlder(undefined);
    await renew();
  };
  const shown = error ?? problem;
  return (
    <section class="panel" aria-labelledby="accounts-title">
      <div class="panel-head">
        <h2 id="accounts-title">{t("title.accounts", { n: value?.total ?? 0 })}</h2>
        <button type="button" class="button button-primary" onClick={() => setOpen("new")}>
          <Icon name="plus" />
          {t("do.createAccount")}
        </button>
      </div>
      <input
        type="search"
        aria-label={t("label.searchAccounts")}
        placeholder={t("label.searchAccounts")}
        onInput={({ currentTarget }) => find(currentTarget.value)}
      />
      {shown !== undefined && <Notice tone="bad">{messageOf(shown)}</Notice>}
      {value !== undefined && rows.length === 0 && <p class="quiet">{t("text.noAccounts")}</p>}
      <ul class="rows">
        {rows.map((account) => (
          <Row key={account.id} account={account} plans={plans} onOpen={() => setOpen(account)} />
        ))}
      </ul>
      {cursor !== null && (
        <button type="button" class="button more" onClick={() => void more().catch(setProblem)}>
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
