import { FilemillError, statusOf } from "#contract/errors.ts";
import type { GatewayDeps } from "#gateway/context.ts";
import type { Caller } from "./authenticate.ts";

/** Half of the second within which a revocation takes effect. The other half is for the change to arrive. */
const LOOK_MS = 500;
/** No answer is expected after this time. */
const LONGEST_LOOK_MS = 5000;

export type Standing = Disposable & {
  /**
   * Fires when the caller loses access, with the refusal as its reason: key revoked or expired, signed out, account disabled or deleted.
   */
  readonly lost: AbortSignal;
};

/**
 * Checks repeatedly whether the caller would still be let in. Needed for long responses, because access is otherwise checked once per
 * request. If the account service does not answer, the caller keeps access.
 */
export function watchStanding({ confirm }: Caller, log: GatewayDeps["log"]): Standing {
  const lost = new AbortController();
  let isLooking = false;
  const look = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    try {
      await confirm?.({ timeoutMs: LONGEST_LOOK_MS });
    } catch (error) {
      if (error instanceof FilemillError && isRefusal(error)) lost.abort(error);
      else log.warn("gateway.standing_unknown", { error: String(error) });
    } finally {
      isLooking = false;
    }
  };
  const timer = confirm === undefined ? undefined : setInterval(() => void look(), LOOK_MS);
  return {
    lost: lost.signal,
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

function isRefusal(error: FilemillError): boolean {
  const status = statusOf(error);
  return status === 401 || status === 403;
}
