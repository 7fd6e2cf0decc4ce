/** Reads messages: RFC 5322 with MIME, and Outlook's ([MS-OXMSG]). */
import msgReader, { type FieldsData } from "@kenjiuno/msgreader";
import PostalMime from "postal-mime";
import { type Notes, noteAlso } from "../exchange.ts";
import { invalid } from "../failure.ts";
import { guessEncoding } from "../guess-encoding.ts";
import { markedEncodingOf } from "../text-decoding.ts";
import { MessageParser } from "./body.ts";
import { decoderLabelOf } from "./decoding.ts";
import { addressesIn, addressOf, dateOf, type Headers, othersIn, textIn, withUnicodeHeaders } from "./headers.ts";
import type { Attachment, Message } from "./message.ts";
import { richTextIn } from "./rich-text.ts";
import { unwrapped, type Wrapped } from "./tnef.ts";

const maxNesting = 60;

const maxForwards = 10;

/** @see RFC 2046 §5.1.1 */
const maxBoundary = 70;

export async function parseEml(file: Uint8Array, notes: Notes, depth = 0): Promise<Message> {
  const raw = withoutPreface(Buffer.from(file));
  if (!/^[\x21-\x39\x3b-\x7e]+[ \t]*:/.test(raw.toString("latin1", 0, 1000))) {
    throw invalid("The file does not begin with the headers of a message.");
  }
  const { bytes, guess } = withUnicodeHeaders(raw);
  if (guess !== undefined) noteAlso(notes, "ENCODING_GUESSED", `The encoding of the headers was guessed to be ${guess}.`);
  const mail = await new MessageParser(maxNesting, notes).parse(bytes).catch((error: unknown) => {
    throw invalid(`The message cannot be read: ${error instanceof Error ? error.message : "it is damaged"}.`);
  });
  const { headers } = mail;
  if (isTruncated(bytes, headers)) notes.set("INPUT_DAMAGED", "The message ends in the middle; its last part may be incomplete.");
  if (mail.attachments.some(({ filename }) => filename?.includes("\ufffd")))
    noteAlso(notes, "CHARACTERS_REPLACED", "Letters in the names of attachments could not be read.");
  // The message in a report of its failure is evidence, not content.
  const isReport = mail.attachments.some(({ mimeType }) => /^message\/(delivery-status|feedback-report)$/.test(mimeType));
  const attached = mail.attachments.map(async (part, index): Promise<Attachment> => {
    const { filename, mimeType, content, contentId, disposition, related } = part;
    const inner = typeof content === "string" ? Buffer.from(content, "utf8") : new Uint8Array(content);
    const isShown = mimeType === "message/rfc822" && disposition !== "attachment" && !isReport && depth < maxForwards;
    const message = isShown ? await parseEml(inner, notes, depth + 1).catch(() => undefined) : undefined;
    return {
      name: filename || nameOf(mimeType, message?.subject ?? "", index + 1),
      mime: mimeType,
      bytes: inner,
      contentId: contentId?.replace(/^<|>$/g, ""),
      isInline: related === true || disposition === "inline",
      message,
    };
  });
  const { html, text, attachments } = withoutEnvelopes(await Promise.all(attached), { text: mail.text, html: mail.html }, notes);
  return {
    subject: textIn(headers, "subject", notes),
    from: addressesIn(headers, "from", notes),
    to: addressesIn(headers, "to", notes),
    cc: addressesIn(headers, "cc", notes),
    bcc: addressesIn(headers, "bcc", notes),
    replyTo: addressesIn(headers, "reply-to", notes),
    date: dateOf(headers.find(({ key }) => key === "date")?.value),
    messageId: mail.messageId ?? "",
    ...{ text, html, attachments },
    others: othersIn(headers),
    raw,
  };
}

/** Attachments with those inside Outlook's envelopes in place of these, and the body of the first one if the message has none of its own. */
function withoutEnvelopes(attached: readonly Attachment[], own: Pick<Message, "text" | "html">, notes: Notes) {
  const found = attached.map((each) => ({ each, inner: unwrapped(each.bytes) }));
  const first = found.find(({ inner }) => inner !== undefined)?.inner;
  for (const { inner } of found) if (inner !== undefined && !isNote(inner.kind)) noteOther(inner.kind, notes);
  const attachments = found.flatMap(({ each, inner }) => {
    if (inner === undefined) return [each];
    // Like an attached message.
    const another = { ...inner, files: [{ ...each, name: "", message: inner }] };
    return filesIn(inner === first ? inner : another, notes);
  });
  const text = own.text?.trim() ? own.text : (first?.body ?? own.text);
  return { ...(own.html !== undefined || first === undefined ? { ...own, text } : bodiesIn({ ...first, body: text }, notes)), attachments };
}

const isNote = (kind: string): boolean => /(?:^|\bnote)$/i.test(kind);

