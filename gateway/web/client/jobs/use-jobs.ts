import { useEffect, useState } from "preact/hooks";
import { isEnded, pause } from "#client/convert/follow.ts";
import { mergedById } from "#client/parts/merged.ts";
import { ApiError, call } from "#client/server/api.ts";
import { renewMe } from "#client/server/session.ts";
import type { Job } from "#client/server/wire.ts";

export const filters = ["all", "queued", "running", "done", "failed", "cancelled", "expired"] as const;
export type Filter = (typeof filters)[number];

/** A job with the name of its file. */
export type NamedJob = Job & { readonly name: string };
type Answer = { readonly jobs: readonly Job[]; readonly nextCursor: string | null; readonly names: Readonly<Record<string, string>> };
type Page = { readonly jobs: readonly NamedJob[]; readonly nextCursor: string | null };
type Jobs = {
  readonly jobs: readonly NamedJob[] | undefined;
  readonly error: unknown;
  readonly hasMore: boolean;
  more(): Promise<void>;
  remove(id: string): Promise<void>;
};

const PAGE_SIZE = 25;
/** Polling interval while a job is unfinished, and otherwise. */
const BUSY_MS = 2000;
const QUIET_MS = 10_000;

/** The jobs in a state, newest first. Polls the first page while the browser tab is visible. */
export function useJobs(filter: Filter): Jobs {
  const [newest, setNewest] = useState<Page | undefined>();
  const [older, setOlder] = useState<Page | undefined>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    const stop = new AbortController();
    setNewest(undefined);
    setOlder(undefined);
    void watch(filter, stop.signal, setNewest, setError);
    return () => stop.abort();
  }, [filter]);
  const jobs = newest === undefined ? undefined : mergedById(newest.jobs, older?.jobs ?? []);
  const cursor = (older ?? newest)?.nextCursor ?? null;
  return {
    jobs,
    error,
    hasMore: cursor !== null,
    async more() {
      if (cursor === null) return;
      try {
        const page = await pageOf(filter, cursor);
        // New jobs may have arrived since, so jobs pushed off the first page are kept.
        setOlder({ jobs: mergedById(jobs ?? [], page.jobs), nextCursor: page.nextCursor });
      } catch (problem) {
        setError(problem);
      }
    },
    async remove(id) {
      await call(`/jobs/${id}`, { method: "DELETE" });
      const without = (page: Page | undefined): Page | undefined =>
        page === undefined ? undefined : { ...page, jobs: page.jobs.filter((job) => job.id !== id) };
      setNewest(without);
      setOlder(without);
    },
  };
}

async function watch(filter: Filter, signal: AbortSignal, tell: (page: Page) => void, fail: (error: unknown) => void): Promise<void> {
  let waitMs = BUSY_MS;
  while (!signal.aborted) {
    try {
      if (document.visibilityState === "visible") {
        const page = await pageOf(filter, undefined, signal);
        tell(page);
        fail(undefined);
        waitMs = page.jobs.every(isEnded) ? QUIET_MS : BUSY_MS;
      }
    } catch (error) {
      if (!signal.aborted) fail(error);
      // The session has ended, so the page changes to what visitors see.
      if (error instanceof ApiError && error.status === 401) await renewMe().catch(() => {});
      waitMs = QUIET_MS;
    }
    await pause(waitMs, signal).catch(() => {});
  }
}

async function pageOf(filter: Filter, cursor: string | undefined, signal?: AbortSignal): Promise<Page> {
  const query = new URLSearchParams({ limit: String(PAGE_SIZE) });
  if (filter !== "all") query.set("status", filter);
  if (cursor !== undefined) query.set("cursor", cursor);
  const { jobs, nextCursor, names } = await call<Answer>(`/jobs?${query}`, signal === undefined ? {} : { signal });
  return { jobs: jobs.map((job) => ({ ...job, name: names[job.id] ?? "" })), nextCursor };
}
