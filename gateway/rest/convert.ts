import { createHash, createHmac } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { parseFormatId } from "#formats/index.ts";
import { budgetOf, type Passage } from "#gateway/access/budget.ts";
import { watchStanding } from "#gateway/access/standing.ts";
import { errorAnswerOf } from "#gateway/http/error-body.ts";
import { retryAfterOf } from "#gateway/http/headers.ts";
import type { CreateJobResponse, Job } from "#gen/filemill/job/v1/job_pb.ts";
import { JobState } from "#gen/filemill/job/v1/job_pb.ts";
import { FilemillError, fromConnectError, fromErrorMessage, isAnswer } from "#kit/errors.ts";
import { following } from "#kit/following.ts";
import { isEnded, jobJsonOf, jobUrlOf } from "#kit/job-json.ts";
import { tellMoment } from "#kit/moments.ts";
import { sendArtifact } from "./artifact.ts";
import { type Asked, type Download, parseAsked } from "./convert-request.ts";
import { errorContextOf } from "./errors.ts";
import { apiUrlOf, callerOf, departureOf, type Handler, type RestContext, sendErrorAnswer, sendJson } from "./exchange.ts";
import { unexpectedField, unknownTarget } from "./hints.ts";
import { type Ceiling, checkContentLength, discard, receiveUpload, type Upload } from "./upload.ts";
import { waitForEnd } from "./watch.ts";

/** POST /api/v1/convert: admit, receive, tell the format, create the job, wait, answer. */
export function convertHandler(context: RestContext): Handler {
  return async (request, reply) => {
    const asked = parseAsked(request, context.views.known());
    const apiUrl = apiUrlOf(context, request);
    using standing = watchStanding(callerOf(request), context.deps.log);
    using over = following(departureOf(reply), standing.lost);
    using passage = await admit(context, request, asked);
    over.signal.throwIfAborted();
    if (/^100-continue$/i.test(request.headers.expect ?? "")) reply.raw.writeContinue();
    const upload = await receiveUpload(request, {
      blobs: context.deps.blobs,
      ceilingOf: (to) => ceilingOf(context, request, asked, to),
      unexpected: (field) => unexpectedField(field, context.views.known()),
      signal: over.signal,
      passage,
      mayBeHeld: context.deps.readersAreHere,
    });
    tellMoment("upload stored");
    const { job, replayed, durable } = await createJob(context, request, asked, { upload, passage }, over.signal);
    if (job === undefined) throw new FilemillError("INTERNAL", "Something went wrong on our side.");
    if (replayed) reply.header("idempotent-replayed", "true");
    const waitMs = Math.min(context.settings.INLINE_WAIT_MS, asked.preferences.waitMs ?? Number.POSITIVE_INFINITY);
    const queued = asked.preferences.respondAsync || (job.async && !(replayed && isEnded(job)));
    const latest = queued ? promisedOf(job, replayed) : await waitForEnd(context.deps, job, waitMs, over.signal, context.ending);
    standing.lost.throwIfAborted();
    if (!(isEnded(latest) || durable || over.signal.aborted))
      await context.deps.jobs.persistJob({ accountId: job.accountId, jobId: job.id });
    tellMoment("answer due", job.id);
    applyPreferences(reply, asked.preferences, queued ? -1 : waitMs);
    if (queued || !isEnded(latest)) return promise(reply, latest, apiUrl, asked.download);
    return answer(context, request, reply, latest, apiUrl, asked.download);
  };
}

/**
 * The job as it was accepted, however soon it ended: who asked to be told later gets a place to ask at, which an ended job has no
 * more. A job of before is shown as it is.
 */
function promisedOf(job: Job, replayed: boolean): Job {
  return replayed || !isEnded(job) ? job : { ...job, state: JobState.QUEUED };
}

function promise(reply: FastifyReply, job: Job, apiUrl: string, download: Download): FastifyReply {
  // Relative to this address, so that a proxy in front with another host name or a prefix does not matter.
  if (download === "wait") return reply.header("location", `jobs/${job.id}/download?wait=1`).code(303).send();
  reply.headers({ location: jobUrlOf(job, apiUrl), "retry-after": retryAfterOf(job.estimateMs) });
  return sendJson(reply, 202, { job: jobJsonOf(job, apiUrl) });
}

/** Everything that can be refused before one byte of the body is read. */
async function admit(context: RestContext, request: FastifyRequest, asked: Asked): Promise<Passage> {
  if (context.draining.aborted) {
    throw new FilemillError("UNAVAILABLE", "The service is about to restart; try again in a moment.", { retryAfterMs: 5000 });
  }
  const caller = callerOf(request);
  const leastBytes = checkContentLength(request, ceilingOf(context, request, asked, undefined));
  await context.diskRoom.check(caller.isGuest === true);
  return context.budgets.enter(budgetOf(request, caller, context.deps.deviceKey), leastBytes, asked.idempotencyKey !== undefined);
}

