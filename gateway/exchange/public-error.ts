import { ConnectError } from "@connectrpc/connect";
import type { FastifyRequest } from "fastify";
import { FilemillError, fromConnectError, statusOf } from "#contract/errors.ts";
import { prefersProblem } from "#gateway/http/accept.ts";
import type { ErrorContext } from "#gateway/http/error-body.ts";
import type { Log } from "#kit/log.ts";

export function errorContextOf(request: FastifyRequest, publicUrl: string | undefined): ErrorContext {
  const [path = "/"] = (request.raw.url ?? "/").split("?");
  return { requestId: request.id, problem: prefersProblem(request.headers.accept), path, baseUrl: publicUrl ?? "" };
}

/** Maps whatever was thrown to a public error. Unexpected errors are logged in full and reported as INTERNAL. */
export function publicErrorOf(error: unknown, requestId: string, log: Log): FilemillError {
  const known = ofFramework(error) ?? (error instanceof ConnectError ? fromConnectError(error) : error);
  const told =
    known instanceof FilemillError ? known : new FilemillError("INTERNAL", "Something went wrong on our side.", { cause: error });
  if (statusOf(told) === 500) {
    log.error("gateway.defect", { requestId, error: traceOf(error) });
  }
  return told;
}

/** Maps Fastify's own errors. */
function ofFramework(error: unknown): FilemillError | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (error instanceof Error && "validation" in error) return invalidBody(error.validation);
  switch (code) {
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return new FilemillError("UNSUPPORTED_MEDIA_TYPE", "The Content-Type header is malformed or not supported here.");
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
    case "FST_ERR_BAD_URL":
      return new FilemillError("BAD_REQUEST", "The request's address or length is malformed.");
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return new FilemillError("BAD_REQUEST", "The body is too long.");
    case "FST_ERR_CTP_INVALID_JSON_BODY":
    case "FST_ERR_CTP_EMPTY_JSON_BODY":
      return new FilemillError("BAD_REQUEST", "The body is not a JSON object.");
    case "FST_INVALID_MULTIPART_CONTENT_TYPE":
      return new FilemillError("UNSUPPORTED_MEDIA_TYPE", "Send the file as multipart/form-data.");
    default:
      return undefined;
  }
}

/** Names the first member that the schema of a JSON body rejects. */
function invalidBody(problems: unknown): FilemillError {
  const [first] = Array.isArray(problems) ? problems : [];
  const { missingProperty, additionalProperty } = first?.params ?? {};
  const named: unknown = missingProperty ?? additionalProperty ?? String(first?.instancePath ?? "").split("/")[1];
  const field = typeof named === "string" ? named.slice(0, 64) : "";
  if (field === "") return new FilemillError("BAD_REQUEST", "Send a JSON object.");
  const message =
    additionalProperty === undefined
      ? `\`${field}\` is missing or invalid.`
      : "The body has a member that is not accepted here (`details.field`).";
  return new FilemillError("BAD_REQUEST", message, { details: { field } });
}

function traceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? "" : ` <- ${traceOf(error.cause)}`;
  return `${error.stack ?? error.message}${cause}`;
}
