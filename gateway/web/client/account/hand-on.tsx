import { useEffect, useState } from "preact/hooks";
import { CopyButton } from "#client/parts/copy.tsx";
import { Dialog } from "#client/parts/dialog.tsx";
import { Form, useSending } from "#client/parts/form.tsx";
import { Icon } from "#client/parts/icons.tsx";
import { t } from "#client/parts/language.tsx";
import { Notice } from "#client/parts/notice.tsx";
import { countText, instantText, untilText } from "#client/parts/words.ts";
import { call, messageOf } from "#client/server/api.ts";
import { me } from "#client/server/session.ts";
import type { Job, ResultLink } from "#client/server/wire.ts";

type HandOnProps = { job: Job; name: string; isIcon?: boolean };

/** Button for sharing a result by a share link. Needs an account, and permission by the operator. */
export function HandOn({ job, name, isIcon = false }: HandOnProps) {
  const [open, setOpen] = useState(false);
  if (me.value?.account == null || !me.value.linksAllowed) return null;
  return (
    <>
      <button type="button" class={isIcon ? "icon-button" : "button"} aria-label={t("aria.handOn", { name })} onClick={() => setOpen(true)}>
        <Icon name="link" />
        {!isIcon && t("do.handOn")}
      </button>
      {open && <Links job={job} name={name} onClose={() => setOpen(false)} />}
    </>
  );
}

function Links({ job, name, onClose }: { job: Job; name: string; onClose(): void }) {
  const path = `/jobs/${job.id}/links`;
  const [links, setLinks] = useState<readonly ResultLink[] | undefined>();
  const [error, setError] = useState<unknown>();
  const sending = useSending();
  const load = async (): Promise<void> => setLinks((await call<{ links: ResultLink[] }>(path)).links);
  useEffect(() => void load().catch(setError), []);
  const make = async ({ life = "", most = "" }: Readonly<Record<string, string>>): Promise<void> => {
    await call(path, { method: "POST", body: { lifeSeconds: Number(life), maxDownloads: Number(most) } });
    await load();
  };
  const revoke = async (id: string): Promise<void> => {
    await call(`${path}/${id}`, { method: "DELETE" });
    await load();
  };
  return (
    <Dialog title={t("aria.handOn", { name })} onClose={onClose}>
      <p class="quiet">{t("text.handOn")}</p>
      <NewLink sending={sending} onMake={make} />
      {error !== undefined && <Notice tone="bad">{messageOf(error)}</Notice>}
      <ul class="rows" aria-label={t("label.links")}>
        {links?.map((link) => (
          <Row key={link.id} link={link} onRevoke={() => void revoke(link.id).catch(setError)} />
        ))}
      </ul>
    </Dialog>
  );
}

const lives = [3600, 86_400, 604_800] as const;
const mosts = [1, 10, 0] as const;

function NewLink({
  sending,
  onMake,
}: {
  sending: ReturnType<typeof useSending>;
  onMake(fields: Readonly<Record<string, string>>): Promise<void>;
}) {
  const from = Date.now();
  return (
    <Form sending={sending} onSend={onMake} action={t("do.createLink")}>
      <div class="field">
        <label for="link-life">{t("label.linkWorks")}</label>
        <select id="link-life" name="life">
          {lives.map((seconds) => (
            <option key={seconds} value={seconds} selected={seconds === 86_400}>
              {untilText(new Date(from + seconds * 1000).toISOString(), from)}
            </option>
          ))}
        </select>
      </div>
      <div class="field">
        <label for="link-most">{t("label.mostDownloads")}</label>
        <select id="link-most" name="most">
          {mosts.map((most) => (
            <option key={most} value={most} selected={most === 10}>
              {most === 0 ? t("label.anyNumber") : countText(most)}
            </option>
          ))}
        </select>
      </div>
    </Form>
  );
}

function Row({ link, onRevoke }: { link: ResultLink; onRevoke(): void }) {
  const most = link.maxDownloads === 0 ? t("label.anyNumber") : countText(link.maxDownloads);
  return (
    <li class="link-row">
      <div class="secret">
        <code id={`link-${link.id}`} class="link-text" dir="ltr">
          {link.url}
        </code>
        <CopyButton text={link.url} label={t("do.copyLink")} source={`link-${link.id}`} />
      </div>
      <p class="link-facts quiet">
        <span>
          {t("text.linkFacts", {
            when: link.expiresAt === null ? "" : instantText(link.expiresAt),
            used: t("label.usedOf", { used: countText(link.downloads), limit: most }),
          })}
        </span>
        <button type="button" class="button button-small" onClick={onRevoke}>
          {t("do.revokeLink")}
        </button>
      </p>
    </li>
  );
}
