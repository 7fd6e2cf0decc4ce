/** Waits for an external server, which may start later than this process. A refusal, however, does not go away with time. */
import { setTimeout as sleep } from "node:timers/promises";
import { ErrorCode, NatsError } from "nats";
import { FilemillError } from "#contract/errors.ts";
import { SettingError } from "#kit/config.ts";
import type { Log } from "#kit/log.ts";
import type { Cluster } from "./cluster.ts";

/** A cluster that is starting may not know its users yet. */
const refusedLimitMs = 5000;
const pauseMs = 500;
const sayAgainMs = 60_000;

const refusals: ReadonlySet<string> = new Set([
  ErrorCode.AuthorizationViolation,
  ErrorCode.AuthenticationExpired,
  ErrorCode.AccountExpired,
  ErrorCode.BadAuthentication,
]);

/**
 * Tries to open until it succeeds, and logs `broker.unreachable` with the cause at once and every minute. Rejects with a SettingError if
 * the servers keep refusing the credentials.
 */
export async function openPatiently<T>(cluster: Cluster, open: () => Promise<T>, log: Log, signal?: AbortSignal): Promise<T> {
  let refusedSince: number | undefined;
  let saidAt = Number.NEGATIVE_INFINITY;
  for (;;) {
    try {
      return await open();
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof NatsError || error instanceof FilemillError)) throw error;
      const now = performance.now();
      if (refusals.has(error.code)) refusedSince ??= now;
      if (refusedSince !== undefined && now - refusedSince >= refusedLimitMs)
        throw new SettingError(`NATS refused ${identityOf(cluster)}.`, { cause: error });
      if (now - saidAt >= sayAgainMs) {
        log.warn("broker.unreachable", { servers: serversOf(cluster), reason: reasonOf(error) });
        saidAt = now;
      }
      // Report the signal's reason, not that the pause was interrupted.
      await sleep(pauseMs, undefined, signal && { signal }).catch(() => signal?.throwIfAborted());
    }
  }
}

function identityOf({ url, credentials, certificate }: Cluster): string {
  if (credentials !== undefined) return "the credentials in NATS_CREDS";
  if (new URL(url.split(",")[0]?.trim() ?? "").username !== "") return "the user and password in NATS_URL";
  return certificate === undefined
    ? "a client without credentials; set NATS_CREDS, NATS_CERT, or a user and password in NATS_URL"
    : "the certificate in NATS_CERT";
}

/** Without user and password. */
function serversOf({ url }: Cluster): string {
  return url
    .split(",")
    .map((text) => new URL(text.trim()).host)
    .join(", ");
}

function reasonOf(error: NatsError | FilemillError): string {
  const cause = error instanceof NatsError ? error.chainedError : error.cause;
  return cause instanceof Error ? `${error.message} (${cause.message})` : error.message;
}
