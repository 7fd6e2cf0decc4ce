/** HTTP to receivers that strangers named. */
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
  /** Resolves a host's name; the system's resolver by default. */
  readonly resolve?: typeof resolveHost;
};

/**
 * What is not to be called is refused here too: an address may have been stored under other rules. The connection goes to the very
 * address that was checked: a name that answers otherwise a moment later gains nothing. Redirects are not followed, bodies of answers
 * not read.
 *
 * @param limits - Of the whole attempt, and of the time in which nothing goes over the connection.
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
        // Whatever it says, and however much, it is not for us.
        answer.destroy();
      });
      if (typeof body === "string") request.end(body);
      else pipeline(body, request, (error) => void (error && failed(error)));
    });
}

/** Undefined for an address that would not be stored today. A literal one is not looked up, so this is where it is judged. */
function calledUrlOf(address: string, rules: ReceiverRules): URL | undefined {
  try {
    return new URL(parseReceiverUrl(address, rules, "delivery"));
  } catch {
    return undefined;
  }
}

/** For the owner to read: nothing of this machine. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "no answer";
  if (error.name === "TimeoutError" || error.name === "AbortError") return noAnswerInTime;
  if (error.message === notPublic || error.message === addressNotAllowed) return error.message;
  return "code" in error && typeof error.code === "string" ? error.code : "no answer";
}