/** Attached messages become their texts and their files. */
const filesIn = (wrapped: Wrapped, notes: Notes): readonly Attachment[] =>
  wrapped.files.flatMap(({ name, mime = "application/octet-stream", contentId, bytes, message }, index): readonly Attachment[] => {
    const file = { name: name || `attachment-${index + 1}`, mime, bytes, contentId, isInline: false };
    if (message === undefined) return [file];
    const { text, html } = message.body === undefined ? bodiesIn(message, notes) : { text: message.body };
    const page = text === undefined ? html : undefined;
    const said = text ?? page;
    const [end, sort] = page === undefined ? [".txt", "text/plain"] : [".html", "text/html"];
    // The mark says more than the encoding that a page declares.
    const own =
      said === undefined
        ? []
        : [{ ...file, name: `${name || "message"}${end}`, mime: sort, bytes: Buffer.from(page === undefined ? said : `\ufeff${said}`) }];
    return [...own, ...filesIn(message, notes)];
  });

function noteOther(kind: string, notes: Notes): void {
  notes.set("METADATA_DROPPED", `The item is no message (${kind.slice(0, 40)}); the fields of its kind were left out.`);
}

/** Whether the last boundary of a message of several parts is missing. */
export function isTruncated(bytes: Buffer, headers: Headers): boolean {
  const type = headers.find(({ key }) => key === "content-type")?.value ?? "";
  const [, quoted, bare] = /^multipart\/.*\bboundary\s*=\s*(?:"([^"]+)"|([^\s;"]+))/is.exec(type) ?? [];
  const boundary = quoted ?? bare;
  // Longer boundaries are invalid, and searching for one that repeats a character is slow.
  return boundary !== undefined && boundary.length <= maxBoundary && bytes.includes(`--${boundary}`) && !bytes.includes(`--${boundary}--`);
}

/** Programs put a byte order mark, empty lines or the `From ` line of a mailbox before the headers. */
function withoutPreface(sent: Buffer): Buffer {
  const label = markedEncodingOf(sent);
  // Saved as text by programs that write UTF-16.
  const file = label?.startsWith("utf-16") ? Buffer.from(new TextDecoder(label).decode(sent)) : sent;
  const [preface = ""] = /^(?:\xef\xbb\xbf)?[\r\n]*(?:>?From [^\r\n]*\r?\n)?/.exec(file.toString("latin1", 0, 2000)) ?? [];
  const rest = file.subarray(preface.length);
  // Line ends of old Macintoshes.
  return rest.includes(0x0a) ? rest : Buffer.from(rest.toString("latin1").replaceAll("\r", "\n"), "latin1");
}

const extensions: Readonly<Record<string, string>> = {
  ...{ "message/rfc822": ".eml", "text/calendar": ".ics", "application/pdf": ".pdf", "image/png": ".png", "image/jpeg": ".jpg" },
};

/** A name for an attachment that has none. */
function nameOf(mime: string, subject: string, number: number): string {
  return `${subject || `attachment-${number}`}${extensions[mime] ?? ""}`;
}

/** An envelope without the message that carried it. */
function messageIn(wrapped: Wrapped, notes: Notes): Message {
  const listOf = (sort: string) =>
    wrapped.receivers
      .filter(({ kind }) => kind === sort)
      .map(({ name, address }) => addressOf(name, address))
      .join(", ");
  if (!isNote(wrapped.kind)) noteOther(wrapped.kind, notes);
  return {
    ...{ subject: wrapped.subject, from: addressOf(wrapped.sender.name, wrapped.sender.address) },
    ...{ to: listOf("to"), cc: listOf("cc"), bcc: listOf("bcc"), replyTo: "", messageId: "" },
    date: wrapped.sent?.toISOString() ?? "",
    ...bodiesIn(wrapped, notes),
    attachments: filesIn(wrapped, notes),
    ...{ others: [], raw: undefined },
  };
}

type Reader = InstanceType<typeof msgReader.default>;

