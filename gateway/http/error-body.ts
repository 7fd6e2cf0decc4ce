import { STATUS_CODES } from "node:http";
import type { JsonObject } from "@bufbuild/protobuf";
import { type FilemillError, statusOf } from "#contract/errors.ts";

/** The error format that the client requested, and facts of the request. */
export type ErrorContext = {
  readonly requestId: string;
  /** RFC 9457 instead of Filemill's own format. */
  readonly problem: boolean;
  /** Path of the request, for `instance`. */
  readonly path: string;
  /** Prefix of the documentation URL. If empty, `type` is relative, which RFC 9457 allows. */
  readonly baseUrl: string;
};

export type ErrorAnswer = { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string };

/** The HTTP answer for an error. `beside` holds members next to the error, such as the failed job. */
export function errorAnswerOf(error: FilemillError, context: ErrorContext, beside: JsonObject = {}, status?: number): ErrorAnswer {
  const httpStatus = status ?? statusOf(error);
  const details = error.details === undefined ? {} : { details: error.details };
  const headersOf = (contentType: string) => ({ "content-type": contentType, "x-error": summaryOf(error) });
  if (context.problem) {
    const body = {
      type: `${context.baseUrl}/docs/errors#${error.code}`,
      title: STATUS_CODES[httpStatus] ?? "Error",
      status: httpStatus,
      detail: error.message,
      instance: context.path,
      code: error.code,
      requestId: context.requestId,
      ...details,
      ...beside,
    };
    return { status: httpStatus, headers: headersOf("application/problem+json"), body: JSON.stringify(body) };
  }
  const body = { error: { code: error.code, message: error.message, requestId: context.requestId, ...details }, ...beside };
  return { status: httpStatus, headers: headersOf("application/json"), body: JSON.stringify(body) };
}

const MAX_SUMMARY_CHARACTERS = 1000;

/** Code and message in one header, for answers whose body is not seen: answers to HEAD, and to `curl -f`, which discards it. */
function summaryOf({ code, message }: FilemillError): string {
  const ascii = message.replaceAll("…", "...").replace(/[^\x20-\x7e]/g, "?");
  return `${code}: ${ascii}`.slice(0, MAX_SUMMARY_CHARACTERS);
}
