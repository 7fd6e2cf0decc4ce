/** The jobs page: recent jobs and their results. */

import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { loadFormats } from "#client/convert/catalogue.ts";
import { JobRow } from "#client/jobs/job-row.tsx";
import { StateChoice } from "#client/jobs/state-choice.tsx";
import { type Filter, useJobs } from "#client/jobs/use-jobs.ts";
import { t } from "#client/parts/language.tsx";
import { Notice, Waiting } from "#client/parts/notice.tsx";
import { showWho } from "#client/parts/who.tsx";
import { call, messageOf } from "#client/server/api.ts";
import { me, renewMe, renewMeOnReturn } from "#client/server/session.ts";

function Jobs() {
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    Promise.all([renewMe(), loadFormats()]).catch(setError);
  }, []);
  const now = me.value;
  if (error !== undefined) return <Notice tone="bad">{messageOf(error)}</Notice>;
  if (now === undefined) return <Waiting />;
  if (now.account === null && now.guest === null) return <SignedOut />;
  // The key resets the list when the account changes.
  return <List key={now.account?.id ?? "guest"} isGuest={now.account === null} />;
}

function SignedOut() {
  return (
    <section class="panel empty">
      <p>{t("text.jobsSignedOut")}</p>
      <a class="button button-primary" href="/automate">
        {t("do.signIn")}
      </a>
    </section>
  );
}

function List({ isGuest }: { isGuest: boolean }) {
  const [filter, setFilter] = useState<Filter>("all");
  const { first, items: jobs, error, hasMore, more, renew } = useJobs(filter);
  const remove = async (id: string): Promise<void> => {
    await call(`/jobs/${id}`, { method: "DELETE" });
    await renew(id);
  };
  return (
    <>
      <div class="jobs-head">
        <p class="quiet">{isGuest ? t("text.jobsGuest") : t("text.jobsOf", { email: me.value?.account?.email ?? "" })}</p>
        <StateChoice filter={filter} onChoose={setFilter} />
      </div>
      {error !== undefined && <Notice tone="bad">{messageOf(error)}</Notice>}
      <section class="panel" aria-label={t("nav.jobs")} aria-busy={first === undefined}>
        {first === undefined && <p class="quiet">{t("text.loading")}</p>}
        {first !== undefined && jobs.length === 0 && (
          <div class="empty">
            <p class="quiet">{filter === "all" ? t("text.noJobs") : t("text.noJobsSo", { state: t(`state.${filter}`) })}</p>
            {filter === "all" && (
              <a class="button button-primary" href="/">
                {t("do.convertFile")}
              </a>
            )}
          </div>
        )}
        {jobs.length > 0 && (
          <ul class="rows">
            {jobs.map((job) => (
              <JobRow key={job.id} job={job} onRemove={() => remove(job.id)} />
            ))}
          </ul>
        )}
        {hasMore && (
          <button type="button" class="button more" onClick={() => void more()}>
            {t("do.olderJobs")}
          </button>
        )}
      </section>
    </>
  );
}

renewMeOnReturn();
showWho();
const app = document.getElementById("app");
if (app !== null) {
  app.className = "stack";
  render(<Jobs />, app);
}