/** @see [MS-OXMSG] */
export async function parseMsg(bytes: Uint8Array, notes: Notes, depth = 0): Promise<Message> {
  const wrapped = unwrapped(bytes);
  if (wrapped !== undefined) return messageIn(wrapped, notes);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const readAs = (ansiEncoding: string | undefined) => {
    const reader = new msgReader.default(view);
    if (ansiEncoding !== undefined) reader.parserConfig = { ansiEncoding };
    return { reader, fields: fieldsOf(reader) };
  };
  let read = readAs(undefined);
  // Non-Unicode text is in the code page that the message names.
  const label = labelOf(read.fields.messageCodepage ?? read.fields.internetCodepage);
  if (label !== undefined) read = readAs(label === "iso-2022-jp" ? "shift_jis" : label);
  const said = ({ subject, body, senderName }: FieldsData) => [subject, body, senderName].join(" ");
  if (said(read.fields).includes("\ufffd")) {
    // Some name only that of the page, which is not in it.
    const guess = guessEncoding(Buffer.from(said(readAs("latin1").fields), "latin1"));
    noteAlso(notes, "ENCODING_GUESSED", `The text's encoding was guessed to be ${guess}.`);
    read = readAs(guess);
  }
  const { reader, fields } = read;
  const recipients = fields.recipients ?? [];
  const listOf = (sort: string) =>
    recipients
      .filter((each) => (each.recipType ?? "to") === sort)
      .map((each) => addressOf(each.name ?? "", each.smtpAddress ?? each.email ?? ""))
      .join(", ");
  const sort = fields.messageClass ?? "IPM.Note";
  if (!/^IPM\.Note\b/i.test(sort)) noteOther(sort, notes);
  // As they arrived; drafts have none.
  const { headers } = await PostalMime.parse(fields.headers ?? "");
  return {
    subject: fields.subject ?? "",
    from: addressOf(fields.senderName ?? "", fields.senderSmtpAddress ?? fields.creatorSMTPAddress ?? fields.senderEmail ?? ""),
    to: listOf("to"),
    cc: listOf("cc"),
    bcc: listOf("bcc"),
    replyTo: addressesIn(headers, "reply-to", notes),
    // In the sender's time zone, if known.
    date: dateOf(
      headers.find(({ key }) => key === "date")?.value ?? fields.clientSubmitTime ?? fields.messageDeliveryTime ?? fields.creationTime,
    ),
    messageId: fields.messageId ?? "",
    ...bodiesIn(fields, notes),
    attachments: await attachmentsIn(reader, fields, notes, depth),
    others: othersIn(headers),
    raw: undefined,
  };
}

type Page = {
  readonly [Key in "html" | "compressedRtf"]?: Uint8Array | undefined;
} & { readonly [Key in "body" | "bodyHtml"]?: string | undefined } & { readonly internetCodepage?: number | undefined };

type Bodies = { readonly [Key in "text" | "html"]: string | undefined };

/** The body as text and as a page. */
function bodiesIn({ body, bodyHtml, html, compressedRtf, internetCodepage }: Page, notes: Notes): Bodies {
  if (bodyHtml !== undefined) return { text: body, html: bodyHtml };
  if (html !== undefined) return { text: body, html: decodeHtml(html, internetCodepage) };
  if (compressedRtf === undefined) return { text: body, html: undefined };
  const rich = richTextIn(compressedRtf, decodeHtml);
  const text = body?.trim() ? body : (rich?.text ?? body);
  const became =
    rich !== undefined ? "became plain text" : text === undefined ? "was left out" : "was left out; its plain text was converted";
  if (rich?.html === undefined && rich?.isPlain !== true) notes.set("STYLING_DROPPED", `The body's rich text ${became}.`);
  return { text, html: rich?.html || undefined };
}

async function attachmentsIn(
  reader: Reader,
  { attachments = [] }: FieldsData,
  notes: Notes,
  depth: number,
): Promise<readonly Attachment[]> {
  const read = attachments.map(async (attachment, index): Promise<Attachment> => {
    const { content } = intact(() => reader.getAttachment(attachment));
    const isMessage = attachment.innerMsgContent === true;
    const name = attachment.fileName || attachment.name || `attachment-${index + 1}`;
    return {
      name: isMessage ? `${name}.msg` : name,
      mime: attachment.attachMimeTag ?? (isMessage ? "application/vnd.ms-outlook" : "application/octet-stream"),
      bytes: content,
      contentId: attachment.pidContentId,
      isInline: attachment.attachmentHidden === true,
      message: isMessage && depth < maxForwards ? await parseMsg(content, notes, depth + 1).catch(() => undefined) : undefined,
    };
  });
  return await Promise.all(read);
}

/** The library tells damage by errors of its own. */
function intact<Value>(read: () => Value): Value {
  try {
    return read();
  } catch {
    throw invalid("The message is damaged and cannot be read.");
  }
}

function fieldsOf(reader: Reader): FieldsData {
  const fields = intact(() => reader.getFileData());
  // The library takes any file of Office for a message, with nothing in it.
  const isOther = Object.entries(fields).every(([name, value]) => name === "dataType" || (Array.isArray(value) && value.length === 0));
  if (fields.error !== undefined || fields.dataType !== "msg" || isOther) throw invalid("The file is not an Outlook message.");
  return fields;
}

/** Anything unknown is read as UTF-8. */
const labelOf = (codePage = 0): string | undefined => decoderLabelOf(`windows-${codePage}`);

function decodeHtml(bytes: Uint8Array, codePage: number | undefined): string {
  return new TextDecoder(labelOf(codePage) ?? "utf-8").decode(bytes);
}
