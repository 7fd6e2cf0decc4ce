import { RateLimiterMemory } from "rate-limiter-flexible";
import { FilemillError } from "#kit/errors.ts";
import { refusedOf } from "./rate-limit.ts";

const minute = 60;

/** Tries in a time, in seconds. */
const bounds = {
  /** Every try of one client, whatever it tries. */
  address: { points: 30, duration: 15 * minute },
  /** Of one client at one account: who mistypes has a few, and nobody else's tries count against them. */
  addressAndAccount: { points: 8, duration: 15 * minute },
  /** Of everybody at one account. */
  account: { points: 100, duration: 60 * minute },
  signUp: { points: 30, duration: 60 * minute },
} as const;

export type Throttle = {
  /**
   * Counts a try at proving who somebody is, before anything is hashed. Rejects with RATE_LIMITED.
   *
   * @param client - See `clientOf`.
   * @param subject - What is tried: an e-mail address as it was typed, or an account's id.
   */
  attempt(client: string, subject: string): Promise<void>;
  /** The try was right: the client's earlier ones at this subject do not count any more. */
  succeeded(client: string, subject: string): Promise<void>;
  /** Counts a new account of one client. Rejects with RATE_LIMITED. */
  signUp(client: string): Promise<void>;
};

/** Counts in this process: see decision 20. */
export function createThrottle(): Throttle {
  const limiterOf = (name: keyof typeof bounds) => new RateLimiterMemory({ keyPrefix: name, ...bounds[name] });
  const [address, pair, account, newAccounts] = [
    limiterOf("address"),
    limiterOf("addressAndAccount"),
    limiterOf("account"),
    limiterOf("signUp"),
  ];
  return {
    async attempt(client, subject) {
      // In this order: what one client can make us remember is bounded by the first.
      await consume(address, client);
      await consume(pair, pairOf(client, subject));
      await consume(account, normalized(subject));
    },
    async succeeded(client, subject) {
      await pair.delete(pairOf(client, subject));
      await address.reward(client, 1);
    },
    signUp: (client) => consume(newAccounts, client),
  };
}

async function consume(limiter: RateLimiterMemory, key: string): Promise<void> {
  const spent = await limiter.consume(key).then((result) => ({ result, refused: false }), refusedOf);
  if (!spent.refused) return;
  throw new FilemillError("RATE_LIMITED", "Too many tries; wait a while.", { retryAfterMs: Math.max(1000, spent.result.msBeforeNext) });
}

function pairOf(client: string, subject: string): string {
  return `${client} ${normalized(subject)}`;
}

function normalized(subject: string): string {
  return subject.trim().toLowerCase();
}
