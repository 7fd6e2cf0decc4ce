import { useSending } from "#client/parts/form.tsx";
import { Icon } from "#client/parts/icons.tsx";
import { rich, t, textOf } from "#client/parts/language.tsx";
import { Notice } from "#client/parts/notice.tsx";
import { useRenewed } from "#client/parts/use-renewed.ts";
import { agoText, instantText } from "#client/parts/words.ts";
import { call, messageOf } from "#client/server/api.ts";
import type { Delivery, Webhook } from "#client/server/wire.ts";

/** Polling interval while a delivery is pending, and otherwise. */
const BUSY_MS = 1500;
const QUIET_MS = 10_000;

type Answer = { readonly deliveries: readonly Delivery[] };
const intervalOf = (answer: Answer | undefined): number =>
  answer?.deliveries.every(({ state }) => state !== "pending") === true ? QUIET_MS : BUSY_MS;

/** Recent deliveries of a webhook, and the receiver's answers. */
export function Deliveries({ webhook }: { webhook: Webhook }) {
  const path = `/webhooks/${webhook.id}/deliveries`;
  const { value, error: unread, renew } = useRenewed(path, intervalOf);
  const deliveries = value?.deliveries;
  const { error: unsent, run } = useSending();
  const error = unread ?? unsent;
  const replay = (id: string) => run(() => call(`${path}/${id}/replay`, { method: "POST" }).then(renew));
  return (
    <>
      {error !== undefined && <Notice tone="bad">{messageOf(error)}</Notice>}
      {deliveries === undefined && error === undefined && <p class="quiet">{t("text.loading")}</p>}
      {deliveries?.length === 0 && <p class="quiet">{t("text.noDeliveries")}</p>}
      {deliveries !== undefined && deliveries.length > 0 && (
        <ul class="delivery-list" aria-label={t("label.deliveries")}>
          {deliveries.map((delivery) => (
            <DeliveryRow
              key={delivery.id}
              delivery={delivery}
              canReplay={webhook.state === "enabled"}
              onReplay={() => replay(delivery.id)}
            />
          ))}
        </ul>
      )}
    </>
  );
}

function DeliveryRow({ delivery, canReplay, onReplay }: { delivery: Delivery; canReplay: boolean; onReplay(): Promise<void> }) {
  const { event, state, jobId, createdAt, nextAttemptAt } = delivery;
  return (
    <li>
      <div class="row-main">
        <p class="row-title">
          <code>{event}</code>
          <span class={`state state-${state}`}>{textOf(`state.${state}`) ?? state}</span>
          <time class="quiet" dateTime={createdAt ?? ""} title={createdAt === null ? "" : instantText(createdAt)}>
            {createdAt === null ? "" : agoText(createdAt)}
          </time>
        </p>
        <p class="quiet">
          {rich("label.job", { job: <code>{jobId}</code> })} · {outcomeOf(delivery)}
          {state === "pending" &&
            delivery.attempts > 0 &&
            nextAttemptAt !== null &&
            ` · ${t("text.nextTry", { when: agoText(nextAttemptAt) })}`}
        </p>
      </div>
      {canReplay && (
        <button
          type="button"
          class="button button-small"
          aria-label={t("aria.sendAgain", { event, job: jobId })}
          onClick={() => void onReplay()}
        >
          <Icon name="again" />
          {t("do.sendAgain")}
        </button>
      )}
    </li>
  );
}

function outcomeOf({ attempts, lastStatus, lastError }: Delivery): string {
  if (attempts === 0) return lastError ?? t("text.onItsWay");
  const answer = lastError ?? (lastStatus === null ? t("text.noAnswer") : t("text.answered", { status: lastStatus }));
  return t("text.attempts", { n: attempts, answer });
}
