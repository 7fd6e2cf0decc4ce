/** A message, whatever its file format. */
import type { Notes } from "../exchange.ts";
import { firstOf } from "../records/values.ts";

export type Attachment = {
  /** As the sender calls it. */
  readonly name: string;
  readonly mime: string;
  readonly bytes: Uint8Array;
  /** Referenced by the HTML body (RFC 2392), without angle brackets. */
  readonly contentId: string | undefined;
  readonly isInline: boolean;
  /** An attached message that is shown below the one that carries it. */
  readonly message?: Message | undefined;
};

export type Message = {
  readonly subject: string;
  /** As written in a header: `Name <address>`, separated by commas. */
  readonly from: string;
  readonly to: string;
  readonly cc: string;
  readonly bcc: string;
  readonly replyTo: string;
  /** ISO 8601, or the header's own text if it is not a valid date. Empty if there is none. */
  readonly date: string;
  readonly messageId: string;
  readonly text: string | undefined;
  readonly html: string | undefined;
  readonly attachments: readonly Attachment[];
  /** Names of headers that say something of the message and have no field here. */
  readonly others: readonly string[];
  /** The message as sent (RFC 5322), if known. */
  readonly raw: Uint8Array | undefined;
};

export const namesOf = ({ attachments }: Message): readonly string[] => attachments.map(({ name }) => name);

/** Headers as a person reads them, with the names of the attached files; those without a value are left out. */
export function headerRowsOf(message: Message): readonly (readonly [name: string, value: string])[] {
  const { from, to, cc, bcc, replyTo, date, subject } = message;
  const rows = { From: from, "Reply-To": replyTo, To: to, Cc: cc, Bcc: bcc, Date: date, Subject: subject };
  return Object.entries({ ...rows, Attachments: namesOf(message).join(", ") }).filter(([, value]) => value !== "");
}

/** A file name that is safe in any folder; never empty. Paths lose their folders, and long names keep their extension. */
export function fileNameOf(name: string, otherwise: string): string {
  const isPath = /^([a-z]:|\.{0,2})[/\\]/i.test(name);
  const base = (isPath ? name.replace(/^.*[/\\]/s, "") : name)
    .replace(/[\p{Cc}<>:"|?*/\\]/gu, "_")
    .replace(/^\.+/, "_")
    .trim();
  const [, end = ""] = /(\.[^.]{1,10})$/s.exec(base) ?? [];
  const letters = [...base.slice(0, base.length - end.length)];
  return base === ""
    ? otherwise
    : letters
        .slice(0, 120 - end.length)
        .join("")
        .trim() + end;
}

/** The attachments of a message and of those that are shown below it. */
export function filesOf({ attachments }: Message): readonly Attachment[] {
  return attachments.flatMap((each) => (each.message === undefined ? [each] : filesOf(each.message)));
}

/** Names the attachments that a result does not contain. */
export function noteLeftOut(files: readonly Attachment[], notes: Notes): void {
  if (files.length === 0) return;
  const what = files.length === 1 ? "An attachment was" : `${files.length} attachments were`;
  notes.set("ENTRIES_LEFT_OUT", `${what} left out: ${firstOf(files.map(({ name }) => name.slice(0, 60)))}.`);
}
