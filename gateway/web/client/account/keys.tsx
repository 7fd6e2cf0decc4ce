import { useState } from "preact/hooks";
import { Ago } from "#client/parts/ago.tsx";
import { Confirm } from "#client/parts/confirm.tsx";
import { Dialog } from "#client/parts/dialog.tsx";
import { Fact } from "#client/parts/fact.tsx";
import { Field, Form, useSending } from "#client/parts/form.tsx";
import { IconButton } from "#client/parts/icon-button.tsx";
import { Icon } from "#client/parts/icons.tsx";
import { listText, rich, t } from "#client/parts/language.tsx";
import { Notice } from "#client/parts/notice.tsx";
import { useRenewed } from "#client/parts/use-renewed.ts";
import { dateText } from "#client/parts/words.ts";
import { call, messageOf } from "#client/server/api.ts";
import type { Account, Key } from "#client/server/wire.ts";
import { CreateKey } from "./create-key.tsx";

const RENEW_MS = 10_000;

type Open = { readonly name: "create" } | { readonly name: "rename" | "revoke"; readonly key: Key } | undefined;

/** The account's API keys. */
export function Keys({ account, baseUrl }: { account: Account; baseUrl: string }) {
  const [open, setOpen] = useState<Open>();
  // Reloads regularly, so that a key's last use shows up while somebody tries it.
  const { value, error, renew } = useRenewed<{ keys: readonly Key[] }>("/keys", RENEW_MS);
  const keys = value?.keys;
  const close = (): void => setOpen(undefined);
  const { apiAccess } = account.plan;
  return (
    <section class="panel" aria-labelledby="keys-title">
      <div class="panel-head">
        <h2 id="keys-title">{t("title.keys")}</h2>
        {apiAccess && (
          <button type="button" class="button button-primary" onClick={() => setOpen({ name: "create" })}>
            <Icon name="plus" />
            {t("do.createKey")}
          </button>
        )}
      </div>
      {error !== undefined && <Notice tone="bad">{messageOf(error)}</Notice>}
      {keys?.length === 0 && <p class="quiet">{t(apiAccess ? "text.noKeys" : "text.noKeysAllowed")}</p>}
      {keys !== undefined && keys.length > 0 && (
        <ul class="rows" aria-label={t("title.keys")}>
          {keys.map((key) => (
            <KeyRow key={key.id} row={key} onOpen={setOpen} />
          ))}
        </ul>
      )}
      {open?.name === "create" && <CreateKey baseUrl={baseUrl} onMade={() => void renew()} onClose={close} />}
      {open?.name === "rename" && <Rename row={open.key} onDone={() => void renew()} onClose={close} />}
      {open?.name === "revoke" && <Revoke row={open.key} onDone={() => void renew()} onClose={close} />}
    </section>
  );
}

type KeyState = "active" | "expired" | "revoked";

function stateOf({ revokedAt, expiresAt }: Key): KeyState {
  if (revokedAt !== null) return "revoked";
  return expiresAt !== null && new Date(expiresAt).getTime() <= Date.now() ? "expired" : "active";
}

function KeyRow({ row, onOpen }: { row: Key; onOpen(open: Open): void }) {
  const state = stateOf(row);
  return (
    <li class={`row key-row key-${state}`}>
      <div class="row-main">
        <p class="row-title">
          <span class="row-name">{nameOf(row)}</span>
          <span class={`state state-${state}`}>{t(`state.${state}`)}</span>
        </p>
        <p class="quiet">
          <code>{row.prefix}…</code> · {listText(row.scopes.map(scopeText))}
        </p>
      </div>
      <dl class="row-facts">
        <Fact label={t("label.created")} value={timeOf(row.createdAt)} />
        <Fact label={t("label.lastUsed")} value={timeOf(row.lastUsedAt, t("label.never"))} />
        {row.revokedAt === null ? (
          <Fact label={t("label.expires")} value={row.expiresAt === null ? t("label.never") : dateText(row.expiresAt)} />
        ) : (
          <Fact label={t("label.revoked")} value={timeOf(row.revokedAt)} />
        )}
      </dl>
      <div class="row-actions">
        {state !== "revoked" && (
          <>
            <IconButton icon="pen" label={t("aria.rename", { name: nameOf(row) })} onClick={() => onOpen({ name: "rename", key: row })} />
            <IconButton icon="trash" label={t("aria.revoke", { name: nameOf(row) })} onClick={() => onOpen({ name: "revoke", key: row })} />
          </>
        )}
      </div>
    </li>
  );
}

const nameOf = ({ name }: Key): string => (name === "" ? t("label.unnamedKey") : name);

function scopeText(scope: string): string {
  return scope === "convert" ? t("label.scopeConvert") : t("label.scopeRead");
}

const timeOf = (instant: string | null, none = "") => (instant === null ? none : <Ago at={instant} />);

type ChangeProps = { row: Key; onDone(): void; onClose(): void };

function Rename({ row, onDone, onClose }: ChangeProps) {
  const sending = useSending();
  const send = async ({ name = "" }: Readonly<Record<string, string>>): Promise<void> => {
    await call(`/keys/${row.id}`, { method: "PATCH", body: { name: name.trim() } });
    onDone();
    onClose();
  };
  return (
    <Dialog title={t("title.renameKey")} onClose={onClose}>
      <Form sending={sending} onSend={send} action={t("do.rename")}>
        <Field label={t("label.name")} name="name" value={row.name} required maxLength={100} />
      </Form>
    </Dialog>
  );
}

function Revoke({ row, onDone, onClose }: ChangeProps) {
  const revoke = async (): Promise<void> => {
    await call(`/keys/${row.id}`, { method: "DELETE" });
    onDone();
    onClose();
  };
  return (
    <Confirm title={t("title.revokeKey", { name: nameOf(row) })} action={t("do.revokeKey")} onConfirm={revoke} onClose={onClose}>
      <p>{rich("text.revokeKey", { prefix: row.prefix })}</p>
    </Confirm>
  );
}
