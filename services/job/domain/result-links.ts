/** Share links to the result of a job, for people without its account. They are stored in the job's record and end with it. */
import { randomBytes } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { FilemillError } from "#contract/errors.ts";
import type { CreateResultLinkRequest, Job, OpenResultLinkRequest, ResultLink } from "#gen/filemill/job/v1/job_pb.ts";
import { JobState, ResultLinkSchema } from "#gen/filemill/job/v1/job_pb.ts";
import { findOwn } from "./end-job.ts";
import { isJobId } from "./job-id.ts";
import type { Core } from "./ports.ts";
import type { Held } from "./projection.ts";
import { expiresAtMsOf } from "./retention.ts";
import { linked, type Record } from "./state.ts";

const maxLinks = 20;
const life = { min: 60, max: 30 * 86_400 } as const;
const mostDownloads = 1000;

type Named = { readonly accountId: string; readonly jobId: string };

/** Rejects with JOB_NOT_FOUND, JOB_NOT_DONE, RESULT_EXPIRED or BAD_REQUEST. */
export async function createResultLink(core: Core, asked: Omit<CreateResultLinkRequest, "$typeName">): Promise<ResultLink> {
  const { accountId, jobId, lifeSeconds, maxDownloads } = asked;
  if (lifeSeconds < life.min || lifeSeconds > life.max)
    throw refused("lifeSeconds", "A share link can be valid for one minute to 30 days.");
  if (maxDownloads > mostDownloads) throw refused("maxDownloads", `A share link can allow at most ${mostDownloads} downloads.`);
  await findOwn(core, accountId, jobId);
  const id = randomBytes(16).toString("base64url");
  const change = await core.records.change(jobId, (held) => {
    checkDone(core.view(held));
    const living = livingOf(held.record, core.clock.now());
    if (living.length >= maxLinks) throw refused("links", `A result can have at most ${maxLinks} share links; revoke one.`);
    const nowMs = core.clock.now();
    const expiresAtMs = Math.min(nowMs + lifeSeconds * 1000, expiresAtMsOf(held.record));
    const times = { createdAt: timestampFromMs(nowMs), expiresAt: timestampFromMs(expiresAtMs) };
    return linked(held.record, [...living, create(ResultLinkSchema, { id, ...times, maxDownloads })]);
  });
  const made = change.after?.record.links.find((link) => link.id === id);
  if (made === undefined) throw new FilemillError("JOB_NOT_FOUND", "There is no such job.");
  return made;
}

/** The links that still work. Rejects with JOB_NOT_FOUND. */
export async function listResultLinks(core: Core, { accountId, jobId }: Named): Promise<ResultLink[]> {
  const { record } = await findOwn(core, accountId, jobId);
  return livingOf(record, core.clock.now());
}

/** An unknown link is not an error. Rejects with JOB_NOT_FOUND. */
export async function revokeResultLink(core: Core, { accountId, jobId, linkId }: Named & { linkId: string }): Promise<void> {
  await findOwn(core, accountId, jobId);
  // Another process may have just created it.
  await core.records.refresh(jobId);
  await core.records.change(jobId, ({ record }) => {
    const left = record.links.filter(({ id }) => id !== linkId);
    return left.length === record.links.length ? undefined : linked(record, left);
  });
}

/** Rejects with NOT_FOUND and reveals nothing else, because the caller may have no account here. */
export async function openResultLink(core: Core, asked: Omit<OpenResultLinkRequest, "$typeName">): Promise<{ job: Job; link: ResultLink }> {
  const { accountId, jobId, linkId, download } = asked;
  if (!isJobId(jobId)) throw over();
  const known = await core.records.find(jobId);
  // Another process may have just created it.
  const held = known?.record.links.some(({ id }) => id === linkId) ? known : await core.records.refresh(jobId);
  if (held === undefined || held.record.job.accountId !== accountId) throw over();
  if (!download) return { job: core.view(held), link: workingLinkOf(core, held, linkId) };
  const change = await core.records.change(jobId, (present) => {
    workingLinkOf(core, present, linkId);
    const counted = present.record.links.map((link) => (link.id === linkId ? { ...link, downloads: link.downloads + 1 } : link));
    return linked(present.record, counted);
  });
  const link = change.after?.record.links.find(({ id }) => id === linkId);
  if (change.after === undefined || link === undefined) throw over();
  return { job: core.view(change.after), link };
}

/** Throws NOT_FOUND. */
function workingLinkOf(core: Core, held: Held, linkId: string): ResultLink {
  const link = held.record.deleted ? undefined : livingOf(held.record, core.clock.now()).find(({ id }) => id === linkId);
  if (link === undefined || core.view(held).state !== JobState.DONE) throw over();
  return link;
}

function livingOf({ links }: Record, nowMs: number): ResultLink[] {
  return links.filter(({ expiresAt, maxDownloads, downloads }) => {
    const isLate = expiresAt === undefined || timestampMs(expiresAt) <= nowMs;
    return !isLate && (maxDownloads === 0 || downloads < maxDownloads);
  });
}

function checkDone({ state }: Job): void {
  if (state === JobState.DONE) return;
  if (state === JobState.EXPIRED) throw new FilemillError("RESULT_EXPIRED", "The result has expired and was deleted.");
  throw new FilemillError("JOB_NOT_DONE", "This job has no result to share.");
}

function over(): FilemillError {
  return new FilemillError("NOT_FOUND", "This link is not valid or has expired.");
}

function refused(field: string, message: string): FilemillError {
  return new FilemillError("BAD_REQUEST", message, { details: { field } });
}
