/** Reads messages and writes them as pages, text, records, other mail formats or their attached files. */
import { zipSync } from "fflate";
import MailComposer from "nodemailer/lib/mail-composer/index.js";
import { type Converted, type Notes, noteAlso, noteOnce, numberOption, type Question } from "../exchange.ts";
import { Failure, invalid } from "../failure.ts";
import { writeRecords } from "../records/convert.ts";
import { firstOf, type Value } from "../records/values.ts";
import { writeHtml } from "./html.ts";
import { messagesOfMbox } from "./mailbox.ts";
import { type Attachment, fileNameOf, filesOf, headerRowsOf, type Message, namesOf, noteLeftOut } from "./message.ts";
import { textOfHtml } from "./page-text.ts";
import { parseEml, parseMsg } from "./read.ts";

type Writer = (messages: readonly Message[], question: Question, notes: Notes) => Converted | Promise<Converted>;

const writers: Readonly<Record<string, Writer>> = {
  html: (messages, _question, notes) => writeHtml(messages, notes),
  txt: (messages, _question, notes) => messages.map((message) => textOf(message, notes)).join(`\n${"-".repeat(72)}\n\n`),
  eml: async (messages, { options }, notes) => {
    const number = numberOption(options, "message") ?? 1;
    const message = messages[number - 1];
    if (message === undefined) throw new Failure("INVALID_OPTION", `The mailbox has ${messages.length} messages.`);
    if (messages.length > 1) notes.set("MESSAGES_LEFT_OUT", `Only message ${number} of ${messages.length} was converted.`);
    return await rawOf(message);
  },
  mbox: async (messages) => Buffer.concat((await Promise.all(messages.map(entryOf))).flat()),
  zip: (messages, _question, notes) => (messages.length === 1 ? zipOfParts(messages[0], notes) : zipOfMessages(messages)),
};

export async function convertMail(bytes: Buffer, question: Question, notes: Notes): Promise<Converted> {
  const ofReading: Notes = new Map();
  const messages = await messagesOf(bytes, question, ofReading);
  // What is copied as it was sent is not decoded.
  const isCopied = messages[0]?.raw !== undefined && holdsMessages(question, messages.length);
  if (!isCopied) for (const [code, what] of ofReading) notes.set(code, what);
  if (messages.length === 0) throw invalid("The mailbox contains no messages.");
  const write = writers[question.to];
  const others = new Set(messages.flatMap((message) => message.others));
  if (!isCopied && others.size > 0)
    noteAlso(notes, "METADATA_DROPPED", `Headers that have no place in the result were left out: ${firstOf([...others], 6)}.`);
  const { to } = question;
  // Pages show some of them, and the others hold all.
  if (to !== "html" && to !== "eml" && to !== "mbox" && to !== "zip") noteLeftOut(messages.flatMap(filesOf), notes);
  if (write !== undefined) return await write(messages, question, notes);
  return await writeRecords(
    messages.map((message) => recordOf(message, notes)),
    question,
    notes,
  );
}

function holdsMessages({ to }: Question, count: number): boolean {
  return to === "eml" || to === "mbox" || (to === "zip" && count > 1);
}

async function messagesOf(bytes: Buffer, { from }: Question, notes: Notes): Promise<readonly Message[]> {
  if (from === "msg") return [await parseMsg(bytes, notes)];
  if (from === "eml") return [await parseEml(bytes, notes)];
  const messages: Message[] = [];
  for (const each of messagesOfMbox(bytes)) messages.push(await parseEml(each, notes));
  return messages;
}

/** The text, and below it those of attached messages. */
function bodyOf(message: Message, notes: Notes): string {
  const { text, html, attachments } = message;
  const isPlain = text !== undefined && text.trim() !== "";
  const own = isPlain ? text.replace(/\r\n/g, "\n").trimEnd() : html === undefined ? "" : textOfHtml(html, notes);
  const forwarded = attachments.flatMap((each) => (each.message === undefined ? [] : textOf(each.message, notes).trimEnd()));
  return [own, ...forwarded].join(`\n\n${"-".repeat(40)}\n`);
}

function textOf(message: Message, notes: Notes): string {
  const rows = headerRowsOf(message).filter(([name]) => name !== "Subject");
  const headers = rows.map(([name, value]) => `${name}: ${value.replace(/\s+/g, " ")}\n`);
  // The subject comes first, so that the text is not mistaken for a message with headers.
  return `${message.subject.replace(/\s+/g, " ") || "(no subject)"}\n\n${headers.join("")}\n${bodyOf(message, notes)}\n`;
}

function recordOf(message: Message, notes: Notes): Value {
  const { date, from, to, cc, bcc, replyTo, subject, messageId } = message;
  return new Map(
    Object.entries({
      ...{ date, from, to, cc, subject, messageId },
      ...(bcc === "" ? {} : { bcc }),
      ...(replyTo === "" ? {} : { replyTo }),
      ...{ text: bodyOf(message, notes), attachments: namesOf(message).join("; ") },
    }),
  );
}

