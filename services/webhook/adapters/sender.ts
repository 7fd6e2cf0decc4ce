/** HTTP to receivers that strangers named. */
import { lookup as resolveHost } from "node:dns";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { notPublic, publicLookup } from "#kit/public-address.ts";
import type { Outcome, Send } from "../domain/ports.ts";
import { parseReceiverUrl, type ReceiverRules } from "../domain/receiver-url.ts";

const limitMs = 15_000;
const notAllowed = "the address is not allowed";

export type SenderSettings = ReceiverRules & {
  /** Resolves a host's name; the system's resolver by default. */
  readonly resolve?: typeof resolveHost;
};

/**
 * What is not to be called is refused here too: a webhook may have been stored under other rules. The connection goes to the very address that was checked: a name that answers otherwise a moment later gains nothing. Redirects are
 * not followed, bodies of answers not read.
 */
export function createSender({ resolve = resolveHost, ...rules }: SenderSettings): Send {
  const lookup = rules.allowPrivate ? undefined : publicLookup(resolve);
  return (address, headers, body, signal) =>
    new Promise<Outcome>((settle) => {
      const failed = (error: unknown): void => settle({ error: reasonOf(error) });
      const url = calledUrlOf(address, rules);
      if (url === undefined) return failed(new Error(notAllowed));
      const open = url.protocol === "https:" ? httpsRequest : httpRequest;
      const options = { method: "POST", headers: { ...headers, "content-length": Buffer.byteLength(body) }, agent: false as const };
      const request = open(url, {
        ...options,
        signal: AbortSignal.any([signal, AbortSignal.timeout(limitMs)]),
        ...(lookup === undefined ? {} : { lookup }),
      });
      request.once("error", failed);
      request.once("response", (answer) => {
        settle({ status: answer.statusCode ?? 0 });
        // Whatever it says, and however much, it is not for us.
        answer.destroy();
      });
      request.end(body);
    });
}

/** Undefined for an address that would not be stored today. A literal one is not looked up, so this is where it is judged. */
function calledUrlOf(address: string, rules: ReceiverRules): URL | undefined {
  try {
    return new URL(parseReceiverUrl(address, rules));
  } catch {
    return undefined;
  }
}

/** For the owner to read: nothing of this machine. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "no answer";
  if (error.name === "TimeoutError" || error.name === "AbortError") return "no answer in time";
  if (error.message === notPublic || error.message === notAllowed) return error.message;
  return "code" in error && typeof error.code === "string" ? error.code : "no answer";
}
