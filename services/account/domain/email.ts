import { createHash } from "node:crypto";
import { FilemillError } from "#contract/errors.ts";

/** The address in the one spelling that is stored: trimmed, NFC, lower case. Throws BAD_REQUEST for what cannot be an address. */
export function parseEmail(text: string): string {
  const email = text.trim().normalize("NFC").toLowerCase();
  // RFC 5321 §4.5.3.1.3 bounds a path to 256 octets with its angle brackets; whether the mailbox exists only a letter can tell.
  if (!/^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(email) || Buffer.byteLength(email) > 254)
    throw new FilemillError("BAD_REQUEST", "Give an e-mail address such as name@example.org.", { details: { field: "email" } });
  return email;
}

/** The index key of an address; takes what parseEmail returned. */
export function emailHashOf(email: string): string {
  return createHash("sha256").update(email, "utf8").digest("hex");
}
