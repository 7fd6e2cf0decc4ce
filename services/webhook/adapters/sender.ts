/** HTTP requests to receivers that users named. */
import { lookup as resolveHost } from "node:dns";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { pipeline } from "node:stream";
import { notPublic, publicLookup } from "#kit/public-address.ts";
import { addressNotAllowed, noAnswerInTime, type Outcome, type Send } from "../domain/ports.ts";
import { parseReceiverUrl, type ReceiverRules } from "../domain/receiver-url.ts";

export type SenderLimits = { readonly wholeMs: number; readonly silenceMs: number };

const messageLimits: SenderLimits = { wholeMs: 15_000, silenceMs: 15_000 };

export type SenderSettings = ReceiverRules & {
  /** Resolves a host name. Default: the system's resolver. */
  readonly resolve?: typeof resolveHost;
};

/**
 * Checks the address again, because it may have been stored under other rules. The connection uses exactly the address that was checked,
 * so a name that resolves differently a moment later gains nothing. Redirects are not followed, and response bodies are not read.
 *
 * @param limits - For the whole attempt, and for the time without traffic on the connection.
 */
export function createSender({ resolve = resolveHost, ...rules }: SenderSettings, limits: SenderLimits = messageLimits): Send {
  const lookup = rules.allowPrivate ? undefined : publicLookup(resolve);
  return ({ method, url: address, headers, body, bytes }, signal) =>
    new Promise<Outcome>((settle) => {
      const failed = (error: unknown): void => settle({ error: reasonOf(error) });
      const url = calledUrlOf(address, rules);
      if (url === undefined) return failed(new Error(addressNotAllowed));
      const open = url.protocol === "https:" ? httpsRequest : httpRequest;
      const request = open(url, {
        ...{ method, headers: { ...headers, "content-length": bytes }, agent: false, timeout: limits.silenceMs },
        signal: AbortSignal.any([signal, AbortSignal.timeout(limits.wholeMs)]),
        ...(lookup === undefined ? {} : { lookup }),
      });
      request.once("timeout", () => request.destroy(new DOMException("silent", "TimeoutError")));
      request.on("error", failed);
      request.once("response", (answer) => {
        settle({ status: answer.statusCode ?? 0 });
        // The response body is of no interest, whatever its size.
        answer.destroy();
      });
      if (typeof body === "string") request.end(body);
      else pipeline(body, request, (error) => void (error && failed(error)));
    });
}

/**
 * Undefined if the address could not be stored under the current rules. A literal address is never looked up, so this is where it is
 * checked.
 */
function calledUrlOf(address: string, rules: ReceiverRules): URL | undefined {
  try {
    return new URL(parseReceiverUrl(address, rules, "delivery"));
  } catch {
    return undefined;
  }
}

/** Shown to the webhook's owner, so it reveals nothing about this machine. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "no answer";
  if (error.name === "TimeoutError" || error.name === "AbortError") return noAnswerInTime;
  if (error.message === notPublic || error.message === addressNotAllowed) return error.message;
  return "code" in error && typeof error.code === "string" ? error.code : "no answer";
}
