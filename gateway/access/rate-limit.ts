import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { FilemillError } from "#contract/errors.ts";
import type { Peers } from "./peers.ts";

const WINDOW_SECONDS = 60;
/** Polling and downloading are cheap compared to converting. */
const READS_PER_CONVERSION = 10;

export type RatePolicy = "convert" | "read";

export type RateVerdict = {
  /** RateLimit and RateLimit-Policy (draft-ietf-httpapi-ratelimit-headers-10). */
  readonly headers: Readonly<Record<string, string>>;
  readonly refusal: FilemillError | undefined;
};

export type RateLimits = {
  /** Counts one request of an account whose plan allows `requestsPerMinute` conversions per minute. */
  count(policy: RatePolicy, accountId: string, requestsPerMinute: number): Promise<RateVerdict>;
  /** Number of requests counted in the current minute. */
  used(policy: RatePolicy, accountId: string, requestsPerMinute: number): Promise<number>;
};

/** Counts in this process and adds the counts of other gateways (decision 73). */
export function createRateLimits(peers: Peers): RateLimits {
  const limiters = new Map<string, RateLimiterMemory>();
  const limiterOf = (policy: RatePolicy, quota: number) => {
    const name = `${policy}/${quota}`;
    const limiter = limiters.get(name) ?? new RateLimiterMemory({ keyPrefix: name, points: quota, duration: WINDOW_SECONDS });
    limiters.set(name, limiter);
    return limiter;
  };
  for (const policy of ["convert", "read"] as const) {
    peers.hear(policy, {
      added(key, points) {
        const [quota = "", ...account] = key.split(" ");
        void limiterOf(policy, Number(quota)).penalty(account.join(" "), points);
      },
      forgotten: () => undefined,
    });
  }
  return {
    async count(policy, accountId, requestsPerMinute) {
      const quota = quotaOf(policy, requestsPerMinute);
      const spent = await limiterOf(policy, quota)
        .consume(accountId)
        .then((result) => ({ result, refused: false }), refusedOf);
      if (!spent.refused) peers.add(policy, `${quota} ${accountId}`, 1);
      const resetSeconds = Math.max(1, Math.ceil(spent.result.msBeforeNext / 1000));
      const headers = {
        "ratelimit-policy": `"${policy}";q=${quota};w=${WINDOW_SECONDS}`,
        ratelimit: `"${policy}";r=${spent.result.remainingPoints};t=${resetSeconds}`,
      };
      const refusal = spent.refused
        ? new FilemillError("RATE_LIMITED", `Your plan allows ${quota} requests per minute here; retry in ${resetSeconds} s.`, {
            retryAfterMs: resetSeconds * 1000,
          })
        : undefined;
      return { headers, refusal };
    },
    async used(policy, accountId, requestsPerMinute) {
      const spent = await limiterOf(policy, quotaOf(policy, requestsPerMinute)).get(accountId);
      return spent?.consumedPoints ?? 0;
    },
  };
}

function quotaOf(policy: RatePolicy, requestsPerMinute: number): number {
  return policy === "convert" ? requestsPerMinute : requestsPerMinute * READS_PER_CONVERSION;
}

/** Second handler for `consume`: returns a refusal as a value and rethrows anything else. */
export function refusedOf(reason: unknown): { result: RateLimiterRes; refused: true } {
  if (reason instanceof RateLimiterRes) return { result: reason, refused: true };
  throw reason;
}
