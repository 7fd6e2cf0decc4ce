/** Reads messages: RFC 5322 with MIME, mailboxes of them (RFC 4155), and Outlook's ([MS-OXMSG]). */
import msgReader, { type FieldsData } from "@kenjiuno/msgreader";
import PostalMime, { type Address } from "postal-mime";
import type { Notes } from "../exchange.ts";
import { invalid, tooComplex } from "../failure.ts";
import { dateOf, fileNameOf, type Message } from "./message.ts";

const maxMessages = 20_000;
const maxNesting = 60;

export async function parseEml(bytes: Uint8Array): Promise<Message> {
  if (!/^[\x21-\x39\x3b-\x7e]+[ \t]*:/.test(Buffer.from(bytes.subarray(0, 1000)).toString("latin1").trimStart())) {
    throw invalid("The file does not begin with the headers of a message.");
  }
  const mail = await PostalMime.parse(bytes, { maxNestingDepth: maxNesting }).catch((error: unknown) => {
    throw invalid(`The message cannot be read: ${error instanceof Error ? error.message : "it is damaged"}.`);
  });
  return {
    subject: mail.subject ?? "",
    from: addressesOf(mail.from === undefined ? [] : [mail.from]),
    to: addressesOf(mail.to),
    cc: addressesOf(mail.cc),
    bcc: addressesOf(mail.bcc),
    // The library's own date drops the time zone.
    date: dateOf(mail.headers.find(({ key }) => key === "date")?.value ?? mail.date),
    messageId: mail.messageId ?? "",
    text: mail.text,
    html: mail.html,
    attachments: mail.attachments.map(({ filename, mimeType, content, contentId, disposition, related }, index) => ({
      name: fileNameOf(filename ?? "", `attachment-${index + 1}`),
      mime: mimeType,
      bytes: typeof content === "string" ? Buffer.from(content, "utf8") : new Uint8Array(content),
      contentId: contentId?.replace(/^<|>$/g, ""),
      isInline: related === true || disposition === "inline",
    })),
    raw: bytes,
  };
}

function addressesOf(addresses: readonly Address[] = []): string {
  return addresses
    .map((each) => (each.group === undefined ? addressOf(each.name, each.address) : groupOf(each.name, each.group)))
    .join(", ");
}

function groupOf(name: string, members: readonly { readonly name: string; readonly address: string }[]): string {
  return `${name}: ${members.map((member) => addressOf(member.name, member.address)).join(", ")};`;
}

function addressOf(name: string, address: string): string {
  if (name === "" || name === address) return address;
  const quoted = /^[\p{L}\p{N} .'_-]*$/u.test(name) ? name : `"${name.replace(/["\\]/g, "\\$&")}"`;
  return address === "" ? quoted : `${quoted} <${address}>`;
}

/** The messages of a mailbox, split at `From ` lines, with the quoting of such lines undone. */
export function* messagesOfMbox(bytes: Buffer): Generator<Uint8Array> {
  let count = 0;
  let at = 0;
  if (!/^From \S/.test(bytes.toString("latin1", 0, 7))) throw invalid("The file is not a mailbox: it does not begin with a “From” line.");
  while (at < bytes.length) {
    if (++count > maxMessages) throw tooComplex(`The mailbox holds more than ${maxMessages} messages.`);
    const start = bytes.indexOf(0x0a, at);
    const next = bytes.indexOf("\nFrom ", at, "latin1");
    const end = next < 0 ? bytes.length : next + 1;
    if (start >= 0 && start + 1 < end) yield unquoted(bytes.subarray(start + 1, end));
    at = end;
  }
}

/** `>From ` stands for `From ` at the start of a line (mboxrd). */
function unquoted(message: Buffer): Uint8Array {
  return Buffer.from(message.toString("latin1").replace(/^>(>*From )/gm, "$1"), "latin1");
}

/** @see [MS-OXMSG]. The text of a body that exists only as RTF cannot be read. */
export function parseMsg(bytes: Uint8Array, notes: Notes): Message {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const first = new msgReader.default(view);
  const declared = fieldsOf(first);
  // Non-Unicode text is in the code page that the message names.
  const label = labelOf(declared.messageCodepage ?? declared.internetCodepage);
  const encoding = label === "iso-2022-jp" ? "shift_jis" : label;
  const reader = encoding === undefined ? first : new msgReader.default(view);
  if (encoding !== undefined) reader.parserConfig = { ansiEncoding: encoding };
  const fields = encoding === undefined ? declared : fieldsOf(reader);
  const recipients = fields.recipients ?? [];
  const listOf = (sort: string) =>
    recipients
      .filter((each) => (each.recipType ?? "to") === sort)
      .map((each) => addressOf(each.name ?? "", each.smtpAddress ?? each.email ?? ""))
      .join(", ");
  const html = fields.bodyHtml ?? (fields.html === undefined ? undefined : decodeHtml(fields.html, fields.internetCodepage));
  if (fields.body === undefined && html === undefined) notes.set("STYLING_DROPPED", "The body is rich text, which was left out.");
  return {
    subject: fields.subject ?? "",
    from: addressOf(fields.senderName ?? "", fields.senderSmtpAddress ?? fields.creatorSMTPAddress ?? fields.senderEmail ?? ""),
    to: listOf("to"),
    cc: listOf("cc"),
    bcc: listOf("bcc"),
    date: dateOf(fields.clientSubmitTime ?? fields.messageDeliveryTime ?? fields.creationTime),
    messageId: fields.messageId ?? "",
    text: fields.body,
    html,
    attachments: (fields.attachments ?? []).flatMap((attachment, index) => {
      // An embedded message has no raw bytes.
      if (attachment.innerMsgContent === true) {
        notes.set("ENTRIES_LEFT_OUT", "An attached message was left out.");
        return [];
      }
      const { content } = reader.getAttachment(attachment);
      return [
        {
          name: fileNameOf(attachment.fileName ?? attachment.name ?? "", `attachment-${index + 1}`),
          mime: attachment.attachMimeTag ?? "application/octet-stream",
          bytes: content,
          contentId: attachment.pidContentId,
          isInline: attachment.attachmentHidden === true,
        },
      ];
    }),
    raw: undefined,
  };
}

function fieldsOf(reader: { getFileData(): FieldsData }): FieldsData {
  const fields = (() => {
    try {
      return reader.getFileData();
    } catch {
      throw invalid("The message is damaged and cannot be read.");
    }
  })();
  if (fields.error !== undefined || fields.dataType !== "msg") throw invalid("The file is not an Outlook message.");
  return fields;
}

/** Encodings of the Windows code pages used in mail; anything else is read as UTF-8. */
const codePages: Readonly<Record<number, string>> = {
  932: "shift_jis",
  936: "gb18030",
  949: "euc-kr",
  950: "big5",
  20866: "koi8-r",
  28591: "iso-8859-1",
  28592: "iso-8859-2",
  28605: "iso-8859-15",
  50220: "iso-2022-jp",
};

function labelOf(codePage = 0): string | undefined {
  return codePages[codePage] ?? ((codePage >= 1250 && codePage <= 1258) || codePage === 874 ? `windows-${codePage}` : undefined);
}

function decodeHtml(bytes: Uint8Array, codePage: number | undefined): string {
  return new TextDecoder(labelOf(codePage) ?? "utf-8").decode(bytes);
}