/** The message as sent, or recomposed from what the file contains. */
async function rawOf(message: Message): Promise<Uint8Array> {
  if (message.raw !== undefined) return message.raw;
  const { subject, from, to, cc, bcc, replyTo, text, html, messageId } = message;
  const time = Date.parse(message.date);
  const composer = new MailComposer({
    ...{ subject, from, to, cc, bcc, replyTo },
    ...(text === undefined ? {} : { text }),
    ...(html === undefined ? {} : { html }),
    ...(messageId === "" ? {} : { messageId }),
    ...(Number.isNaN(time) ? {} : { date: new Date(time) }),
    attachments: await Promise.all(message.attachments.map(partOf)),
    // Nothing in the message may be treated as a file name or an address to fetch.
    disableFileAccess: true,
    disableUrlAccess: true,
    newline: "\r\n",
  });
  const root = composer.compile();
  // A sender must not tell the hidden recipients, but an archive must.
  root.keepBcc = true;
  return await root.build();
}

async function partOf({ name, mime, bytes, contentId, isInline, message }: Attachment) {
  const asMail = message === undefined ? undefined : await rawOf(message);
  return {
    filename: asMail === undefined ? name : name.replace(/\.msg$/, ".eml"),
    contentType: asMail === undefined ? mime : "message/rfc822",
    content: Buffer.from(asMail ?? bytes),
    ...(contentId === undefined || contentId === "" ? {} : { cid: contentId }),
    contentDisposition: isInline ? ("inline" as const) : ("attachment" as const),
  };
}

/** @see RFC 4155; lines that start with `From ` are quoted (mboxrd). */
async function entryOf(message: Message): Promise<readonly Buffer[]> {
  const sender = /<([^<>\s]+)>/.exec(message.from)?.[1] ?? (/^[^\s@]+@\S+$/.test(message.from) ? message.from : "MAILER-DAEMON");
  const time = Date.parse(message.date);
  const raw = Buffer.from(await rawOf(message))
    .toString("latin1")
    .replace(/\r\n/g, "\n")
    .replace(/^(>*From )/gm, ">$1");
  const [day = "", month = "", date = "", year = "", clock = ""] = asctimeOf(new Date(Number.isNaN(time) ? 0 : time));
  const body = raw.endsWith("\n") ? raw : `${raw}\n`;
  return [Buffer.from(`From ${sender} ${day} ${month} ${date} ${clock} ${year}\n${body}\n`, "latin1")];
}

function asctimeOf(time: Date): readonly string[] {
  const [, day = "", date = "", month = "", year = "", clock = ""] = /^(\w+), (\d+) (\w+) (\d+) (\S+) GMT$/.exec(time.toUTCString()) ?? [];
  return [day, month, String(Number(date)).padStart(2, " "), year, clock];
}

/** The text, the page and the attachments of a message, each as a file. */
function zipOfParts(message: Message | undefined, notes: Notes): Uint8Array {
  if (message === undefined) throw new Failure("INTERNAL", "There is no message.");
  const files = new Map<string, Uint8Array>();
  const counts = new Map<string, number>();
  const ofPage: Notes = new Map();
  files.set("message.txt", Buffer.from(textOf(message, notes)));
  files.set("message.html", Buffer.from(writeHtml([message], ofPage)));
  // Attachments that the page does not show are files here.
  for (const [code, what] of ofPage) if (code !== "ENTRIES_LEFT_OUT") notes.set(code, what);
  for (const [index, { name, bytes }] of message.attachments.entries()) {
    const free = freeName(files, counts, fileNameOf(name, `attachment-${index + 1}`));
    if (free !== name)
      noteOnce(notes, "NAMES_CHANGED", `Names of attachments were changed, first ${name.slice(0, 60)} to ${free.slice(0, 60)}.`);
    files.set(free, bytes);
  }
  return zipped(files);
}

async function zipOfMessages(messages: readonly Message[]): Promise<Uint8Array> {
  const files = new Map<string, Uint8Array>();
  for (const [index, message] of messages.entries()) {
    const number = String(index + 1).padStart(String(messages.length).length, "0");
    files.set(`${number} ${fileNameOf(message.subject.slice(0, 80), "message")}.eml`, await rawOf(message));
  }
  return zipped(files);
}

/** `counts` has how often each name was wanted. */
function freeName(files: ReadonlyMap<string, unknown>, counts: Map<string, number>, name: string): string {
  const [, stem = name, end = ""] = /^(.*?)(\.[^.]{1,10})?$/s.exec(name) ?? [];
  let free = name;
  let count = counts.get(name) ?? 1;
  while (files.has(free)) free = `${stem} (${++count})${end}`;
  counts.set(name, count);
  return free;
}

function zipped(files: ReadonlyMap<string, Uint8Array>): Uint8Array {
  // A fixed date keeps the result reproducible.
  return zipSync(Object.fromEntries(files), { level: 6, mtime: new Date(1980, 0, 1) });
}