/** The smaller of the plan's bound and the route's, as far as both ends of the route are known. */
function ceilingOf(context: RestContext, request: FastifyRequest, asked: Asked, to: string | undefined): Ceiling {
  const plan: Ceiling = { limitMb: callerOf(request).plan.maxInputMb, limitedBy: "plan" };
  const target = to === undefined ? undefined : parseFormatId(to)?.id;
  if (asked.from === undefined || target === undefined) return plan;
  const route = context.views.known()?.routeOf(asked.from, target);
  return route !== undefined && route.maxInputMb < plan.limitMb ? { limitMb: route.maxInputMb, limitedBy: "conversion" } : plan;
}

async function createJob(
  context: RestContext,
  request: FastifyRequest,
  asked: Asked,
  { upload, passage }: { readonly upload: Upload; readonly passage: Passage },
  over: AbortSignal,
): Promise<CreateJobResponse & { readonly durable: boolean }> {
  const { blobs, jobs } = context.deps;
  const { account, plan } = callerOf(request);
  try {
    const { from, notes } = await sourceOf(context, asked, upload);
    const to = parseFormatId(upload.to)?.id;
    if (to === undefined) throw unknownTarget(upload.to, context.views.known());
    over.throwIfAborted();
    // Forcing the disk costs more than a small conversion. It is asked for at once only where 202 is certain.
    const durable = asked.preferences.respondAsync || (context.views.known()?.routeOf(from, to)?.async ?? false);
    passage[Symbol.dispose]();
    const created = await jobs.createJob({
      accountId: account.id,
      from,
      to,
      options: Object.fromEntries(asked.options),
      input: upload.blob,
      sourceName: upload.fileName,
      idempotencyKey: asked.idempotencyKey ?? "",
      requestDigest: requestDigestOf(from, to, asked, upload, context.deps.deviceKey),
      planMaxInputMb: plan.maxInputMb,
      planMaxUnfinishedJobs: plan.maxUnfinishedJobs,
      planRetentionSeconds: plan.retentionSeconds,
      requestId: request.id,
      notes,
      durable,
      inputPassword: asked.inputPassword ?? "",
      outputPassword: asked.outputPassword ?? "",
      budget: passage.budget,
    });
    if (created.replayed) await discard(blobs, upload.blob.id);
    // A replay wrote nothing: its job may be one that was not promised yet.
    return { ...created, durable: durable && !created.replayed };
  } catch (error) {
    // After a broken call nobody knows whether the job owns the blob now; if not, the sweep takes it.
    if (isAnswer(error)) await discard(blobs, upload.blob.id);
    throw fromConnectError(error);
  }
}

async function sourceOf(context: RestContext, asked: Asked, upload: Upload) {
  if (asked.from !== undefined) return { from: asked.from, notes: [] };
  const { format, nameDisagrees } = await context.deps.conversion.inspect({ blob: upload.blob, fileName: upload.fileName });
  if (format === "" && nameDisagrees) {
    throw new FilemillError("INVALID_INPUT", "The file is not what its name says, and its content tells no format; send an intact one.");
  }
  if (format === "") {
    throw new FilemillError("UNKNOWN_SOURCE_FORMAT", "Neither content nor name tells the file's format; name it with `?from=<format>`.");
  }
  const message = "The file's content is not what its name says; the content was believed.";
  return { from: format, notes: nameDisagrees ? [{ code: "CONTENT_TYPE_CORRECTED", message }] : [] };
}

/** Equal where a client chose the same result. It is stored, so that a password is in it only as what nobody without the key can guess. */
function requestDigestOf(from: string, to: string, asked: Asked, upload: Upload, key: string): string {
  const { outputPassword } = asked;
  const secrets = outputPassword === undefined ? [] : [createHmac("sha256", key).update(`output-password ${outputPassword}`).digest("hex")];
  const options = [...asked.options].sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256")
    .update(JSON.stringify([from, to, options, upload.blob.digest, upload.fileName, ...secrets]))
    .digest("hex");
}

/** Names what was followed: not a wait of what is always queued, nor one that is longer than the server's own. */
function applyPreferences(reply: FastifyReply, preferences: Asked["preferences"], longestWaitMs: number): void {
  if (preferences.respondAsync) reply.header("preference-applied", "respond-async");
  else if (preferences.waitMs !== undefined && preferences.waitMs <= longestWaitMs)
    reply.header("preference-applied", `wait=${preferences.waitMs / 1000}`);
}

/** The end of a conversion that was waited for. */
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
    // Whatever ended the conversion, the request itself was well: the contract's 422, unless somebody cancelled it.
    const status = job.state === JobState.FAILED ? 422 : undefined;
    const failure = errorAnswerOf(error, errorContextOf(request, context.settings.PUBLIC_URL), { job: body }, status);
    return sendErrorAnswer(reply, failure);
  }
  if (download !== "no") return sendArtifact(reply, context.deps.blobs, job, { method: "POST" });
  return sendJson(reply, 200, { job: body });
}
