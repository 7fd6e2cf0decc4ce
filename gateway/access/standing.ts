import { FilemillError, statusOf } from "#contract/errors.ts";
import type { GatewayDeps } from "#gateway/context.ts";
import type { Caller } from "./authenticate.ts";

/** Half of the second within which a revocation counts everywhere: the other half is for the news to come. */
const LOOK_MS = 500;
/** What takes longer will not be answered. */
const LONGEST_LOOK_MS = 5000;

export type Standing = Disposable & {
  /** Fires, with the refusal as its reason, when the caller may not go on: key revoked or expired, signed out, account disabled or gone. */
  readonly lost: AbortSignal;
};

/**
 * Looks again and again whether whoever was let in would still be, for answers that last: who may come in is asked
 * once a request. An account service that does not answer takes nobody's standing.
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
