/** One call to a server's public REST API. */
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { Readable } from "node:stream";
import { json, text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { createGunzip } from "node:zlib";
import type { FormDataEncoder } from "form-data-encoder";
import { FilemillError, isErrorCode } from "#contract/errors.ts";
import type { ServerAddress } from "./server-address.ts";

export type RestCall = {
  readonly method?: "GET" | "POST" | "DELETE";
  /** Relative to the server's URL, without a leading slash; or an absolute URL of the same server. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Creates a new body for each attempt. */
  readonly body?: () => FormDataEncoder;
  onSent?(bytes: number, totalBytes: number): void;
  readonly signal?: AbortSignal;
};

const tries = 5;
const longestPauseMs = 60_000;

/**
 * Sends a request, and retries it if the server asks for that (429, 503).
 *
 * @returns the answer, its body unread
 * @throws FilemillError with the server's code and message; UNAVAILABLE if it cannot be reached; the reason of an abort
 */
export async function callRest(server: ServerAddress, call: RestCall): Promise<IncomingMessage> {
  for (let attempt = 1; ; attempt++) {
    const answer = await send(server, call);
    const status = answer.statusCode ?? 0;
    if (status < 300) return answer;
    if (status < 400) throw redirection(server, call, answer);
    const error = await errorOf(answer);
    const pauseMs = Number(answer.headers["retry-after"] ?? Number.NaN) * 1000;
    const isWorthIt = (status === 429 || status === 503) && pauseMs <= longestPauseMs && attempt < tries;
    if (!isWorthIt) throw error;
    await sleep(pauseMs, undefined, { signal: call.signal }).catch(() => call.signal?.throwIfAborted());
  }
}

/**
 * Calls an endpoint that answers with JSON, compressed or not.
 *
 * @param member - A member that every answer of the endpoint has
 * @throws FilemillError also if the answer breaks off or is not Filemill's
 */
export async function callJson<T>(server: ServerAddress, call: RestCall, member: keyof T & string): Promise<T> {
  const answer = await callRest(server, call);
  const isZipped = answer.headers["content-encoding"] === "gzip";
  const body = await (isZipped ? pipeline(answer, createGunzip(), text) : text(answer)).catch((cause: Error) => {
    throw call.signal?.aborted === true ? call.signal.reason : brokenOff(cause);
  });
  const said = parsed(body);
  if (isObject(said) && member in said) return said as T;
  throw new FilemillError("UNAVAILABLE", `${server.url.origin} does not answer like Filemill; check --server.`);
}

/** The bytes of an answer. @throws FilemillError if the answer breaks off. */
export async function* bytesOf(answer: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    yield* answer;
  } catch (cause) {
    throw brokenOff(cause as Error);
  }
}

function brokenOff(cause: Error): FilemillError {
  return new FilemillError("UNAVAILABLE", `The server's answer was cut off (${reasonOf(cause)}).`, { cause });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** No endpoint redirects these calls, so a proxy does, for example from http to https. */
function redirection(server: ServerAddress, call: RestCall, answer: IncomingMessage): FilemillError {
  answer.resume();
  const asked = new URL(call.path, server.url);
  const to = URL.parse(answer.headers.location ?? "", asked.href);
  if (to === null) return new FilemillError("UNAVAILABLE", `The server answered ${answer.statusCode}, which is not how Filemill answers.`);
  const address = `${to.origin}${to.pathname}`;
  const place = asked.pathname.slice(server.url.pathname.length);
  if (!address.endsWith(`/${place}`))
    return new FilemillError("BAD_REQUEST", `The server redirects to ${address}, which is not Filemill; check --server.`);
  return new FilemillError("BAD_REQUEST", `The server redirects to ${address.slice(0, -place.length)}; use that as --server.`);
}

async function send(server: ServerAddress, call: RestCall): Promise<IncomingMessage> {
  const url = new URL(call.path, server.url);
  // The API's answers name another origin if PUBLIC_URL differs from `--server`. The key is sent only to the named server.
  if (url.origin !== server.url.origin)
    throw new FilemillError("BAD_REQUEST", `The server redirects to ${url.origin}; use that as --server.`);
  const form = call.body?.();
  const headers = {
    ...(server.key === undefined ? {} : { authorization: `Bearer ${server.key}` }),
    ...call.headers,
    ...form?.headers,
  };
  const open = url.protocol === "https:" ? httpsRequest : httpRequest;
  const { signal, method = "GET" } = call;
  signal?.throwIfAborted();
  const request = open(url, { method, headers, ...(signal === undefined ? {} : { signal }) });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    request.once("response", resolve);
    request.on("error", (cause) => {
      if (signal?.aborted === true) return reject(signal.reason);
      reject(new FilemillError("UNAVAILABLE", `The server at ${server.url.origin} does not answer (${reasonOf(cause)}).`, { cause }));
    });
  });
  if (form === undefined) request.end();
  // An answer before the end of the upload is usually an error, and it closes the request. Only the answer matters then.
  else pipeline(Readable.from(counted(form, call)), request).catch(() => undefined);
  return answered;
}

async function* counted(form: FormDataEncoder, { onSent }: RestCall): AsyncGenerator<Uint8Array> {
  const total = Number(form.contentLength ?? 0);
  let sent = 0;
  for await (const chunk of form) {
    yield chunk;
    sent += chunk.length;
    onSent?.(sent, total);
  }
}

function reasonOf(cause: Error): string {
  return "code" in cause && typeof cause.code === "string" ? cause.code : cause.message;
}

async function errorOf(answer: IncomingMessage): Promise<FilemillError> {
  const said = await json(answer).catch(() => undefined);
  const error = isObject(said) && isObject(said.error) ? said.error : undefined;
  if (error === undefined) {
    // A proxy in front of the server has a limit of its own, and sending the file again would not help.
    return new FilemillError(
      answer.statusCode === 413 ? "INPUT_TOO_LARGE" : "UNAVAILABLE",
      `The server answered ${answer.statusCode}, which is not how Filemill answers.`,
    );
  }
  const code = typeof error.code === "string" && isErrorCode(error.code) ? error.code : "INTERNAL";
  const retryAfterMs = Number(answer.headers["retry-after"] ?? Number.NaN) * 1000;
  return new FilemillError(code, String(error.message), Number.isNaN(retryAfterMs) ? {} : { retryAfterMs });
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
