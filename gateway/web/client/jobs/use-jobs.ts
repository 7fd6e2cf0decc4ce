import { isEnded } from "#client/convert/follow.ts";
import { usePages } from "#client/parts/use-pages.ts";
import type { Job } from "#client/server/wire.ts";

export const filters = ["all", "queued", "running", "done", "failed", "cancelled", "expired"] as const;
export type Filter = (typeof filters)[number];

/** A job with the name of its file. */
export type NamedJob = Job & { readonly name: string };
type Page = { readonly jobs: readonly Job[]; readonly nextCursor: string | null; readonly names: Readonly<Record<string, string>> };

export const queryOf = (filter: Filter): Readonly<Record<string, string>> => (filter === "all" ? {} : { status: filter });

/** Polling interval while a job is unfinished, and otherwise. */
const BUSY_MS = 2000;
const QUIET_MS = 10_000;
const intervalOf = (page: Page | undefined): number => (page?.jobs.every(isEnded) === true ? QUIET_MS : BUSY_MS);
const namedJobsOf = ({ jobs, names }: Page): readonly NamedJob[] => jobs.map((job) => ({ ...job, name: names[job.id] ?? "" }));

/** The jobs in a state. */
export const useJobs = (filter: Filter) => usePages("/jobs", { limit: "25", ...queryOf(filter) }, intervalOf, namedJobsOf);
