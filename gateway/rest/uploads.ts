/** Resumable uploads, with the same keys, plans, budgets and disk limits as uploads in one request. */

import { createReadStream } from "node:fs";
import { ReadableStream } from "node:stream/web";
import type { FastifyReply, FastifyRequest } from "fastify";
import { FilemillError } from "#contract/errors.ts";
import { budgetOf } from "#gateway/access/budget.ts";
import { newIdHeader, type ResumableUpload } from "#gateway/access/resumable-uploads.ts";
import { watchStanding } from "#gateway/access/standing.ts";
import { callerOf, type Handlers, type RestContext, sendErrorAnswer, sendJson } from "#gateway/exchange/exchange.ts";
import { errorContextOf } from "#gateway/exchange/public-error.ts";
import { bodyTooSlow, watchBodyPace } from "#gateway/http/body-pace.ts";
import { errorAnswerOf } from "#gateway/http/error-body.ts";
import { boundedFileName } from "#gateway/http/file-name.ts";
import { answerAndLinger, hasUnreadBody } from "#gateway/http/linger.ts";
import { abortable } from "#kit/abortable.ts";
import { type Following, following } from "#kit/following.ts";
import { answerConversion } from "./convert.ts";
import { type AskedBody, askedIn } from "./convert-request.ts";
import { storeBytes } from "./stored-bytes.ts";
import { ceilingOf, type Receive } from "./submission.ts";
import { tooLarge } from "./upload.ts";

/** A guest who leaves may never return, and the next guest at the address needs the room. */
const guestIdleMs = 3_600_000;

export const uploadHandlers = {
  /** POST /api/v1/uploads. Refuses an upload without room for its declared length, before any byte arrives. */
  async createUpload(context, request, reply) {
    const { uploads } = context;
    const caller = callerOf(request);
    checkServing(context);
    const said = String(request.headers["upload-length"] ?? "");
    if (!/^\d{1,15}$/.test(said)) throw new FilemillError("BAD_REQUEST", "Send the file's length in Upload-Length.");
    const sizeBytes = Number(said);
    if (sizeBytes === 0) throw new FilemillError("INVALID_INPUT", "The file is empty; send one with content.");
    const ceiling = ceilingOf(context, caller, undefined, undefined);
    if (sizeBytes > ceiling.limitMb * 1e6) throw tooLarge(ceiling);
    const budget = budgetOf(request, caller, context.deps.deviceKey);
    return uploads.inTurn(async () => {
      const others = await uploads.listOf(budget.id, budget.guest ? guestIdleMs : undefined);
      const { maxUnfinishedJobs: limit } = caller.plan;
      if (others.length >= limit) {
        throw new FilemillError("TOO_MANY_JOBS", "You have too many unfinished uploads; finish or delete one.", {
          details: { limit },
        });
      }
      await context.diskRoom.check(budget.guest);
      const declared = others.reduce((sum, other) => sum + other.sizeBytes, sizeBytes);
      using _room = await context.budgets.enter(budget, declared, false);
      return relay(context, request, reply, { newId: uploads.newIdOf(caller.account.id, budget.id) });
    });
  },
  /** GET and HEAD /api/v1/uploads/{id}. */
  async getUpload(context, request, reply) {
    const upload = await uploadOf(context, request);
    if (request.method === "HEAD") return relay(context, request, reply, upload);
    const { id, sizeBytes, offset, name, expiresAt } = upload;
    return sendJson(reply, 200, { upload: { id, sizeBytes, offset, name: name ?? null, expiresAt: expiresAt.toISOString() } });
  },
  /** PATCH /api/v1/uploads/{id}. */
  async continueUpload(context, request, reply) {
    const upload = await uploadOf(context, request);
    checkServing(context);
    await context.diskRoom.check(callerOf(request).isGuest === true);
    using standing = watchStanding(callerOf(request), context.deps.log);
    using over = following(standing.lost, context.ending);
    using _pace = watchBodyPace(request.raw, () => over.abort(bodyTooSlow()));
    if (/^100-continue$/i.test(request.headers.expect ?? "")) reply.raw.writeContinue();
    // By default, leaving the iterator early destroys the request and its connection before the answer is sent.
    const bytes = abortable(request.raw.iterator({ destroyOnReturn: false }), over.signal);
    return await relay(context, request, reply, upload, { bytes, over });
  },
  /** DELETE /api/v1/uploads/{id}. */
  async deleteUpload(context, request, reply) {
    return relay(context, request, reply, await uploadOf(context, request));
  },
  /** POST /api/v1/uploads/{id}/convert: like POST /convert, with a resumable upload. */
  async convertUpload(context, request, reply) {
    const body = request.body as AskedBody;
    const upload = await uploadOf(context, request);
    const { sizeBytes, offset, id } = upload;
    if (offset < sizeBytes) {
      const message = `The upload is incomplete: ${offset} of ${sizeBytes} bytes have arrived.`;
      throw new FilemillError("BAD_REQUEST", message, { details: { offset, sizeBytes } });
    }
    const asked = await askedIn(context, request, body);
    const answered = await answerConversion(
      context,
      request,
      reply,
      asked,
      sizeBytes,
      taking(context, request, upload, { ...body, from: asked.from }),
    );
    // Removed only after the answer was sent, so that a client that missed it can retry.
    const remove = (): void => void context.uploads.remove(id);
    if (reply.raw.writableFinished) remove();
    else reply.raw.once("finish", remove);
    return answered;
  },
} satisfies Handlers;

