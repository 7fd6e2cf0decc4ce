import { expect, test } from "vitest";
import { writeHtml } from "#services/conversion/engines/inside/mail/html.ts";
import type { Attachment, Message } from "#services/conversion/engines/inside/mail/message.ts";

const picture = (name: string, contentId: string | undefined, isInline = true): Attachment => ({
  ...{ name, contentId, isInline, mime: "image/png" },
  bytes: Buffer.from(name),
});
const sent = (html: string | undefined, attachments: readonly Attachment[]): Message => ({
  ...{
    subject: "S",
    from: "a@b.example",
    to: "",
    cc: "",
    bcc: "",
    replyTo: "",
    others: [],
    date: "",
    messageId: "",
    text: "plain",
    raw: undefined,
  },
  ...{ html, attachments },
});
const pageOf = (html: string | undefined, ...attachments: readonly Attachment[]) => writeHtml([sent(html, attachments)], new Map());
const addresses = (page: string) =>
  [...page.matchAll(/<img src="data:image\/png;base64,([^"]*)"/g)].map(([, text = ""]) => Buffer.from(text, "base64").toString());

test("pictures to which the text of a message refers stand there, those that it only brings along inline below it, each once", () => {
  const page = pageOf(
    '<p>x <img src="cid:one"> y</p>',
    picture("one", "one"),
    picture("two", undefined),
    picture("three", undefined, false),
  );
  expect(addresses(page)).toEqual(["one", "two"]);
  expect(page.indexOf("y</p>")).toBeLessThan(page.indexOf('alt="two"'));
  expect(addresses(pageOf(undefined, picture("two", undefined)))).toEqual(["two"]);
});

test("the title of a page that was sent is no line of the message", () => {
  expect(pageOf("<html><head><title>Draft 7</title></head><body><p>Hello</p></body></html>")).not.toContain("Draft 7");
});

test("a picture to which a message refers by its name stands there", () => {
  expect(addresses(pageOf('<p><img src="1.png"></p>', picture("1.png", undefined, false), picture("2.png", undefined, false)))).toEqual([
    "1.png",
  ]);
});
