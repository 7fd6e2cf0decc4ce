/** The way from a file to a job, however the file comes in: admit, receive, detect the format, create the job. */
import { createHash, createHmac } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { FilemillError, fromConnectError, isAnswer } from "#contract/errors.ts";
import { parseFormatId } from "#formats/index.ts";
import type { Caller } from "#gateway/access/authenticate.ts";
import { budgetOf, type Passage } from "#gateway/access/budget.ts";
import { callerOf, type RestContext } from "#gateway/exchange/exchange.ts";
import type { CreateJobResponse, Job } from "#gen/filemill/job/v1/job_pb.ts";
import { tellMoment } from "#kit/moments.ts";
import type { Asked } from "./convert-request.ts";
import { unknownTarget } from "./hints.ts";
import { type Ceiling, discard, type Upload } from "./upload.ts";

/** Who wants which conversion, without the file itself. */
export type Submission = {
  readonly caller: Caller;
  /** The client's address, by which guests are counted. */
  readonly ip: string;
  readonly requestId: string;
  readonly asked: Pick<Asked, "from" | "options" | "idempotencyKey" | "inputPassword" | "outputPassword" | "deliverTo"> & {
    /** The answer will be 202, so the job must survive a crash from the start. */
    readonly isQueued: boolean;
  };
};

/** Receives the file. If it rejects, the submission is refused and nothing is kept. */
export type Receive = (rules: { readonly passage: Passage; readonly signal: AbortSignal }) => Promise<Upload>;

export type Submitted = { readonly job: Job; readonly replayed: boolean; readonly durable: boolean };

export function submissionOf(request: FastifyRequest, asked: Submission["asked"]): Submission {
  return { caller: callerOf(request), ip: request.ip, requestId: request.id, asked };
}

/**
 * Checks limits before any byte is read, then receives the file and creates the job.
 *
 * @param leastBytes - Lower bound of the file's size, as far as it is known.
 * @param over - Fires, with a FilemillError as its reason, when the job is no longer wanted.
 */
export async function submit(
  context: RestContext,
  submission: Submission,
  leastBytes: number,
  receive: Receive,
  over: AbortSignal,
): Promise<Submitted> {
  using passage = await admit(context, submission, leastBytes);
  over.throwIfAborted();
  const upload = await receive({ passage, signal: over });
  tellMoment("upload stored");
  const { job, replayed, durable } = await createJob(context, submission, { upload, passage }, over);
  if (job === undefined) throw new FilemillError("INTERNAL", "Something went wrong on our side.");
  return { job, replayed, durable };
}

async function admit(context: RestContext, { caller, ip, asked }: Submission, leastBytes: number): Promise<Passage> {
  if (context.draining.aborted) {
    throw new FilemillError("UNAVAILABLE", "The service is about to restart; try again in a moment.", { retryAfterMs: 5000 });
  }
  await context.diskRoom.check(caller.isGuest === true);
  return context.budgets.enter(budgetOf({ ip }, caller, context.deps.deviceKey), leastBytes, asked.idempotencyKey !== undefined);
}

/** The lower of the plan's and the route's limit. The route's applies only if both its formats are known. */
export function ceilingOf(context: Pick<RestContext, "views">, caller: Caller, from: string | undefined, to: string | undefined): Ceiling {
  const plan: Ceiling = { limitMb: caller.plan.maxInputMb, limitedBy: "plan" };
  const target = to === undefined ? undefined : parseFormatId(to)?.id;
  if (from === undefined || target === undefined) return plan;
  const route = context.views.known()?.routeOf(from, target);
  return route !== undefined && route.maxInputMb < plan.limitMb ? { limitMb: route.maxInputMb, limitedBy: "conversion" } : plan;
}

async function createJob(
  context: RestContext,
  { caller, requestId, asked }: Submission,
  { upload, passage }: { readonly upload: Upload; readonly passage: Passage },
  over: AbortSignal,
): Promise<CreateJobResponse & { readonly durable: boolean }> {
  const { blobs, jobs } = context.deps;
  const { account, plan } = caller;
  try {
    const { from, notes, extent } = await sourceOf(context, asked, upload);
    const to = parseFormatId(upload.to)?.id;
    if (to === undefined) throw unknownTarget(upload.to, context.views.known());
    over.throwIfAborted();
    // Syncing to disk costs more than a small conversion, so it is requested only if a 202 is certain.
    const durable = asked.isQueued || (context.views.known()?.routeOf(from, to)?.async ?? false);
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
      requestId,
      notes,
      ...(extent !== undefined && { extent }),
      durable,
      inputPassword: asked.inputPassword ?? "",
      outputPassword: asked.outputPassword ?? "",
      deliverTo: asked.deliverTo ?? "",
      budget: passage.budget,
    });
    if (created.replayed) await discard(blobs, upload.blob.id);
    // A replay stored nothing, and the job it returns may not be stored yet either.
    return { ...created, durable: durable && !created.replayed };
  } catch (error) {
    // After a failed call, the job may or may not own the blob. If it does not, the sweep removes the blob.
    if (isAnswer(error)) await discard(blobs, upload.blob.id);
    throw fromConnectError(error);
  }
}

async function sourceOf(context: RestContext, { from }: Pick<Asked, "from">, upload: Upload) {
  if (from !== undefined) return { from, notes: [], extent: undefined };
  const { format, nameDisagrees, extent } = await context.deps.conversion.inspect({ blob: upload.blob, fileName: upload.fileName });
  if (format === "" && nameDisagrees) {
    throw new FilemillError("INVALID_INPUT", "The file is not what its name says, and its format is not recognised; send an intact file.");
  }
  if (format === "") {
    throw new FilemillError(
      "UNKNOWN_SOURCE_FORMAT",
      "The file's format cannot be told from its content or name; name it with `?from=<format>`.",
    );
  }
  const message = "The file's content does not match its name; the content was used.";
  return { from: format, notes: nameDisagrees ? [{ code: "CONTENT_TYPE_CORRECTED", message }] : [], extent };
}

/**
 * Equal if a client requested the same result. The digest is stored, so a password goes in only as a keyed hash, which nobody can guess
 * without the key.
 */
function requestDigestOf(from: string, to: string, asked: Submission["asked"], upload: Upload, key: string): string {
  const { outputPassword } = asked;
  const secrets = outputPassword === undefined ? [] : [createHmac("sha256", key).update(`output-password ${outputPassword}`).digest("hex")];
  // Ignores the query string, because the same URL can be signed again.
  const places = asked.deliverTo === undefined ? [] : [asked.deliverTo.split("?")[0]];
  const options = [...asked.options].sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256")
    .update(JSON.stringify([from, to, options, upload.blob.digest, upload.fileName, ...secrets, ...places]))
    .digest("hex");
}
