/**
 * Browsers that have signed in to an account before, so that strangers' wrong guesses at its password do not keep them out.
 *
 * The cookie holds up to five entries, one for each account: random digits, and their signature together with the account's address. It lets
 * nobody in: whoever steals it gets a counter of its own to guess with.
 *
 * @see OWASP, "Slow Down Online Guessing Attacks with Device Cookies"
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type CookieSettings, cookieOf, setCookie } from "#gateway/http/cookies.ts";

const maxEntries = 5;
/** The longest that browsers keep a cookie. */
const cookieSeconds = 400 * 86_400;
const entry = /^([\w-]{22})([\w-]{43})$/;

export type Devices = {
  /** Names the browser where it has signed in to that account before. @param email - As it was typed. */
  nameOf(request: FastifyRequest, email: string): string | undefined;
  /** The browser has just signed in. */
  remember(request: FastifyRequest, reply: FastifyReply, email: string): void;
};

/** @param key - Of this installation; all gateways in front of it share it. */
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

/** As the account service looks an address up: another spelling of it is no other account. */
export function spelled(email: string): string {
  return email.slice(0, 1024).trim().normalize("NFC").toLowerCase();
}
