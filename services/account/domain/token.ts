import { randomBytes } from "node:crypto";

/** A random secret of 256 bits that stands for a session or a one-time link: 43 characters of base64url. */
export function createToken(): string {
  return randomBytes(32).toString("base64url");
}

export function isToken(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}
