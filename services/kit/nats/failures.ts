import { ErrorCode, NatsError } from "nats";
import { FilemillError } from "#contract/errors.ts";

/** The connection broke during a request, so whether it was carried out is unknown. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
}

const outageCodes: ReadonlySet<string> = new Set([
  ErrorCode.Timeout,
  ErrorCode.NoResponders,
  ErrorCode.Disconnect,
  ErrorCode.ConnectionClosed,
  ErrorCode.ConnectionDraining,
]);
/** JetStream is starting, has no leader, or the answering node is not ready; or too few servers of a cluster are up for the replicas. */
const temporaryApiErrors: ReadonlySet<number> = new Set([10005, 10008, 10009, 10039, 10076]);
/** Storage limits: account, stream or disk. */
const fullApiErrors: ReadonlySet<number> = new Set([10023, 10028, 10047, 10077, 10122]);
const wrongLastSequence = 10071;

/** Worth a retry: nobody answered, so the outcome of a write is unknown. */
export function isOutage(error: unknown): boolean {
  if (error instanceof Interrupted) return true;
  if (!(error instanceof NatsError)) return false;
  return outageCodes.has(error.code) || temporaryApiErrors.has(apiCodeOf(error));
}

export function isWrongRevision(error: unknown): boolean {
  return error instanceof NatsError && apiCodeOf(error) === wrongLastSequence;
}

export function apiCodeOf(error: unknown): number {
  return error instanceof NatsError ? (error.api_error?.err_code ?? 0) : 0;
}

export function unavailable(cause: unknown): FilemillError {
  return new FilemillError("UNAVAILABLE", "The broker is not available right now; try again.", { retryAfterMs: 2000, cause });
}

/** What callers see of a failure that is not worth retrying here. */
export function failureOf(error: unknown): unknown {
  if (isOutage(error)) return unavailable(error);
  if (fullApiErrors.has(apiCodeOf(error))) {
    return new FilemillError("UNAVAILABLE", "The broker's storage is full.", { retryAfterMs: 10_000, cause: error });
  }
  return error;
}
