import { useState } from "preact/hooks";
import { formatOf } from "#client/convert/catalogue.ts";
import { StateChoice } from "#client/jobs/state-choice.tsx";
import { type Filter, queryOf } from "#client/jobs/use-jobs.ts";
import { DotAgo } from "#client/parts/ago.tsx";
import { Confirm } from "#client/parts/confirm.tsx";
import { Fact } from "#client/parts/fact.tsx";
import { IconButton } from "#client/parts/icon-button.tsx";
import { t } from "#client/parts/language.tsx";
import { Notice } from "#client/parts/notice.tsx";
import { usePages } from "#client/parts/use-pages.ts";
import { durationText, sizeText } from "#client/parts/words.ts";
import { call, messageOf } from "#client/server/api.ts";
import type { JobFacts } from "#client/server/wire.ts";

const JOBS_MS = 3000;

type Page = { readonly jobs: readonly JobFacts[]; readonly nextCursor: string | null };

/** Jobs of all accounts and guests, newest first. */
export function AllJobs() {
  const [filter, setFilter] = useState<Filter>("all");
  const [asking, setAsking] = useState<JobFacts | undefined>();
  const query = { limit: "20", ...queryOf(filter) };
  const { first, items: jobs, error, hasMore, more, renew } = usePages("/operator/jobs", query, JOBS_MS, (page: Page) => page.jobs);
  const cancel = async ({ id, accountId }: JobFacts): Promise<void> => {
    await call(`/operator/jobs/${id}/cancel`, { method: "POST", body: { accountId } });
    await renew();
    setAsking(undefined);
  };
  return (
    <section class="panel" aria-labelledby="jobs-title">
      <div class="jobs-head">
        <h2 id="jobs-title">{t("nav.jobs")}</h2>
        <StateChoice filter={filter} onChoose={setFilter} />
      </div>
      {error !== undefined && <Notice tone="bad">{messageOf(error)}</Notice>}
      {first !== undefined && jobs.length === 0 && <p class="quiet">{t("text.noneHere")}</p>}
      <ul class="rows">
        {jobs.map((job) => (
          <Row key={job.id} job={job} onCancel={() => setAsking(job)} />
        ))}
      </ul>
      {hasMore && (
        <button type="button" class="button more" onClick={() => void more()}>
          {t("do.olderJobs")}
        </button>
      )}
      {asking !== undefined && (
        <Confirm
          title={t("title.cancelJob")}
          action={t("do.cancelJob")}
          onConfirm={() => cancel(asking)}
          onClose={() => setAsking(undefined)}
        >
          <p>{t("text.cancelJob", { name: titleOf(asking) })}</p>
        </Confirm>
      )}
    </section>
  );
}

const labelOf = (id: string): string => formatOf(id)?.label ?? id;
const titleOf = ({ from, to }: JobFacts): string => t("text.jobTitle", { from: labelOf(from), to: labelOf(to) });

function Row({ job, onCancel }: { job: JobFacts; onCancel(): void }) {
  const isUnfinished = job.status === "queued" || job.status === "running";
  return (
    <li class="row job-row">
      <div class="row-main">
        <p class="row-title">
          <span class="row-name">{titleOf(job)}</span>
          <span class={`state state-${job.status}`}>{t(`state.${job.status}`)}</span>
        </p>
        <p class="quiet">
          {job.email ?? t("label.guest")}
          <DotAgo at={job.createdAt} />
          {job.error !== null && (
            <>
              {" · "}
              <a href={`/docs/errors#${job.error}`}>
                <code>{job.error}</code>
              </a>
            </>
          )}
        </p>
      </div>
      <dl class="row-facts">
        <Fact
          label={t("option.size")}
          value={t("text.sizes", { before: sizeText(job.inputBytes), after: job.bytes > 0 ? sizeText(job.bytes) : "–" })}
        />
        <Fact label={t("label.took")} value={isUnfinished ? "–" : durationText(job.durationMs)} />
      </dl>
      <div class="row-actions">
        {isUnfinished && <IconButton icon="close" label={t("aria.cancel", { name: titleOf(job) })} onClick={onCancel} />}
      </div>
    </li>
  );
}
