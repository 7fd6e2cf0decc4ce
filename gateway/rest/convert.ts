import type { FastifyReply, FastifyRequest } from "fastify";
import { FilemillError, fromErrorMessage } from "#contract/errors.ts";
import { isEnded, jobJsonOf, jobUrlOf } from "#contract/job-json.ts";
import { watchStanding } from "#gateway/access/standing.ts";
import { apiUrlOf, callerOf, departureOf, type Handler, type RestContext, sendErrorAnswer, sendJson } from "#gateway/exchange/exchange.ts";
import { errorContextOf } from "#gateway/exchange/public-error.ts";
import { errorAnswerOf } from "#gateway/http/error-body.ts";
import { retryAfterOf } from "#gateway/http/headers.ts";
import { type Job, JobState } from "#gen/filemill/job/v1/job_pb.ts";
import { following } from "#kit/following.ts";
import { tellMoment } from "#kit/moments.ts";
import { sendArtifact } from "./artifact.ts";
import { type Asked, type Download, parseAsked } from "./convert-request.ts";
import { unexpectedField } from "./hints.ts";
import { ceilingOf, type Receive, submissionOf, submit } from "./submission.ts";
import { checkContentLength, receiveUpload } from "./upload.ts";
import { waitForEnd } from "./watch.ts";

/** POST /api/v1/convert: admits the request, receives the file, detects its format, creates the job, waits and answers. */
export const convertHandler: Handler = async (context, request, reply) => {
  const asked = parseAsked(request, context.views.known());
  const caller = callerOf(request);
  const leastBytes = checkContentLength(request, ceilingOf(context, caller, asked.from, undefined));
  return answerConversion(context, request, reply, asked, leastBytes, ({ passage, signal }) => {
    if (/^100-continue$/i.test(request.headers.expect ?? "")) reply.raw.writeContinue();
    return receiveUpload(request, {
      blobs: context.deps.blobs,
      ceilingOf: (to) => ceilingOf(context, caller, asked.from, to),
      unexpected: (field) => unexpectedField(field, context.views.known()),
      signal,
      passage,
    });
  });
};

/** Creates the job for the file from `receive`, waits for it as requested, and answers with the job or its result. */
export async function answerConversion(
  context: RestContext,
  request: FastifyRequest,
  reply: FastifyReply,
  asked: Asked,
  leastBytes: number,
  receive: Receive,
): Promise<FastifyReply> {
  const apiUrl = apiUrlOf(context, request);
  using standing = watchStanding(callerOf(request), context.deps.log);
  using over = following(departureOf(reply), standing.lost);
  const submission = submissionOf(request, { ...asked, isQueued: asked.preferences.respondAsync });
  const { job, replayed, durable } = await submit(context, submission, leastBytes, receive, over.signal);
  if (replayed) reply.header("idempotent-replayed", "true");
  const waitMs = Math.min(context.settings.INLINE_WAIT_MS, asked.preferences.waitMs ?? Number.POSITIVE_INFINITY);
  const queued = asked.preferences.respondAsync || (!isEnded(job) && isNotWaitedFor(job, waitMs)) || (job.async && !replayed);
  const latest = queued ? promisedOf(job, replayed) : await waitForEnd(context.deps, job, waitMs, over.signal, context.ending);
  standing.lost.throwIfAborted();
  if (!(isEnded(latest) || durable || over.signal.aborted)) await context.deps.jobs.persistJob({ accountId: job.accountId, jobId: job.id });
  tellMoment("answer due", job.id);
  applyPreferences(reply, asked.preferences, queued ? -1 : waitMs);
  if (queued || !isEnded(latest)) return promise(reply, latest, apiUrl, asked.download);
  return answer(context, request, reply, latest, apiUrl, asked.download);
}

/** Estimates are accurate within a factor of two. If the estimate exceeds twice the wait, waiting is pointless. */
function isNotWaitedFor({ async, estimateMs = 0 }: Job, waitMs: number): boolean {
  return async || estimateMs > 2 * waitMs;
}

/**
 * Shows the job as accepted, even if it has ended already. A client that asked not to wait gets a `status_url`, which an ended job does not
 * have. A replayed job is shown as it is.
 */
function promisedOf(job: Job, replayed: boolean): Job {
  return replayed || !isEnded(job) ? job : { ...job, state: JobState.QUEUED };
}

function promise(reply: FastifyReply, job: Job, apiUrl: string, download: Download): FastifyReply {
  // Relative, so that it works behind a proxy with another host name or a prefix.
  if (download === "wait") return reply.header("location", `jobs/${job.id}/download?wait=1`).code(303).send();
  reply.headers({ location: jobUrlOf(job, apiUrl), "retry-after": retryAfterOf(job.estimateMs) });
  return sendJson(reply, 202, { job: jobJsonOf(job, apiUrl) });
}

/**
 * Names the preference that was applied. A `wait` is not named for jobs that are always queued, or if it exceeds the server's own limit.
 */
function applyPreferences(reply: FastifyReply, preferences: Asked["preferences"], longestWaitMs: number): void {
  if (preferences.respondAsync) reply.header("preference-applied", "respond-async");
  else if (preferences.waitMs !== undefined && preferences.waitMs <= longestWaitMs)
    reply.header("preference-applied", `wait=${preferences.waitMs / 1000}`);
}

/** Answers with a finished conversion. */
async function answer(
  context: RestContext,
  request: FastifyRequest,
  reply: FastifyReply,
  job: Job,
  apiUrl: string,
  download: Download,
): Promise<FastifyReply> {
  const body = jobJsonOf(job, apiUrl);
  if (job.state === JobState.FAILED || job.state === JobState.CANCELLED) {
    const error = job.error === undefined ? new FilemillError("JOB_CANCELLED", "The job was cancelled.") : fromErrorMessage(job.error);
    // The request itself was valid, so a failed conversion is always 422. A cancelled one has its own status.
    const status = job.state === JobState.FAILED ? 422 : undefined;
    const failure = errorAnswerOf(error, errorContextOf(request, context.settings.PUBLIC_URL), { job: body }, status);
    return sendErrorAnswer(reply, failure);
  }
  if (download !== "no") return sendArtifact(reply, context.deps.blobs, job, { method: "POST" });
  return sendJson(reply, 200, { job: body });
}
