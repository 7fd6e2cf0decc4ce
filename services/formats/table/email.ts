/** Messages, contacts and appointments. */
import { rowsOf } from "./row.ts";

export const emailFormats = rowsOf("email", [
  ["eml", "E-mail message", "eml", "message/rfc822"],
  ["msg", "Outlook message", "msg", "application/vnd.ms-outlook"],
  ["mbox", "Mailbox", "mbox", "application/mbox"],
  ["ics", "iCalendar", "ics", "text/calendar"],
  ["vcf", "vCard contacts", "vcf vcard", "text/vcard"],
  ["pst", "Outlook data file", "pst", "application/vnd.ms-outlook-pst"],
]);
