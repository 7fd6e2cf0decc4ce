import { useState } from "preact/hooks";
import { formatOf } from "#client/convert/catalogue.ts";
import { isEnded } from "#client/convert/follow.ts";
import { Notes } from "#client/convert/item-result.tsx";
import { Confirm } from "#client/parts/confirm.tsx";
import { Icon } from "#client/parts/icons.tsx";
import { agoText, durationText, instantText, leftText, ordinal, renamed, sizeText } from "#client/parts/words.ts";
import type { Job } from "#client/server/wire.ts";
import type { NamedJob } from "./use-jobs.ts";

/** One job: what, how far, how long, and what came of it. */
export function JobRow({ job, onRemove }: { job: NamedJob; onRemove(): Promise<void> }) {
  const [asking, setAsking] = useState(false);
  const title = job.name !== "" ? job.name : `${formatOf(job.from)?.label ?? job.from} to ${formatOf(job.to)?.label ?? job.to}`;
  return (
    <li class="row job-row">
      <div class="row-main">
        <p class="row-title">
          <span class="row-name" title={title}>
            {title}
          </span>
          <span class={`state state-${job.status}`}>{job.status}</span>
        </p>
        <p class="quiet">
          <code>{job.from}</code> → <code>{job.to}</code>
          {job.createdAt !== null && (
            <>
              {" · "}
              <time dateTime={job.createdAt} title={instantText(job.createdAt)}>
                {agoText(job.createdAt)}
              </time>
            </>
          )}
        </p>
      </div>
      <dl class="row-facts">
        <div>
          <dt>{isEnded(job) ? "Took" : "Left"}</dt>
          <dd>{timeOf(job)}</dd>
        </div>
        <div>
          <dt>Result</dt>
          <dd>{job.bytes > 0 ? sizeText(job.bytes) : "none"}</dd>
        </div>
      </dl>
      <Actions job={job} title={title} fileName={job.name} onAsk={() => setAsking(true)} />
      {!isEnded(job) && <progress aria-label={`${title} is ${job.status}`} max={1} />}
      {job.error !== null && (
        <p class="job-failure">
          {job.error.message} <a href={`/docs/errors#${job.error.code}`}>What {job.error.code} means</a>
        </p>
      )}
      <Notes notes={job.notes} />
      {asking && <Removal job={job} title={title} onRemove={onRemove} onClose={() => setAsking(false)} />}
    </li>
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
          aria-label={`Download ${title}`}
        >
          <Icon name="down" />
          Download
        </a>
      )}
      <button type="button" class="icon-button" aria-label={`${isOver ? "Delete" : "Cancel"} ${title}`} onClick={onAsk}>
        <Icon name={isOver ? "trash" : "close"} />
      </button>
    </div>
  );
}

function timeOf(job: Job): string {
  if (isEnded(job)) return durationText(job.durationMs);
  if (job.status === "queued" && job.queuePosition !== null && job.queuePosition > 1) return `${ordinal(job.queuePosition)} in line`;
  return job.estimateMs === null || job.estimateMs === 0 ? "unknown" : leftText(job.estimateMs).replace(" left", "");
}

type RemovalProps = { job: Job; title: string; onRemove(): Promise<void>; onClose(): void };

function Removal({ job, title, onRemove, onClose }: RemovalProps) {
  const isOver = isEnded(job);
  return (
    <Confirm
      title={isOver ? "Delete this job?" : "Cancel this job?"}
      action={isOver ? "Delete" : "Cancel job"}
      onConfirm={onRemove}
      onClose={onClose}
    >
      <p>
        {title}: {isOver ? "the job and its result are removed from the server." : "the conversion is stopped and its file removed."}
      </p>
    </Confirm>
  );
}
