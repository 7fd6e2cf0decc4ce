import { createHash } from "node:crypto";
import { RateLimiterMemory } from "rate-limiter-flexible";
import { FilemillError } from "#contract/errors.ts";
import { spelled } from "./devices.ts";
import type { Peers } from "./peers.ts";
import { refusedOf } from "./rate-limit.ts";
import { createSlowDown } from "./slow-down.ts";

const minute = 60;

/** Attempts (`points`) per `duration` in seconds. */
const bounds = {
  /** All attempts of one client, at whichever account. */
  address: { points: 30, duration: 15 * minute },
  /**
   * Attempts of one client at one account. Fewer than the attempts that make others wait, so that one client alone cannot lock anybody out.
   */
  addressAndAccount: { points: 8, duration: 15 * minute },
  /** Attempts of a browser that has signed in to the account before. Unaffected by everybody else's. */
  known: { points: 10, duration: 15 * minute },
  /** Attempts of one client with secrets that cannot be guessed. */
  token: { points: 60, duration: 15 * minute },
  /** Uses of share links by one client. */
  link: { points: 120, duration: 15 * minute },
  signUp: { points: 30, duration: 60 * minute },
} as const;

/** An attempt to sign in with a password. */
export type Try = {
  /** See `clientOf`. */
  readonly client: string;
  /** The e-mail address as the user typed it. */
  readonly subject: string;
  /** Identifies the browser if it has signed in to that account before. */
  readonly device?: string | undefined;
};

export type Throttle = {
  /** Counts a password attempt before anything is hashed, whether or not the account exists. Rejects with RATE_LIMITED. */
  attempt(attempt: Try): Promise<void>;
  /** Call it after a correct attempt. Resets the account's counters, and takes this attempt back from the client's own. */
  succeeded(attempt: Try): Promise<void>;
  /** Counts a password attempt of a signed-in user. Rejects with RATE_LIMITED. @param session - Identifies the session. */
  confirm(session: string): Promise<void>;
  confirmed(session: string): Promise<void>;
  /**
   * Counts a sign-in with a 256-bit secret or a provider's answer. These cannot be guessed, so no account is locked. Rejects with
   * RATE_LIMITED.
   */
  token(client: string): Promise<void>;
  /** Counts a view of a share link, or a download through it. Rejects with RATE_LIMITED. */
  link(client: string): Promise<void>;
  /** Counts a new account created by one client. Rejects with RATE_LIMITED. */
  signUp(client: string): Promise<void>;
};

/** Counts in this process and adds the counts of other gateways (decision 73). Decision 36 explains who waits for whom. */
export function createThrottle(peers: Peers, now?: () => number): Throttle {
  const limiterOf = (name: keyof typeof bounds) => createLimiter(name, peers);
  const [address, pair, known] = [limiterOf("address"), limiterOf("addressAndAccount"), limiterOf("known")];
  const [tokens, links, newAccounts] = [limiterOf("token"), limiterOf("link"), limiterOf("signUp")];
  const strangers = createSlowDown(now);
  peers.hear("strangers", {
    added(account, points) {
      for (let tries = 0; tries < points; tries += 1) strangers.count(account);
    },
    forgotten: strangers.forget,
  });
  return {
    async attempt({ client, subject, device }) {
      if (device !== undefined) return known.consume(`device ${device}`);
      const account = nameless(spelled(subject));
      // An attempt that has to wait is not counted.
      wait(strangers.waitMs(account));
      // The order matters: the first limit bounds how many entries one client can create in the second.
      await address.consume(client);
      await pair.consume(pairOf(client, account));
      // Others may have made attempts meanwhile.
      wait(strangers.waitMs(account));
      strangers.count(account);
      peers.add("strangers", account, 1);
    },
    async succeeded({ client, subject, device }) {
      if (device !== undefined) return known.forget(`device ${device}`);
      const account = nameless(spelled(subject));
      strangers.forget(account);
      peers.forget("strangers", account);
      await pair.forget(pairOf(client, account));
      await address.giveBack(client);
    },
    confirm: (session) => known.consume(`session ${session}`),
    confirmed: (session) => known.forget(`session ${session}`),
    token: (client) => tokens.consume(client),
    link: (client) => links.consume(client),
    signUp: (client) => newAccounts.consume(client),
  };
}

type Limiter = {
  /** Rejects with RATE_LIMITED. */
  consume(name: string): Promise<void>;
  giveBack(name: string): Promise<void>;
  forget(name: string): Promise<void>;
};

function createLimiter(counter: keyof typeof bounds, peers: Peers): Limiter {
  const limiter = new RateLimiterMemory({ keyPrefix: counter, ...bounds[counter] });
  peers.hear(counter, { added: (key, points) => void limiter.penalty(key, points), forgotten: (key) => void limiter.delete(key) });
  return {
    async consume(name) {
      const key = nameless(name);
      const spent = await limiter.consume(key).then((result) => ({ result, refused: false }), refusedOf);
      if (spent.refused) wait(Math.max(1, spent.result.msBeforeNext));
      peers.add(counter, key, 1);
    },
    async giveBack(name) {
      const key = nameless(name);
      await limiter.reward(key, 1);
      peers.add(counter, key, -1);
    },
    async forget(name) {
      const key = nameless(name);
      await limiter.delete(key);
      peers.forget(counter, key);
    },
  };
}

/** Hashed, so that neither sessions nor e-mail addresses are sent to other hosts through a broker that others may read. */
function nameless(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 22);
}

/** Throws RATE_LIMITED if there is time left to wait. */
function wait(ms: number): void {
  if (ms > 0) throw new FilemillError("RATE_LIMITED", "Too many attempts; try again later.", { retryAfterMs: Math.max(1000, ms) });
}

function pairOf(client: string, account: string): string {
  return `${client} ${account}`;
}
