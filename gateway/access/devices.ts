/**
 * Recognises browsers that have signed in to an account before, so that strangers' wrong guesses at its password do not lock them out.
 *
 * The cookie holds up to five entries, one per account: a random value, and a signature over it and the account's e-mail address. It grants
 * no access: a thief only gets a separate counter for guesses.
 *
 * @see OWASP, "Slow Down Online Guessing Attacks with Device Cookies"
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type CookieSettings, cookieOf, setCookie } from "#gateway/http/cookies.ts";

const maxEntries = 5;
/** The longest lifetime that browsers accept for a cookie. */
const cookieSeconds = 400 * 86_400;
const entry = /^([\w-]{22})([\w-]{43})$/;

export type Devices = {
  /** Identifies the browser if it has signed in to that account before. @param email - As the user typed it. */
  nameOf(request: FastifyRequest, email: string): string | undefined;
  /** Call it after a successful sign-in. */
  remember(request: FastifyRequest, reply: FastifyReply, email: string): void;
};

/** @param key - Secret of this installation, shared by all its gateways. */
export function createDevices(key: string, settings: CookieSettings): Devices {
  const signed = (digits: string, email: string): string => createHmac("sha256", key).update(`${digits} ${email}`).digest("base64url");
  const digitsOf = (text: string, email: string): string | undefined => {
    const [, digits = "", signature = ""] = entry.exec(text) ?? [];
    return digits !== "" && timingSafeEqual(Buffer.from(signature), Buffer.from(signed(digits, email))) ? digits : undefined;
  };
  const entriesOf = (request: FastifyRequest): string[] =>
    (cookieOf(request, settings, "filemill_device") ?? "").split(".", maxEntries).filter((text) => entry.test(text));
  return {
    nameOf(request, email) {
      const account = spelled(email);
      return entriesOf(request)
        .map((text) => digitsOf(text, account))
        .find((digits) => digits !== undefined);
    },
    remember(request, reply, email) {
      const account = spelled(email);
      const entries = entriesOf(request);
      if (entries.some((text) => digitsOf(text, account) !== undefined)) return;
      const digits = randomBytes(16).toString("base64url");
      const all = [`${digits}${signed(digits, account)}`, ...entries].slice(0, maxEntries);
      setCookie(reply, settings, "filemill_device", all.join("."), cookieSeconds);
    },
  };
}

/** Normalises an address the way the account service does, so that all spellings count as one account. */
export function spelled(email: string): string {
  return email.slice(0, 1024).trim().normalize("NFC").toLowerCase();
}
