import { createHash } from "node:crypto";
import { RateLimiterMemory } from "rate-limiter-flexible";
import { FilemillError } from "#contract/errors.ts";
import { spelled } from "./devices.ts";
import type { Peers } from "./peers.ts";
import { refusedOf } from "./rate-limit.ts";
import { createSlowDown } from "./slow-down.ts";

const minute = 60;

/** Tries in a time, in seconds. */
const bounds = {
  /** Every try of one client, whatever it tries. */
  address: { points: 30, duration: 15 * minute },
  /** Of one client at one account: fewer than make others wait, so that nobody alone keeps another out. */
  addressAndAccount: { points: 8, duration: 15 * minute },
  /** Of a browser that knows the account already: its own, whatever all others do. */
  known: { points: 10, duration: 15 * minute },
  /** Of one client at what cannot be guessed. */
  token: { points: 60, duration: 15 * minute },
  /** Of one client at links to results. */
  link: { points: 120, duration: 15 * minute },
  signUp: { points: 30, duration: 60 * minute },
} as const;

/** A try at proving who somebody is. */
export type Try = {
  /** See `clientOf`. */
  readonly client: string;
  /** The e-mail address as it was typed. */
  readonly subject: string;
  /** Names the browser, where it has signed in to that account before. */
  readonly device?: string | undefined;
};

export type Throttle = {
  /** Counts a guess at a password, before anything is hashed, and alike whether there is such an account. Rejects with RATE_LIMITED. */
  attempt(attempt: Try): Promise<void>;
  /** The try was right: those of its kind before it do not count any more. */
  succeeded(attempt: Try): Promise<void>;
  /** Counts a guess at a password by somebody who is signed in already. Rejects with RATE_LIMITED. @param session - Names the session. */
  confirm(session: string): Promise<void>;
  confirmed(session: string): Promise<void>;
  /** Counts a try with a secret of 256 bits or a provider's word: there is nothing to guess and so nothing to lock. Rejects with RATE_LIMITED. */
  token(client: string): Promise<void>;
  /** Counts a look at a link to a result, or a download by it. Rejects with RATE_LIMITED. */
  link(client: string): Promise<void>;
  /** Counts a new account of one client. Rejects with RATE_LIMITED. */
  signUp(client: string): Promise<void>;
};

/** Counts in this process, with what other gateways tell: see decision 73. Who waits for whom: see decision 36. */
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
      // A try that has to wait is not counted as one.
      wait(strangers.waitMs(account));
      // In this order: what one client can make us remember is bounded by the first.
      await address.consume(client);
      await pair.consume(pairOf(client, account));
      // Others may have tried in between.
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

/** Neither session nor e-mail address goes to other hosts, whose broker somebody may listen at. */
function nameless(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 22);
}

/** Throws RATE_LIMITED unless there is nothing to wait for. */
function wait(ms: number): void {
  if (ms > 0) throw new FilemillError("RATE_LIMITED", "Too many attempts; try again later.", { retryAfterMs: Math.max(1000, ms) });
}

function pairOf(client: string, account: string): string {
  return `${client} ${account}`;
}
