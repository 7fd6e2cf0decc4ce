import { createHash } from "node:crypto";
import { FilemillError } from "#contract/errors.ts";

/** The address in the normalised form that is stored: trimmed, NFC, lower case. Throws BAD_REQUEST if it cannot be an e-mail address. */
export function parseEmail(text: string): string {
  const email = text.trim().normalize("NFC").toLowerCase();
  // RFC 5321 §4.5.3.1.3 limits a path to 256 octets including its angle brackets. Only a message shows whether the mailbox exists.
  if (!/^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(email) || Buffer.byteLength(email) > 254)
    throw new FilemillError("BAD_REQUEST", "Give an e-mail address such as name@example.org.", { details: { field: "email" } });
  return email;
}

/** The index key of an address that parseEmail returned. */
export function emailHashOf(email: string): string {
  return createHash("sha256").update(email, "utf8").digest("hex");
}
