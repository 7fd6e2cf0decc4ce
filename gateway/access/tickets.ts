/** Tickets: whoever holds one may do one thing, for a short time, on behalf of the account whose key requested it. */
import { FilemillError } from "#contract/errors.ts";
import { createSeal } from "./seal.ts";

/** Allows converting one file, or fetching one result. */
export type Ticket =
  | {
      readonly kind: "upload";
      readonly to: string;
      readonly from?: string;
      readonly options: Readonly<Record<string, string>>;
      /** Already validated. */
      readonly deliverTo?: string;
      /** Makes the ticket single-use: it accepts only the first file sent with it. */
      readonly nonce: string;
    }
  | { readonly kind: "download"; readonly jobId: string };

type Sealed = { readonly ticket: Ticket; readonly authorization: string; readonly until: number };

export type Tickets = {
  /**
   * @param authorization - The header of the request for the ticket. It is verified again when the ticket is used, so the ticket allows no
   * more than the key does then.
   */
  issue(ticket: Ticket, authorization: string, lifeMs: number): { readonly text: string; readonly expiresAt: Date };
  /** Throws NOT_FOUND if the text is not a ticket of this kind, or has expired. */
  open<Kind extends Ticket["kind"]>(kind: Kind, text: string): { ticket: Extract<Ticket, { kind: Kind }>; authorization: string };
};

/** Keeps the URL below the length limits of proxies and clients. */
const maxCharacters = 4096;

/**
 * Encrypted, because a ticket contains the account's key. Its holder learns nothing, and revoking the key invalidates its tickets.
 *
 * @param secret - Secret of this installation.
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
      // Authenticated by the seal, so it has the type that `issue` wrote.
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
