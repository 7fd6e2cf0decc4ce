import { FilemillError } from "#contract/errors.ts";
import type { Job, JobState } from "#gen/filemill/job/v1/job_pb.ts";
import { JobState as State } from "#gen/filemill/job/v1/job_pb.ts";
import { isJobId } from "./job-id.ts";
import { type Held, isUnwritten, type Projection } from "./projection.ts";

const defaultLimit = 20;
const maxLimit = 100;

/** Without an account: jobs of all accounts. */
export type Listing = { readonly accountId?: string; readonly state: JobState; readonly limit: number; readonly cursor: string };

/**
 * A page of jobs of one account or of all, newest first. The cursor is the last job of the previous page, so new jobs never shift a page.
 *
 * @param view - Turns a record into what is shown. The filter uses its state.
 */
export function listJobs(projection: Projection, view: (held: Held) => Job, listing: Listing): { jobs: Job[]; nextCursor: string } {
  const { cursor } = listing;
  if (cursor !== "" && !isJobId(cursor)) throw new FilemillError("BAD_REQUEST", "`cursor` must come from an earlier answer.");
  if (listing.limit > maxLimit) throw new FilemillError("BAD_REQUEST", `\`limit\` must be from 1 to ${maxLimit}.`);
  const limit = listing.limit === 0 ? defaultLimit : listing.limit;
  const ids = projection.idsOf(listing.accountId);
  const jobs: Job[] = [];
  for (let index = cursor === "" ? ids.length - 1 : lastBefore(ids, cursor); index >= 0; index -= 1) {
    const held = projection.get(ids[index] ?? "");
    if (held === undefined || isUnwritten(held)) continue;
    const job = view(held);
    if (listing.state !== State.UNSPECIFIED && job.state !== listing.state) continue;
    if (jobs.length === limit) return { jobs, nextCursor: jobs.at(-1)?.id ?? "" };
    jobs.push(job);
  }
  return { jobs, nextCursor: "" };
}

/** Index of the last id before `cursor`, or -1. */
function lastBefore(ids: readonly string[], cursor: string): number {
  return ids.findLastIndex((id) => id < cursor);
}
