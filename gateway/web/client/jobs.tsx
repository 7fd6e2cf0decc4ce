/** The jobs page: what was asked for lately and what became of it. */
import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { loadFormats } from "#client/convert/catalogue.ts";
import { JobRow } from "#client/jobs/job-row.tsx";
import { type Filter, filters, useJobs } from "#client/jobs/use-jobs.ts";
import { Notice } from "#client/parts/notice.tsx";
import { messageOf } from "#client/server/api.ts";
import { me, renewMe, renewMeOnReturn } from "#client/server/session.ts";

function Jobs() {
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    Promise.all([renewMe(), loadFormats()]).catch(setError);
  }, []);
  const now = me.value;
  if (error !== undefined) return <Notice tone="bad">{messageOf(error)}</Notice>;
  if (now === undefined) return <div class="panel panel-waiting" role="status" aria-label="Loading" />;
  if (now.account === null && now.guest === null) return <SignedOut />;
  // Whose jobs they are is whose list it is.
  return <List key={now.account?.id ?? "guest"} isGuest={now.account === null} />;
}

function SignedOut() {
  return (
    <section class="panel empty">
      <p>Your jobs are shown when you are signed in.</p>
      <a class="button button-primary" href="/automate">
        Sign in
      </a>
    </section>
  );
}

function List({ isGuest }: { isGuest: boolean }) {
  const [filter, setFilter] = useState<Filter>("all");
  const { jobs, error, hasMore, more, remove } = useJobs(filter);
  return (
    <>
      <div class="jobs-head">
        <p class="quiet">
          {isGuest ? "Of this browser, as a guest." : `Of ${me.value?.account?.email ?? ""}, converted here or by its keys.`}
        </p>
        <label>
          Show
          <select value={filter} onChange={({ currentTarget }) => setFilter(filters.find((each) => each === currentTarget.value) ?? "all")}>
            {filters.map((each) => (
              <option key={each} value={each}>
                {each}
              </option>
            ))}
          </select>
        </label>
      </div>
      {error !== undefined && <Notice tone="bad">{messageOf(error)}</Notice>}
      <section class="panel" aria-label="Jobs" aria-busy={jobs === undefined}>
        {jobs === undefined && <p class="quiet">Loading…</p>}
        {jobs?.length === 0 && (
          <div class="empty">
            <p class="quiet">{filter === "all" ? "No conversions yet." : `You have no ${filter} jobs.`}</p>
            {filter === "all" && (
              <a class="button button-primary" href="/">
                Convert a file
              </a>
            )}
          </div>
        )}
        {jobs !== undefined && jobs.length > 0 && (
          <ul class="rows">
            {jobs.map((job) => (
              <JobRow key={job.id} job={job} onRemove={() => remove(job.id)} />
            ))}
          </ul>
        )}
        {hasMore && (
          <button type="button" class="button more" onClick={() => void more()}>
            Older jobs
          </button>
        )}
      </section>
    </>
  );
}

renewMeOnReturn();
const app = document.getElementById("app");
if (app !== null) {
  app.className = "stack";
  render(<Jobs />, app);
}
