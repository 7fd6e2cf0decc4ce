/**
 * Password hashes by OpenSSL's scrypt (RFC 7914), stored as `$scrypt$ln=15,r=8,p=3$<salt>$<hash>`, base64 without padding.
 * The parameters are one of the choices in OWASP's Password Storage Cheat Sheet: 32 MiB and three passes.
 */
import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { FilemillError } from "#contract/errors.ts";
import type { Asker, Hasher } from "../domain/password.ts";

type Parameters = { readonly ln: number; readonly r: number; readonly p: number };
type Parsed = Parameters & { readonly salt: Buffer; readonly hash: Buffer };

const today: Parameters = { ln: 15, r: 8, p: 3 };
const saltBytes = 16;
const hashBytes = 32;
/** Limits memory to 64 MiB, and uses only two of the four threads that the file system and DNS need too. */
const atOnce = 2;
const maxWaiting = 32;

const derive = promisify<string, Buffer, number, object, Buffer>(scrypt);

/** @param parameters - Smaller ones are for tests. */
export function createScryptHasher(parameters: Parameters = today): Hasher {
  const inTurn = createTurns();
  const work = (asker: Asker, password: string, { ln, r, p }: Parameters, salt: Buffer, length: number) =>
    inTurn(asker, () => derive(password, salt, length, { N: 2 ** ln, r, p, maxmem: 256 * 2 ** ln * r }));
  // Compared with the password when the account is unknown, so that the work is the same. No password has this hash.
  const nobody: Parsed = { ...parameters, salt: randomBytes(saltBytes), hash: randomBytes(hashBytes) };
  return {
    async hash(password, asker) {
      const salt = randomBytes(saltBytes);
      return written({ ...parameters, salt, hash: await work(asker, password, parameters, salt, hashBytes) });
    },
    async verify(password, stored, asker) {
      const known = stored === undefined ? undefined : parsed(stored);
      const { salt, hash, ...used } = known ?? nobody;
      const same = timingSafeEqual(await work(asker, password, used, salt, hash.length), hash);
      return same && known !== undefined;
    },
    isOutdated(stored) {
      const known = parsed(stored);
      return known === undefined || known.ln !== parameters.ln || known.r !== parameters.r || known.p !== parameters.p;
    },
  };
}

function written({ ln, r, p, salt, hash }: Parsed): string {
  const base64 = (bytes: Buffer) => bytes.toString("base64").replace(/={1,2}$/, "");
  return `$scrypt$ln=${ln},r=${r},p=${p}$${base64(salt)}$${base64(hash)}`;
}

function parsed(stored: string): Parsed | undefined {
  const [, ln, r, p, salt = "", hash = ""] =
    /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([\w+/]{22,})\$([\w+/]{43,})$/.exec(stored) ?? [];
  if (ln === undefined) return undefined;
  return { ln: Number(ln), r: Number(r), p: Number(p), salt: Buffer.from(salt, "base64"), hash: Buffer.from(hash, "base64") };
}

/** Runs a few tasks at a time and queues the others, known people before strangers. Rejects with OVERLOADED when the queue is full. */
function createTurns() {
  const waiting: Readonly<Record<Asker, (() => void)[]>> = { known: [], stranger: [] };
  let running = 0;
  return async function inTurn<T>(asker: Asker, work: () => Promise<T>): Promise<T> {
    if (running >= atOnce) {
      const line = waiting[asker];
      if (line.length >= maxWaiting)
        throw new FilemillError("OVERLOADED", "Too many people are signing in; try again in a moment.", { retryAfterMs: 5000 });
      await new Promise<void>((resolve) => line.push(resolve));
    } else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.known.shift() ?? waiting.stranger.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