/** Copies the upload, so that it still exists if no job is created. */
function taking(
  context: RestContext,
  request: FastifyRequest,
  upload: ResumableUpload,
  { to, from, name }: Pick<AskedBody, "to" | "name"> & { readonly from: string | undefined },
): Receive {
  return async ({ passage, signal }) => {
    const ceiling = ceilingOf(context, callerOf(request), from, to);
    if (upload.sizeBytes > ceiling.limitMb * 1e6) throw tooLarge(ceiling);
    const rules = { blobs: context.deps.blobs, ceiling, passage, signal };
    const gone = () => new FilemillError("NOT_FOUND", "No such upload; start a new one.");
    const blob = await storeBytes(createReadStream(upload.path, { highWaterMark: 1 << 20 }), rules, gone);
    return { to, blob, fileName: boundedFileName(name ?? upload.name ?? "file") };
  };
}

function uploadOf(context: RestContext, request: FastifyRequest): Promise<ResumableUpload> {
  const params: Record<string, unknown> = { ...(typeof request.params === "object" ? request.params : {}) };
  return context.uploads.find(callerOf(request).account.id, String(params.id));
}

function checkServing({ draining }: RestContext): void {
  if (!draining.aborted) return;
  throw new FilemillError("UNAVAILABLE", "The service is about to restart; continue in a moment.", { retryAfterMs: 5000 });
}

type Meant = { readonly id: string } | { readonly newId: string };

/** Passes the request to the tus library and returns its answer. Errors get the usual format. */
async function relay(
  context: RestContext,
  request: FastifyRequest,
  reply: FastifyReply,
  meant: Meant,
  piece?: { readonly bytes: AsyncIterable<Uint8Array>; readonly over: Following },
): Promise<FastifyReply> {
  const headers = new Headers("newId" in meant ? { [newIdHeader]: meant.newId } : {});
  for (const [name, value] of Object.entries(request.headers)) {
    const isOfProtocol = /^(tus-|upload-)/.test(name) || (piece !== undefined && /^content-(type|length)$/.test(name));
    if (isOfProtocol && typeof value === "string") headers.set(name, value);
  }
  const url = `http://filemill/api/v1/uploads${"id" in meant ? `/${meant.id}` : ""}`;
  const stream = piece === undefined ? {} : { body: ReadableStream.from(piece.bytes), duplex: "half" };
  const answer = await context.uploads.answer(new Request(url, { method: request.method, headers, ...stream } as RequestInit));
  const ours = Object.fromEntries([...answer.headers].filter(([name]) => /^(tus-|upload-|location$|cache-control$)/.test(name)));
  reply.headers(ours);
  if (answer.status < 400) return reply.code(answer.status).send();
  piece?.over.signal.throwIfAborted();
  // Nothing else reads the rest of the body.
  piece?.over.abort();
  const error = refusalOf(answer.status, (await answer.text()).trim());
  const refusal = errorAnswerOf(error, errorContextOf(request, context.settings.PUBLIC_URL), {}, answer.status);
  if (!hasUnreadBody(request)) return sendErrorAnswer(reply, refusal);
  answerAndLinger(request, reply.headers(refusal.headers), refusal.status, refusal.body);
  return reply;
}

/** tus clients act on the status, so the library's status is kept. */
function refusalOf(status: number, said: string): FilemillError {
  if (status >= 500) return new FilemillError("UNAVAILABLE", "The piece could not be written; continue in a moment.");
  if (status === 413) return new FilemillError("INPUT_TOO_LARGE", "The upload is longer than its Upload-Length.");
  if (status === 404 || status === 410) return new FilemillError("NOT_FOUND", "No such upload; start a new one.");
  if (status === 409) return new FilemillError("BAD_REQUEST", "Upload-Offset is not where the upload ends; ask for the offset with HEAD.");
  return new FilemillError("BAD_REQUEST", said.slice(0, 200) || "The request is not a valid tus request.");
}
