import type { FastifyReply, FastifyRequest } from "fastify";
import type { FilemillError } from "#contract/errors.ts";
import { challengeOf } from "#gateway/access/authenticate.ts";
import { sendErrorAnswer } from "#gateway/exchange/exchange.ts";
import { errorContextOf, publicErrorOf } from "#gateway/exchange/public-error.ts";
import { errorAnswerOf } from "#gateway/http/error-body.ts";
import { retryAfterOf, securityHeaders } from "#gateway/http/headers.ts";
import { answerAndLinger, hasUnreadBody } from "#gateway/http/linger.ts";
import { sendRefusalPage, wantsPage } from "#gateway/web/refusal-page.ts";
import type { Log } from "#kit/log.ts";

/** Sends an error in the format that the client requested. If the request has an unread body, see linger.ts. */
export function sendError(request: FastifyRequest, reply: FastifyReply, error: FilemillError, publicUrl: string | undefined): void {
  const answer = errorAnswerOf(error, errorContextOf(request, publicUrl));
  reply.headers(answer.headers);
  if (answer.status === 401) reply.header("www-authenticate", challengeOf(error));
  const tellsWhen = error.retryAfterMs !== undefined || answer.status === 429 || answer.status === 503;
  if (tellsWhen) reply.header("retry-after", retryAfterOf(error.retryAfterMs));
  if (hasUnreadBody(request)) answerAndLinger(request, reply, answer.status, answer.body);
  else sendErrorAnswer(reply, answer);
}

/** Sends an error as a page to a browser, and as JSON to other clients. */
export function refuse(
  request: FastifyRequest,
  reply: FastifyReply,
  error: FilemillError,
  publicUrl: string | undefined,
): Promise<FastifyReply> | undefined {
  const asJson = (): FastifyReply => {
    sendError(request, reply, error, publicUrl);
    return reply;
  };
  if (wantsPage(request) && !hasUnreadBody(request)) return sendRefusalPage(request, reply, error).catch(asJson);
  asJson();
  return undefined;
}

/** Answers errors that Fastify raises before any hook runs, such as a malformed path. */
export function answerFrameworkError(
  log: Log,
  publicUrl: string | undefined,
  error: Error,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  reply.headers({ ...securityHeaders, "x-request-id": request.id });
  void refuse(request, reply, publicErrorOf(error, request.id, log), publicUrl);
}
