/** What lets whoever holds it do one thing, for a short time, on behalf of the account whose key asked for it. */
import { FilemillError } from "#contract/errors.ts";
import { createSeal } from "./seal.ts";

/** Convert one file, or fetch one result. */
export type Ticket =
  | {
      readonly kind: "upload";
      readonly to: string;
      readonly from?: string;
      readonly options: Readonly<Record<string, string>>;
      /** As it was checked. */
      readonly deliverTo?: string;
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

/** So that the address stays below what proxies and clients take. */
const maxCharacters = 4096;

/**
 * Encrypted, as the key of the account is in it: whoever holds a ticket learns nothing, and revoking the key ends its tickets.
 *
 * @param secret - Of this installation.
 */
export function createTickets(secret: string): Tickets {
  const { seal, open } = createSeal(secret, "filemill tickets", maxCharacters);
  return {
    issue(ticket, authorization, lifeMs) {
      const until = Date.now() + lifeMs;
      const sealed: Sealed = { ticket, authorization, until };
      const text = seal(sealed);
      if (text.length > maxCharacters)
        throw new FilemillError("BAD_REQUEST", "The options, or the address, are too long for a ticket; shorten them.");
      return { text, expiresAt: new Date(until) };
    },
    open(kind, text) {
      // What the seal vouches for was written above.
      const sealed = open(text) as Sealed | undefined;
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
