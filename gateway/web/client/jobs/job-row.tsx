import { useState } from "preact/hooks";
import { HandOn } from "#client/account/hand-on.tsx";
import { formatOf } from "#client/convert/catalogue.ts";
import { isEnded } from "#client/convert/follow.ts";
import { Notes } from "#client/convert/item-result.tsx";
import { DotAgo } from "#client/parts/ago.tsx";
import { Confirm } from "#client/parts/confirm.tsx";
import { Fact } from "#client/parts/fact.tsx";
import { IconButton } from "#client/parts/icon-button.tsx";
import { Icon } from "#client/parts/icons.tsx";
import { refusalText, t } from "#client/parts/language.tsx";
import { aboutText, durationText, renamed, sizeText } from "#client/parts/words.ts";
import type { Job } from "#client/server/wire.ts";
import type { NamedJob } from "./use-jobs.ts";

/** One job: file, state, duration, result and notes. */
export function JobRow({ job, onRemove }: { job: NamedJob; onRemove(): Promise<void> }) {
  const [asking, setAsking] = useState(false);
  const labelOf = (id: string): string => formatOf(id)?.label ?? id;
  const title = job.name !== "" ? job.name : t("text.jobTitle", { from: labelOf(job.from), to: labelOf(job.to) });
  return (
    <li class="row job-row">
      <div class="row-main">
        <p class="row-title">
          <span class="row-name" title={title}>
            {title}
          </span>
          <span class={`state state-${job.status}`}>{t(`state.${job.status}`)}</span>
        </p>
        <p class="quiet">
          <bdi dir="ltr">
            <code>{job.from}</code> → <code>{job.to}</code>
          </bdi>
          <DotAgo at={job.createdAt} />
        </p>
      </div>
      <dl class="row-facts">
        <Fact label={t(isEnded(job) ? "label.took" : "label.left")} value={timeOf(job)} />
        <Fact label={t("label.result")} value={job.bytes > 0 ? sizeText(job.bytes) : t("label.none")} />
      </dl>
      <Actions job={job} title={title} fileName={job.name} onAsk={() => setAsking(true)} />
      {!isEnded(job) && <progress aria-label={t("aria.pair", { name: title, value: t(`state.${job.status}`) })} max={1} />}
      {job.error !== null && (
        <p class="job-failure">
          {refusalText(job.error)} <a href={`/docs/errors#${job.error.code}`}>{t("text.whatCodeMeans", { code: job.error.code })}</a>
        </p>
      )}
      {job.delivery !== undefined && <DeliveryLine delivery={job.delivery} />}
      <Notes notes={job.notes} />
      {asking && <Removal job={job} title={title} onRemove={onRemove} onClose={() => setAsking(false)} />}
    </li>
  );
}

/** State of the delivery to `deliverTo`. */
function DeliveryLine({ delivery: { state, error } }: { delivery: NonNullable<Job["delivery"]> }) {
  const reason = error === null ? "" : refusalText(error);
  if (state === "failed") return <p class="job-failure">{t("text.notDelivered", { reason })}</p>;
  return (
    <p class="quiet">
      {t(state === "delivered" ? "text.delivered" : "text.delivering")} {reason}
    </p>
  );
}

type ActionProps = { job: Job; title: string; fileName: string; onAsk(): void };

function Actions({ job, title, fileName, onAsk }: ActionProps) {
  const isOver = isEnded(job);
  return (
    <div class="row-actions">
      {job.status === "done" && (
        <a
          class="button button-small"
          href={`/web/v1/jobs/${job.id}/download`}
          download={renamed(fileName, formatOf(job.to)?.extensions[0] ?? job.to)}
          aria-label={t("aria.download", { name: title })}
        >
          <Icon name="down" />
          {t("do.download")}
        </a>
      )}
      {job.status === "done" && <HandOn job={job} name={title} isIcon />}
      <IconButton icon={isOver ? "trash" : "close"} label={t(isOver ? "aria.delete" : "aria.cancel", { name: title })} onClick={onAsk} />
    </div>
  );
}

function timeOf(job: Job): string {
  if (isEnded(job)) return durationText(job.durationMs);
  if (job.status === "queued" && job.queuePosition !== null && job.queuePosition > 1)
    return t("progress.place", { place: job.queuePosition });
  return job.estimateMs === null || job.estimateMs === 0 ? t("label.unknown") : aboutText(job.estimateMs);
}

type RemovalProps = { job: Job; title: string; onRemove(): Promise<void>; onClose(): void };

function Removal({ job, title, onRemove, onClose }: RemovalProps) {
  const isOver = isEnded(job);
  return (
    <Confirm
      title={t(isOver ? "title.deleteJob" : "title.cancelJob")}
      action={t(isOver ? "do.delete" : "do.cancelJob")}
      onConfirm={onRemove}
      onClose={onClose}
    >
      <p>{t(isOver ? "text.deleteJob" : "text.cancelJob", { name: title })}</p>
    </Confirm>
  );
}
