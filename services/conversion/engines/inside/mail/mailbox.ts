/** Reads mailboxes (RFC 4155). */
import { invalid, tooComplex } from "../failure.ts";

const maxMessages = 20_000;

/**
 * The messages, split at `From ` lines, with the quoting of such lines undone. Not every program quotes them in texts,
 * so only a line that headers follow counts, and only one with a time if the first has one.
 */
export function* messagesOfMbox(file: Buffer): Generator<Uint8Array> {
  const [preface = ""] = /^(?:\xef\xbb\xbf)?[\r\n]*/.exec(file.toString("latin1", 0, 1000)) ?? [];
  const bytes = file.subarray(preface.length);
  if (!/^From \S/.test(bytes.toString("latin1", 0, 7))) throw invalid("The file is not a mailbox: it does not begin with a “From” line.");
  const hasTimes = timed.test(lineAt(bytes, 0));
  let count = 0;
  let at = 0;
  while (at < bytes.length) {
    if (++count > maxMessages) throw tooComplex(`The mailbox contains more than ${maxMessages} messages.`);
    const start = bytes.indexOf(0x0a, at);
    const end = nextOf(bytes, at, hasTimes);
    if (start >= 0 && start + 1 < end) yield unquoted(bytes.subarray(start + 1, end));
    at = end;
  }
}

const timed = /\d:\d\d/;

/** Where the next message begins; the length of the mailbox if there is none. */
function nextOf(bytes: Buffer, from: number, hasTimes: boolean): number {
  for (let at = bytes.indexOf("\nFrom ", from, "latin1"); at >= 0; at = bytes.indexOf("\nFrom ", at + 1, "latin1")) {
    const line = lineAt(bytes, at + 1);
    const isHeader = /^(>?From |[\x21-\x39\x3b-\x7e]+[ \t]*:)/.test(lineAt(bytes, at + 2 + line.length));
    if (isHeader && (!hasTimes || timed.test(line))) return at + 1;
  }
  return bytes.length;
}

/** Only the start of a long line. */
function lineAt(bytes: Buffer, at: number): string {
  const end = bytes.indexOf(0x0a, at);
  return bytes.toString("latin1", at, Math.min(end < 0 ? bytes.length : end, at + 1000));
}

/** `>From ` stands for `From ` at the start of a line (mboxrd). */
function unquoted(message: Buffer): Uint8Array {
  return Buffer.from(message.toString("latin1").replace(/^>(>*From )/gm, "$1"), "latin1");
}
