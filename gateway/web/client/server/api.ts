import { refusalText, t } from "#client/parts/language.tsx";
import type { ErrorBody, Job } from "./wire.ts";

const base = "/web/v1";
/** Proves that Filemill's own page sent the request: other sites need a CORS preflight to send this header. */
export const ownHeader = { "X-Filemill": "1" } as const;

/** An error from the server, or no answer at all (code `OFFLINE`). */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;
  /** When to retry, if the server says so. */
  readonly retryAfterMs: number | undefined;
  /** The failed job, if there is one. */
  readonly job: Job | undefined;

  constructor(status: number, body: ErrorBody, retryAfter: string | null) {
    super(body.error.message);
    this.status = status;
    this.code = body.error.code;
    this.details = body.error.details ?? {};
    this.retryAfterMs = retryAfter === null || !/^\d+$/.test(retryAfter) ? undefined : Number(retryAfter) * 1000;
    this.job = body.job;
  }
}

export function offline(): ApiError {
  return new ApiError(0, { error: { code: "OFFLINE", message: t("error.OFFLINE") } }, null);
}

/** The error of an answer that is not 2xx, whatever its body contains. */
export function errorOf(status: number, text: string, retryAfter: string | null): ApiError {
  try {
    const body: unknown = JSON.parse(text);
    if (isErrorBody(body)) return new ApiError(status, body, retryAfter);
  } catch {
    // Not an error of the API: a proxy may have answered with its own page.
  }
  const message = t("error.UNREADABLE_ANSWER", { status });
  return new ApiError(status, { error: { code: "UNREADABLE_ANSWER", message } }, retryAfter);
}

/** The JSON of an answer that is 2xx. Throws an ApiError if a proxy answered with its own page. */
export function answerOf<Answer>(status: number, text: string): Answer {
  try {
    return JSON.parse(text);
  } catch {
    throw errorOf(status, text, null);
  }
}

function isErrorBody(body: unknown): body is ErrorBody {
  if (typeof body !== "object" || body === null || !("error" in body)) return false;
  const { error } = body;
  return typeof error === "object" && error !== null && "code" in error && "message" in error;
}

export type Asked = {
  readonly method?: "GET" | "POST" | "PATCH" | "DELETE";
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Calls an endpoint below /web/v1. Undefined for an answer without a body. Rejects with an ApiError. */
export async function call<Answer>(path: string, { method = "GET", body, signal, headers = {} }: Asked = {}): Promise<Answer> {
  const lost = (error: unknown): never => {
    throw signal?.aborted === true ? error : offline();
  };
  const response = await fetch(base + path, {
    method,
    credentials: "same-origin",
    headers: { ...ownHeader, ...headers, ...(body === undefined ? {} : { "Content-Type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  }).catch(lost);
  // The connection can also be lost after the headers.
  const text = await response.text().catch(lost);
  if (!response.ok) throw errorOf(response.status, text, response.headers.get("retry-after"));
  return text === "" ? (undefined as Answer) : answerOf<Answer>(response.status, text);
}

/** A message for the reader for anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof ApiError ? refusalText(error) : t("error.PAGE_FAILED");
}
