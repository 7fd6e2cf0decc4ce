/** What lets whoever holds it do one thing, for a short time, on behalf of the account whose key asked for it. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { FilemillError } from "#contract/errors.ts";

/** Convert one file, or fetch one result. */
export type Ticket =
  | {
      readonly kind: "upload";
      readonly to: string;
      readonly from?: string;
      readonly options: Readonly<Record<string, string>>;
      /** Of one use: the first file that comes with it is its only one. */
      readonly nonce: string;
    }
  | { readonly kind: "download"; readonly jobId: string };

type Sealed = { readonly ticket: Ticket; readonly authorization: string; readonly until: number };

export type Tickets = {
  /** @param authorization - Header of the request that asks for it: the ticket is worth no more than that key is when it is used. */
  issue(ticket: Ticket, authorization: string, lifeMs: number): { readonly text: string; readonly expiresAt: Date };
  /** Throws NOT_FOUND for what is no ticket of this kind, or one no more. */
  open<Kind extends Ticket["kind"]>(kind: Kind, text: string): { ticket: Extract<Ticket, { kind: Kind }>; authorization: string };
};

const ivBytes = 12;
const tagBytes = 16;
/** So that the address stays below what proxies and clients take. */
const maxCharacters = 4096;

/**
 * Encrypted, as the key of the account is in it: whoever holds a ticket learns nothing, and revoking the key ends its tickets.
 *
 * @param secret - Of this installation.
 */
export function createTickets(secret: string): Tickets {
  const key = Buffer.from(hkdfSync("sha256", secret, "", "filemill tickets", 32));
  return {
    issue(ticket, authorization, lifeMs) {
      const until = Date.now() + lifeMs;
      const sealed: Sealed = { ticket, authorization, until };
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv("aes-256-gcm", key, iv);
      const body = Buffer.concat([cipher.update(JSON.stringify(sealed)), cipher.final()]);
      const text = Buffer.concat([iv, body, cipher.getAuthTag()]).toString("base64url");
      if (text.length > maxCharacters) throw new FilemillError("BAD_REQUEST", "The options are too long for a ticket; shorten them.");
      return { text, expiresAt: new Date(until) };
    },
    open(kind, text) {
      const sealed = decrypt(key, text);
      if (sealed === undefined || sealed.until < Date.now() || !isOf(kind, sealed.ticket)) {
        throw new FilemillError("NOT_FOUND", "This ticket is not valid or has expired; ask for a new one.");
      }
      return { ticket: sealed.ticket, authorization: sealed.authorization };
    },
  };
}

function isOf<Kind extends Ticket["kind"]>(kind: Kind, ticket: Ticket): ticket is Extract<Ticket, { kind: Kind }> {
  return ticket.kind === kind;
}

function decrypt(key: Buffer, text: string): Sealed | undefined {
  if (text.length > maxCharacters || !/^[\w-]+$/.test(text)) return undefined;
  const bytes = Buffer.from(text, "base64url");
  if (bytes.length <= ivBytes + tagBytes) return undefined;
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, ivBytes));
  decipher.setAuthTag(bytes.subarray(-tagBytes));
  try {
    const opened = Buffer.concat([decipher.update(bytes.subarray(ivBytes, -tagBytes)), decipher.final()]);
    // What the tag vouches for was written above.
    return JSON.parse(opened.toString()) as Sealed;
  } catch {
    return undefined;
  }
}
