/**
 * The one table of errors. REST status and code, gRPC code, documentation and job records all derive from it.
 *
 * @see contract: RFC 9457 (problem details), https://google.aip.dev/193 (ErrorInfo).
 */
import { create, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { type Error as ErrorMessage, ErrorSchema, Reason } from "#gen/filemill/common/v1/error_pb.ts";
import { ErrorInfoSchema, RetryInfoSchema } from "#gen/google/rpc/error_details_pb.ts";

export type ErrorCode = Exclude<keyof typeof Reason, "UNSPECIFIED">;

type ErrorRow = {
  /** HTTP status of the REST response. */
  readonly http: number;
  /** Used instead when the error says when to retry. */
  readonly httpLater?: number;
  readonly rpc: Code;
  /** When it happens, for the documentation. No full stop. */
  readonly when: string;
};

export const errorTable = {
  BAD_REQUEST: { http: 400, rpc: Code.InvalidArgument, when: "Malformed multipart body, query or header" },
  UNSUPPORTED_MEDIA_TYPE: { http: 415, rpc: Code.InvalidArgument, when: "The body of POST /convert is not multipart/form-data" },
  MISSING_FIELD: { http: 400, rpc: Code.InvalidArgument, when: "`to` or `file` is missing (`details.field`)" },
  UNEXPECTED_FIELD: {
    http: 400,
    rpc: Code.InvalidArgument,
    when: "The form has another field, or one of the two twice (`details.field`). Options go into the query string",
  },
  INVALID_OPTION: {
    http: 400,
    rpc: Code.InvalidArgument,
    when: "This conversion has no such option, or the value is not allowed (`details.option`, `details.allowed`, `details.suggestions`)",
  },
  MISSING_API_KEY: { http: 401, rpc: Code.Unauthenticated, when: "The Authorization header is missing" },
  INVALID_API_KEY: { http: 401, rpc: Code.Unauthenticated, when: "The key is malformed or unknown" },
  API_KEY_REVOKED: { http: 401, rpc: Code.Unauthenticated, when: "The key was revoked or has expired" },
  NOT_ENTITLED: {
    http: 403,
    rpc: Code.PermissionDenied,
    when: "The plan has no API access, the key lacks the scope (`details.scope`), or the account is disabled",
  },
  INVALID_CREDENTIALS: { http: 401, rpc: Code.Unauthenticated, when: "Pages: wrong e-mail address, password or sign-in link" },
  SIGN_IN_REQUIRED: { http: 401, rpc: Code.Unauthenticated, when: "Pages: not signed in" },
  SIGN_UP_CLOSED: { http: 403, rpc: Code.PermissionDenied, when: "Pages: only the operator can create accounts here" },
  CROSS_SITE_REQUEST: { http: 403, rpc: Code.PermissionDenied, when: "Pages: the request did not come from Filemill's own pages" },
  JOB_NOT_FOUND: { http: 404, rpc: Code.NotFound, when: "No such job, or it belongs to another account" },
  NOT_FOUND: { http: 404, rpc: Code.NotFound, when: "No such path" },
  METHOD_NOT_ALLOWED: { http: 405, rpc: Code.Unimplemented, when: "The path does not support this method (see the Allow header)" },
  REQUEST_TIMEOUT: { http: 408, rpc: Code.DeadlineExceeded, when: "The request's headers or body arrived too slowly" },
  JOB_NOT_DONE: { http: 409, rpc: Code.FailedPrecondition, when: "Download before the job is done" },
  JOB_FAILED: { http: 409, rpc: Code.FailedPrecondition, when: "Download of a failed job (`details.reason`)" },
  JOB_CANCELLED: { http: 409, rpc: Code.Aborted, when: "The job was cancelled" },
  ACCOUNT_EXISTS: { http: 409, rpc: Code.AlreadyExists, when: "An account with this e-mail address already exists" },
  RESULT_EXPIRED: { http: 410, rpc: Code.FailedPrecondition, when: "The result was deleted after `expiresAt`" },
  INPUT_TOO_LARGE: {
    http: 413,
    rpc: Code.ResourceExhausted,
    when: "The file is over the size limit (`details.limitMb`, `details.limitedBy` = `plan` or `conversion`)",
  },
  UNKNOWN_SOURCE_FORMAT: { http: 415, rpc: Code.InvalidArgument, when: "The format cannot be told from the content or the name" },
  UNSUPPORTED_TARGET: { http: 422, rpc: Code.InvalidArgument, when: "No such target format (`details.to`, `details.suggestions`)" },
  UNSUPPORTED_CONVERSION: {
    http: 422,
    rpc: Code.InvalidArgument,
    when: "No conversion between these two formats (`details.from`, `details.to`, `details.alternatives`)",
  },
  INVALID_INPUT: { http: 422, rpc: Code.InvalidArgument, when: "The file is empty, truncated, damaged, or not what it claims to be" },
  PASSWORD_REQUIRED: { http: 422, rpc: Code.InvalidArgument, when: "The file is protected by a password" },
  INPUT_TOO_COMPLEX: { http: 422, rpc: Code.InvalidArgument, when: "Pixels, pages, entries, nesting or expansion exceed the safe limit" },
  CONVERSION_FAILED: {
    http: 422,
    rpc: Code.Internal,
    when: "The engine gave up on this file or crashed, and nothing shows that the file is at fault",
  },
  CONVERSION_TIMEOUT: { http: 422, rpc: Code.DeadlineExceeded, when: "The engine exceeded its time limit" },
  IDEMPOTENCY_KEY_REUSED: {
    http: 422,
    rpc: Code.FailedPrecondition,
    when: "The Idempotency-Key was already used with a different request",
  },
  RATE_LIMITED: { http: 429, rpc: Code.ResourceExhausted, when: "Too many requests per minute (see Retry-After)" },
  TOO_MANY_JOBS: { http: 429, rpc: Code.ResourceExhausted, when: "The account has too many unfinished jobs (`details.limit`)" },
  QUOTA_EXCEEDED: {
    http: 507,
    httpLater: 429,
    rpc: Code.ResourceExhausted,
    when: "Stored files leave no room (507; `details.limitMb`, `details.usedMb`: delete jobs), a result exceeds the plan's size limit (the job fails; `details.limitMb`), or the CPU time for this hour is used up (429; `details.limitSeconds`, `details.usedSeconds`, see Retry-After)",
  },
  INTERNAL: { http: 500, rpc: Code.Internal, when: "A bug in Filemill; search the log for the request ID" },
  OVERLOADED: { http: 503, rpc: Code.Unavailable, when: "The queue is full (see Retry-After)" },
  UNAVAILABLE: { http: 503, rpc: Code.Unavailable, when: "The broker or the disk is unavailable (see Retry-After)" },
  ACCOUNT_NOT_FOUND: { http: 404, rpc: Code.NotFound, when: "No such account" },
  KEY_NOT_FOUND: { http: 404, rpc: Code.NotFound, when: "No such key ID" },
  WEBHOOK_NOT_FOUND: { http: 404, rpc: Code.NotFound, when: "No such webhook or delivery, or it belongs to another account" },
  INVALID_RPC_TOKEN: { http: 500, rpc: Code.Unauthenticated, when: "Internal services: the call has no valid token" },
  PLAN_NOT_FOUND: { http: 422, rpc: Code.InvalidArgument, when: "No such plan" },
} as const satisfies Record<ErrorCode, ErrorRow>;

/** HTTP status of an error. */
export function statusOf({ code, retryAfterMs }: Pick<FilemillError, "code" | "retryAfterMs">): number {
  const row: ErrorRow = errorTable[code];
  return retryAfterMs === undefined ? row.http : (row.httpLater ?? row.http);
}

/** Every HTTP status that a code may have. */
export function statusesOf(code: ErrorCode): readonly number[] {
  const { http, httpLater }: ErrorRow = errorTable[code];
  return httpLater === undefined ? [http] : [http, httpLater];
}

export type ErrorOptions = { readonly details?: JsonObject; readonly retryAfterMs?: number; readonly cause?: unknown };

/** An error with a stable code. `message` is one sentence for the client: no paths, no command lines. */
export class FilemillError extends Error {
  override readonly name = "FilemillError";
  readonly code: ErrorCode;
  readonly details: JsonObject | undefined;
  /** Hint for Retry-After. */
  readonly retryAfterMs: number | undefined;

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** The error for an option's value; clients read `allowed`. */
export function invalidOption(option: string, message: string, allowed?: JsonValue): FilemillError {
  return new FilemillError("INVALID_OPTION", message, { details: allowed === undefined ? { option } : { option, allowed } });
}

export function isErrorCode(text: string): text is ErrorCode {
  return text in errorTable;
}

/** The public code of a reason; INTERNAL if this build does not know the reason. */
export function codeOf(reason: Reason): ErrorCode {
  const name = Object.entries(Reason).find(([, value]) => value === reason)?.[0];
  return name !== undefined && isErrorCode(name) ? name : "INTERNAL";
}

/** The form stored with a job. */
export function toErrorMessage(error: FilemillError): ErrorMessage {
  return create(ErrorSchema, {
    reason: Reason[error.code],
    message: error.message,
    ...(error.details === undefined ? {} : { details: error.details }),
  });
}

export function fromErrorMessage(message: ErrorMessage): FilemillError {
  return new FilemillError(codeOf(message.reason), message.message, message.details === undefined ? {} : { details: message.details });
}

/** The error that a service sends over the wire: google.rpc.ErrorInfo, RetryInfo and Filemill's own detail. */
export function toConnectError(error: unknown): ConnectError {
  if (error instanceof ConnectError) return error;
  if (!(error instanceof FilemillError))
    return new ConnectError("Something went wrong on our side.", Code.Internal, undefined, undefined, error);
  const metadata: Record<string, string> = {};
  for (const [key, value] of Object.entries(error.details ?? {})) metadata[key] = typeof value === "string" ? value : JSON.stringify(value);
  const connectError = new ConnectError(error.message, errorTable[error.code].rpc, undefined, undefined, error);
  connectError.details.push(
    { desc: ErrorInfoSchema, value: { reason: error.code, domain: "filemill", metadata } },
    { desc: ErrorSchema, value: toErrorMessage(error) },
  );
  if (error.retryAfterMs !== undefined) {
    const seconds = Math.floor(error.retryAfterMs / 1000);
    const nanos = Math.round((error.retryAfterMs % 1000) * 1e6);
    connectError.details.push({ desc: RetryInfoSchema, value: { retryDelay: { seconds: BigInt(seconds), nanos } } });
  }
  return connectError;
}

/** Whether the error is the called service's answer. If the call broke off, how far it got is unknown. */
export function isAnswer(error: unknown): boolean {
  return error instanceof FilemillError || (error instanceof ConnectError && error.findDetails(ErrorSchema).length > 0);
}

/** Codes of a call that got no answer, or whose server died during it: the connection was reset or the stream closed. */
const noAnswer: ReadonlySet<Code> = new Set([Code.Unavailable, Code.DeadlineExceeded, Code.Aborted, Code.Canceled]);

/** The same error on the caller's side. Anything without Filemill's detail becomes UNAVAILABLE or INTERNAL. */
export function fromConnectError(error: unknown): FilemillError {
  if (error instanceof FilemillError) return error;
  if (error instanceof ConnectError) {
    const detail = error.findDetails(ErrorSchema)[0];
    const delay = error.findDetails(RetryInfoSchema)[0]?.retryDelay;
    const retryAfterMs = delay === undefined ? undefined : Number(delay.seconds) * 1000 + delay.nanos / 1e6;
    if (detail !== undefined) {
      const known = fromErrorMessage(detail);
      return new FilemillError(known.code, known.message, {
        ...(known.details === undefined ? {} : { details: known.details }),
        ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
        cause: error,
      });
    }
    if (noAnswer.has(error.code)) {
      return new FilemillError("UNAVAILABLE", "The service is not available right now; try again.", { retryAfterMs: 2000, cause: error });
    }
  }
  return new FilemillError("INTERNAL", "Something went wrong on our side.", { cause: error });
}

/** For `.catch` of a call to a service. */
export function throwKnown(error: unknown): never {
  throw fromConnectError(error);
}
