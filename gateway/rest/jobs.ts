import type { FastifyReply, FastifyRequest } from "fastify";
import { FilemillError } from "#contract/errors.ts";
import { isEnded, isJobStatus, jobJsonOf, jobStatuses } from "#contract/job-json.ts";
import { watchStanding } from "#gateway/access/standing.ts";
import { apiUrlOf, callerOf, departureOf, type Handlers, isPageRequest, type RestContext, sendJson } from "#gateway/exchange/exchange.ts";
import { retryAfterOf } from "#gateway/http/headers.ts";
import { preferencesOf } from "#gateway/http/prefer.ts";
import { parseQuery } from "#gateway/http/query.ts";
import type { Job } from "#gen/filemill/job/v1/job_pb.ts";
import { JobState } from "#gen/filemill/job/v1/job_pb.ts";
import { sendArtifact } from "./artifact.ts";
import { waitForEnd } from "./watch.ts";

const MAX_WAIT_MS = 60_000;
/** How long a download request is held before the client is redirected to try again. Below the 60 s after which most proxies time out. */
const TURN_MS = 50_000;

/** The id in the path. Malformed ids are refused here and never become a key of the store. */
export function jobIdOf(request: FastifyRequest): string {
  const { params } = request;
  const id = typeof params === "object" && params !== null && "id" in params ? params.id : undefined;
  if (typeof id === "string" && /^[0-9a-z]{26}$/.test(id)) return id;
  throw new FilemillError("JOB_NOT_FOUND", "There is no such job.");
}

async function jobOf(context: RestContext, request: FastifyRequest): Promise<Job> {
  const { job } = await context.deps.jobs.getJob({ accountId: callerOf(request).account.id, jobId: jobIdOf(request) });
  if (job === undefined) throw new FilemillError("JOB_NOT_FOUND", "There is no such job.");
  return job;
}

/** The job when it has ended, or after `waitMs`. Rejects if the caller loses access meanwhile. */
async function jobAfter(context: RestContext, request: FastifyRequest, reply: FastifyReply, waitMs: number): Promise<Job> {
  using standing = watchStanding(callerOf(request), context.deps.log);
  const signal = AbortSignal.any([departureOf(reply), context.draining, standing.lost]);
  const job = await waitForEnd(context.deps, await jobOf(context, request), waitMs, signal);
  standing.lost.throwIfAborted();
  return job;
}

export const jobHandlers = {
  /** GET /api/v1/jobs/{id}; `Prefer: wait=N` holds the answer until the job ends. */
  async getJob(context, request, reply) {
    const apiUrl = apiUrlOf(context, request);
    const { waitMs = 0 } = preferencesOf(request.headers.prefer);
    const heldMs = Math.min(waitMs, MAX_WAIT_MS);
    const job = await jobAfter(context, request, reply, heldMs);
    if (heldMs > 0) reply.header("preference-applied", `wait=${heldMs / 1000}`);
    if (!isEnded(job)) reply.header("retry-after", retryAfterOf(job.estimateMs));
    return sendJson(reply, 200, { job: jobJsonOf(job, apiUrl) });
  },
  /**
   * GET and HEAD /api/v1/jobs/{id}/download. With `?wait=1`, holds the answer until the job ends. After a while, redirects to the same URL.
   */
  async download(context, request, reply) {
    const query = parseQuery(request.raw.url ?? "");
    const isPatient = query.get("wait") === "1";
    const turnMs = Math.min(TURN_MS, preferencesOf(request.headers.prefer).waitMs ?? TURN_MS);
    const job = isPatient ? await jobAfter(context, request, reply, turnMs) : await jobOf(context, request);
    if (isPatient && !isEnded(job)) {
      if (context.draining.aborted)
        throw new FilemillError("UNAVAILABLE", "The service is about to restart; try again.", { retryAfterMs: 5000 });
      return reply.header("location", "download?wait=1").code(307).send();
    }
    return sendResult(context, request, reply, job, isPageRequest(request) && query.get("inline") === "1");
  },
  /** GET /api/v1/jobs?status=&limit=&cursor=, newest first. */
  async listJobs(context, request, reply) {
    const apiUrl = apiUrlOf(context, request);
    const answer = await context.deps.jobs.listJobs({ accountId: callerOf(request).account.id, ...pageOf(request) });
    const jobs = answer.jobs.map((job) => jobJsonOf(job, apiUrl));
    const page = { jobs, nextCursor: answer.nextCursor === "" ? null : answer.nextCursor };
    if (!isPageRequest(request)) return sendJson(reply, 200, page);
    // The pages also show file names, by which people recognise a job.
    return sendJson(reply, 200, { ...page, names: Object.fromEntries(answer.jobs.map(({ id, sourceName }) => [id, sourceName])) });
  },
  /** DELETE /api/v1/jobs/{id}. */
  async deleteJob(context, request, reply) {
    await context.deps.jobs.deleteJob({ accountId: callerOf(request).account.id, jobId: jobIdOf(request) });
    return reply.code(204).send();
  },
} satisfies Handlers;

/** Sends a job's result, subject to the request's conditional and range headers. */
export function sendResult(
  context: RestContext,
  request: FastifyRequest,
  reply: FastifyReply,
  job: Job,
  inline: boolean,
): Promise<FastifyReply> {
  const { "if-none-match": ifNoneMatch, "if-range": ifRange, range } = request.headers;
  return sendArtifact(reply, context.deps.blobs, job, {
    method: request.method,
    inline,
    ...(ifNoneMatch === undefined ? {} : { ifNoneMatch }),
    ...(typeof ifRange === "string" ? { ifRange } : {}),
    // Range is only defined for GET (RFC 9110 §14.2).
    ...(range === undefined || request.method !== "GET" ? {} : { range }),
  });
}

/** The requested page of a job list: `status`, `limit` and `cursor` of the query. Throws BAD_REQUEST. */
export function pageOf(request: FastifyRequest): { readonly state: JobState; readonly limit: number; readonly cursor: string } {
  const query = parseQuery(request.raw.url ?? "");
  for (const name of query.keys()) {
    if (!["status", "limit", "cursor"].includes(name)) {
      throw new FilemillError("BAD_REQUEST", "Only `status`, `limit` and `cursor` are accepted here.");
    }
  }
  return { state: stateOf(query.get("status")), limit: limitOf(query.get("limit")), cursor: cursorOf(query.get("cursor")) };
}

function stateOf(text: string | undefined): JobState {
  if (text === undefined || text === "") return JobState.UNSPECIFIED;
  if (isJobStatus(text)) return jobStatuses[text];
  throw new FilemillError("BAD_REQUEST", `\`status\` is one of ${Object.keys(jobStatuses).join(", ")}.`);
}

function limitOf(text: string | undefined): number {
  if (text === undefined || text === "") return 20;
  const limit = Number(text);
  if (!/^\d{1,3}$/.test(text) || limit < 1 || limit > 100) throw new FilemillError("BAD_REQUEST", "`limit` is an integer from 1 to 100.");
  return limit;
}

function cursorOf(text: string | undefined): string {
  if (text === undefined || /^[\w.~=-]{0,200}$/.test(text)) return text ?? "";
  throw new FilemillError("BAD_REQUEST", "`cursor` is not one from an earlier answer.");
}
