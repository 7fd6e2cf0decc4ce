/** A message, whatever its file format. */
export type Attachment = {
  /** The sender's name for it, without any folder. */
  readonly name: string;
  readonly mime: string;
  readonly bytes: Uint8Array;
  /** Referenced by the HTML body (RFC 2392), without angle brackets. */
  readonly contentId: string | undefined;
  readonly isInline: boolean;
};

export type Message = {
  readonly subject: string;
  /** As written in a header: `Name <address>`, separated by commas. */
  readonly from: string;
  readonly to: string;
  readonly cc: string;
  readonly bcc: string;
  /** ISO 8601, or the header's own text if it is not a valid date. Empty if there is none. */
  readonly date: string;
  readonly messageId: string;
  readonly text: string | undefined;
  readonly html: string | undefined;
  readonly attachments: readonly Attachment[];
  /** The message as sent (RFC 5322), if known. */
  readonly raw: Uint8Array | undefined;
};

/** A file name that is safe in any folder; never empty. */
export function fileNameOf(name: string, otherwise: string): string {
  const base = name
    .replace(/^.*[/\\]/, "")
    .replace(/[\p{Cc}<>:"|?*]/gu, "_")
    .replace(/^\.+/, "_")
    .slice(0, 120)
    .trim();
  return base === "" ? otherwise : base;
}

/** Converts a date header (RFC 5322) to ISO 8601 in the sender's time zone, or keeps the header's own text. */
export function dateOf(text: string | undefined): string {
  if (text === undefined || text.trim() === "") return "";
  const time = Date.parse(text);
  if (Number.isNaN(time)) return text.trim();
  const [, sign, hours = "", minutes = ""] = /:\d\d ([-+])(\d\d)(\d\d)\b/.exec(text) ?? [];
  const ahead = (Number(hours) * 60 + Number(minutes)) * (sign === "-" ? -60_000 : 60_000);
  if (sign === undefined || ahead === 0) return new Date(time).toISOString();
  return `${new Date(time + ahead).toISOString().slice(0, -".000Z".length)}${sign}${hours}:${minutes}`;
}
