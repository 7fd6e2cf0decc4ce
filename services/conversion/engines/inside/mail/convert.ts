/** Reads messages and writes them as pages, text, records, other mail formats or their attached files. */
import { zipSync } from "fflate";
import { convert as textOfHtml } from "html-to-text";
import MailComposer from "nodemailer/lib/mail-composer/index.js";
import { type Converted, type Notes, numberOption, type Question } from "../exchange.ts";
import { Failure, invalid } from "../failure.ts";
import { writeRecords } from "../records/convert.ts";
import type { Value } from "../records/values.ts";
import { writeHtml } from "./html.ts";
import { fileNameOf, type Message } from "./message.ts";
import { messagesOfMbox, parseEml, parseMsg } from "./read.ts";

type Writer = (messages: readonly Message[], question: Question, notes: Notes) => Converted | Promise<Converted>;

const writers: Readonly<Record<string, Writer>> = {
  html: (messages, _question, notes) => writeHtml(messages, notes),
  txt: (messages) => messages.map(textOf).join(`\n${"-".repeat(72)}\n\n`),
  eml: async (messages, { options }, notes) => {
    const number = numberOption(options, "message") ?? 1;
    const message = messages[number - 1];
    if (message === undefined) throw new Failure("INVALID_OPTION", `The mailbox has ${messages.length} messages.`);
    if (messages.length > 1) notes.set("MESSAGES_LEFT_OUT", `Only message ${number} of ${messages.length} was converted.`);
    return await rawOf(message);
  },
  mbox: async (messages) => Buffer.concat((await Promise.all(messages.map(entryOf))).flat()),
  zip: (messages) => (messages.length === 1 ? zipOfParts(messages[0]) : zipOfMessages(messages)),
};

export async function convertMail(bytes: Buffer, question: Question, notes: Notes): Promise<Converted> {
  const messages = await messagesOf(bytes, question, notes);
  if (messages.length === 0) throw invalid("The mailbox holds no messages.");
  const write = writers[question.to];
  const attached = messages.reduce((sum, { attachments }) => sum + attachments.filter(({ isInline }) => !isInline).length, 0);
  const isKept = question.to === "eml" || question.to === "mbox" || question.to === "zip";
  if (attached > 0 && !isKept)
    notes.set("ENTRIES_LEFT_OUT", attached === 1 ? "An attachment was left out." : `${attached} attachments were left out.`);
  if (write !== undefined) return await write(messages, question, notes);
  return await writeRecords(messages.map(recordOf), question, notes);
}

async function messagesOf(bytes: Buffer, { from }: Question, notes: Notes): Promise<readonly Message[]> {
  if (from === "msg") return [parseMsg(bytes, notes)];
  if (from === "eml") return [await parseEml(bytes)];
  const messages: Message[] = [];
  for (const each of messagesOfMbox(bytes)) messages.push(await parseEml(each));
  return messages;
}

function bodyOf({ text, html }: Message): string {
  if (text !== undefined && text.trim() !== "") return text.replace(/\r\n/g, "\n").trimEnd();
  if (html === undefined) return "";
  return textOfHtml(html, {
    wordwrap: false,
    limits: { maxInputLength: 2 ** 24, maxDepth: 100 },
    selectors: [{ selector: "img", format: "skip" }],
  }).trimEnd();
}

function textOf(message: Message): string {
  const rows: readonly (readonly [string, string])[] = [
    ["From", message.from],
    ["To", message.to],
    ["Cc", message.cc],
    ["Bcc", message.bcc],
    ["Date", message.date],
    ["Attachments", message.attachments.map(({ name }) => name).join(", ")],
  ];
  const headers = rows.filter(([, value]) => value !== "").map(([name, value]) => `${name}: ${value.replace(/\s+/g, " ")}\n`);
  // The subject comes first, so that the text is not mistaken for a message with headers.
  return `${message.subject.replace(/\s+/g, " ") || "(no subject)"}\n\n${headers.join("")}\n${bodyOf(message)}\n`;
}

function recordOf(message: Message): Value {
  const { date, from, to, cc, subject, messageId, attachments } = message;
  return new Map(
    Object.entries({
      ...{ date, from, to, cc, subject, messageId, text: bodyOf(message) },
      attachments: attachments.map(({ name }) => name).join("; "),
    }),
  );
}

/** The message as sent, or recomposed from what the file contains. */
async function rawOf(message: Message): Promise<Uint8Array> {
  if (message.raw !== undefined) return message.raw;
  const { subject, from, to, cc, bcc, text, html, messageId } = message;
  const time = Date.parse(message.date);
  const composer = new MailComposer({
    ...{ subject, from, to, cc, bcc },
    ...(text === undefined ? {} : { text }),
    ...(html === undefined ? {} : { html }),
    ...(messageId === "" ? {} : { messageId }),
    ...(Number.isNaN(time) ? {} : { date: new Date(time) }),
    attachments: message.attachments.map(({ name, mime, bytes, contentId, isInline }) => ({
      filename: name,
      contentType: mime,
      content: Buffer.from(bytes),
      ...(contentId === undefined || contentId === "" ? {} : { cid: contentId }),
      contentDisposition: isInline ? ("inline" as const) : ("attachment" as const),
    })),
    // Nothing in the message may be treated as a file name or an address to fetch.
    disableFileAccess: true,
    disableUrlAccess: true,
    newline: "\r\n",
  });
  return await composer.compile().build();
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
function zipOfParts(message: Message | undefined): Uint8Array {
  if (message === undefined) throw new Failure("INTERNAL", "There is no message.");
  const files = new Map<string, Uint8Array>();
  files.set("message.txt", Buffer.from(textOf(message)));
  files.set("message.html", Buffer.from(writeHtml([message], new Map())));
  for (const { name, bytes } of message.attachments) files.set(freeName(files, name), bytes);
  return zipped(files);
}

async function zipOfMessages(messages: readonly Message[]): Promise<Uint8Array> {
  const files = new Map<string, Uint8Array>();
  for (const [index, message] of messages.entries()) {
    const number = String(index + 1).padStart(String(messages.length).length, "0");
    files.set(freeName(files, `${number} ${fileNameOf(message.subject.slice(0, 80), "message")}.eml`), await rawOf(message));
  }
  return zipped(files);
}

function freeName(files: ReadonlyMap<string, unknown>, name: string): string {
  const [, stem = name, end = ""] = /^(.*?)(\.[^.]{1,10})?$/s.exec(name) ?? [];
  let free = name;
  for (let count = 2; files.has(free); count++) free = `${stem} (${count})${end}`;
  return free;
}

function zipped(files: ReadonlyMap<string, Uint8Array>): Uint8Array {
  // A fixed date keeps the result reproducible.
  return zipSync(Object.fromEntries(files), { level: 6, mtime: new Date(1980, 0, 1) });
}
