import { unzipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { mailEngine } from "#services/conversion/engines/documents/mail.ts";
import { convertMail } from "#services/conversion/engines/inside/mail/convert.ts";
import { converterOf } from "#test/services/conversion/engines/inside/converter.ts";

const convert = converterOf(mailEngine, convertMail);

const mail = (type: string, body: string | Buffer, ...headers: readonly string[]) =>
  Buffer.concat([
    Buffer.from(["From: a@x.example", "Subject: S", ...headers, "MIME-Version: 1.0", `Content-Type: ${type}`, "", ""].join("\r\n")),
    Buffer.from(body),
  ]);
const mixed = (...parts: readonly string[]) =>
  mail("multipart/mixed; boundary=B", `${["", ...parts].map((part) => (part === "" ? "" : `--B\r\n${part}\r\n`)).join("")}--B--\r\n`);
const plain = (text: string) => `Content-Type: text/plain\r\n\r\n${text}`;
const file = (type: string, disposition: string) => `Content-Type: ${type}\r\nContent-Disposition: ${disposition}\r\n\r\nx`;

async function recordOf(content: string | Buffer, from = "eml") {
  const made = await convert(content, from, "json");
  return { ...JSON.parse(made.text)[0], codes: made.codes };
}

describe("work that grows with the square of a message", () => {
  it("is not done to find where a boundary of many signs ends", async () => {
    const sign = "-".repeat(200_000);
    const made = await convert(mail(`multipart/mixed; boundary="b${sign}"`, sign.repeat(20)), "eml", "txt");
    expect(made.codes).toEqual([]);
  });

  it("is not done to tell of every encoding that is not supported", async () => {
    const part = (_: unknown, at: number) => `Content-Type: text/plain; charset=none-${at}\r\n\r\n\xe9`;
    const notes = new Map();
    const question = { work: "mail", from: "eml", to: "txt", options: {} };
    await convertMail(mixed(...Array.from({ length: 100 }, part)), question, notes);
    expect(notes.get("ENCODING_GUESSED")).toContain("none-0 is not supported");
    expect(notes.get("ENCODING_GUESSED").length).toBeLessThan(1200);
  });
});

/** Their number is searched for once, not from the start for each. */
it("attachments of one name are numbered at once, however many", async () => {
  const same = file("application/x", "attachment; filename=same.txt");
  const made = await convert(mixed(...Array.from({ length: 4000 }, () => same)), "eml", "zip");
  expect(Object.keys(unzipSync(made.bytes))).toContain("same (4000).txt");
});

describe("a message's lines", () => {
  it.each(["8bit", "quoted-printable", "base64"])("are all there and in order when there are very many, in %s", async (encoding) => {
    const text = Array.from({ length: 20_000 }, (_, at) => `${at}\n`).join("");
    const body =
      encoding === "base64"
        ? (
            Buffer.from(text)
              .toString("base64")
              .match(/.{1,8}/g) ?? []
          ).join("\r\n")
        : text;
    const made = await convert(mail("text/plain", body, `Content-Transfer-Encoding: ${encoding}`), "eml", "txt");
    expect(made.text.slice(made.text.indexOf("0\n1\n"))).toBe(text);
  });
});

describe("a message's text", () => {
  const latin1 = Buffer.from("Käse", "latin1");
  it.each([
    ["of Latin 1 under no name", "text/plain", latin1, "Käse", ["ENCODING_GUESSED"]],
    ["of Latin 1 that is said to be UTF-8", "text/plain; charset=utf-8", latin1, "Käse", ["ENCODING_GUESSED"]],
    ["of UTF-8 that is said to be ASCII", "text/plain; charset=us-ascii", Buffer.from("Käse"), "Käse", []],
    ["of UTF-8 under an unknown name", "text/plain; charset=x-unknown", Buffer.from("Käse"), "Käse", []],
    ["of a code page that nothing decodes", "text/plain; charset=cp850", Buffer.from([0x4b, 0x84]), "K„", ["ENCODING_GUESSED"]],
    ["of a page that names its encoding", "text/html", Buffer.from('<meta charset="koi8-r">\xcb', "latin1"), "к", []],
    ["with a damaged character", "text/plain; charset=utf-8", Buffer.from("ä\xff", "latin1"), "ÿ", ["ENCODING_GUESSED"]],
    ["with one damaged character", "text/plain; charset=utf-8", Buffer.from([0xc3, 0xa4, 0xff]), "ä\ufffd", ["CHARACTERS_REPLACED"]],
  ])("%s is read", async (_what, type, body, text, codes) => {
    const record = await recordOf(mail(type, body));
    expect(record.text).toContain(text);
    expect(record.codes).toEqual(codes);
  });

  it.each([
    ["flowed", "> a \r\n> b\r\n>> c \r\n> d\r\ne \r\n f\r\n From\r\n-- \r\nsign", "> a b\n>> c \n> d\ne f\nFrom\n-- \nsign"],
    ["flowed; delsp=yes", "日 \r\n本\r\n", "日本"],
  ])("that is %s flows within a quotation", async (format, text, joined) => {
    expect((await recordOf(mail(`text/plain; charset=utf-8; format=${format}`, text))).text).toBe(joined);
  });

  it("that is copied is not decoded, so nothing is guessed", async () => {
    expect((await convert(mail("text/plain", latin1), "eml", "mbox")).codes).toEqual([]);
  });

  it.each([
    ["<table><tr><td>Total</td><td>10</td></tr><tr><td>Sum</td><td>05</td></tr></table>", "Total 10\nSum 05"],
    ["<h1>Your iPhone</h1>aB", "Your iPhone\n\naB"],
    [`${"<blockquote><div>".repeat(200)}deep`, "deep"],
  ])("out of a page keeps cells apart, letters as they are and deep quotations: %.40s", async (html, text) => {
    const record = await recordOf(mail("text/html", html));
    expect(record.text).toContain(text);
    expect(record.codes).toEqual([]);
  });

  it.each(["blockquote", "ul><li"])("within many <%s> is kept, without a sign for each", async (tag) => {
    const record = await recordOf(mail("text/html", `${`<${tag}>`.repeat(400)}one<br>two<p>three`));
    expect(record.text.trim().split("\n").at(-1)).toMatch(/three$/);
    expect(record.text).toMatch(/ one\n.* two\n/);
    expect(record.text.length).toBeLessThan(400 * 5);
    expect(record.codes).toEqual([]);
  });

  it("out of a page that is nested without end is cut with a note", async () => {
    expect((await recordOf(mail("text/html", `${"<div>".repeat(1500)}deep`))).codes).toEqual(["TEXT_LEFT_OUT"]);
  });
});

describe("a message's headers", () => {
  it.each([
    ["subject", "Subject: =?utf-8?B?5pel5pw=?=\r\n =?utf-8?B?rOiqng==?= x", "日本語 x"],
    ["subject", "Subject: =?utf-8?Q?K=C3?= =?utf-8?Q?=A4se_1?=", "Käse 1"],
    ["subject", "Subject: K\u00e4se", "Käse"],
    ["from", "From: a@x.example, B <b@x.example>", "a@x.example, B <b@x.example>"],
    ["replyTo", "Reply-To: r@x.example", "r@x.example"],
    ["bcc", "Bcc: h@x.example", "h@x.example"],
  ])("tell %s of %j", async (name, header, value) => {
    expect((await recordOf(Buffer.from(`${header}\r\n\r\nx`, "latin1")))[name]).toBe(value);
  });

  it.each(["utf-8", "x-none"])("that are not in the encoding they name, %s, are guessed with a note", async (charset) => {
    const record = await recordOf(`Subject: =?${charset}?Q?K=E4se?=\r\n\r\nx`);
    expect([record.subject, record.codes]).toEqual(["Käse", ["ENCODING_GUESSED"]]);
  });

  it("that have no field are named, but not those of the way", async () => {
    const headers =
      "Received: x\r\nX-Id: 1\r\nMessage-ID: <c@d>\r\nStatus: RO\r\nX-Keywords: k\r\nReferences: <a@b>\r\nX-Priority: 1 (Highest)\r\nSubject: S\r\n\r\nx";
    expect((await convert(headers, "eml", "json")).notes.get("METADATA_DROPPED")).toMatch(
      /: message-id, status, x-keywords, references, x-priority\.$/,
    );
    expect((await convert(headers, "eml", "mbox")).codes).toEqual([]);
  });

  it.each(["X-Priority: 3", "Importance: normal"])("that say what is usual are not named: %s", async (header) => {
    expect((await convert(`Subject: S\r\n${header}\r\n\r\nx`, "eml", "json")).codes).toEqual([]);
  });

  it.each(["\ufeff", ""])("are read in UTF-16 that begins with %j", async (mark) => {
    const record = await recordOf(Buffer.from(`${mark}Subject: Größe\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nGröße`, "utf16le"));
    expect([record.subject, record.text]).toEqual(["Größe", "Größe"]);
  });

  it.each([
    ["a byte order mark", "\ufeff"],
    ["an empty line", "\r\n"],
    ["the line of a mailbox", "From a@x.example Tue Mar  5 10:00:00 2024\r\n"],
  ])("are found behind %s", async (_what, preface) => {
    expect((await recordOf(`${preface}Subject: One\r\n\r\nx`)).subject).toBe("One");
  });
});

describe("attachments", () => {
  const inline = mixed(plain("text"), file("application/pdf", "inline; filename=bill.pdf"), file("image/png", "inline; filename=p.png"));
  it.each([
    ["json", "2 attachments were left out: bill.pdf, p.png."],
    ["txt", "2 attachments were left out: bill.pdf, p.png."],
    ["html", "An attachment was left out: bill.pdf."],
  ])("that are said to be inline are not left out of %s in silence", async (to, told) => {
    expect((await convert(inline, "eml", to)).notes.get("ENTRIES_LEFT_OUT")).toBe(told);
  });

  it("keep their names in records, and their extensions in folders", async () => {
    const long = `${"x".repeat(200)}.pdf`;
    const names = ['filename="Plan 3/4?.pdf"', `filename=${long}`, "filename=same.txt", "filename=same.txt", 'filename="C:\\\\a\\\\b.txt"'];
    const message = mixed(plain("text"), ...names.map((name) => file("application/x", `attachment; ${name}`)));
    expect((await recordOf(message)).attachments).toBe(`Plan 3/4?.pdf; ${long}; same.txt; same.txt; C:\\a\\b.txt`);
    const made = await convert(message, "eml", "zip");
    const kept = ["Plan 3_4_.pdf", `${"x".repeat(116)}.pdf`, "same.txt", "same (2).txt", "b.txt"];
    expect(Object.keys(unzipSync(made.bytes)).slice(2)).toEqual(kept);
    expect(made.notes.get("NAMES_CHANGED")).toContain("Plan 3/4?.pdf to Plan 3_4_.pdf");
  });

  it("have names that are split inside a letter, or say that they cannot be read", async () => {
    const split = 'attachment; filename="=?utf-8?B?5pel5pw=?= =?utf-8?B?rOiqng==?="';
    expect((await recordOf(mixed(file("application/x", split)))).attachments).toBe("日本語");
    const raw = Buffer.from(mixed(file("application/x", 'attachment; filename="K_se"')).toString().replace("_", "\u00e4"), "latin1");
    expect((await recordOf(raw)).codes).toEqual(["CHARACTERS_REPLACED", "ENTRIES_LEFT_OUT"]);
  });

  it("that end in the middle are said to be damaged", async () => {
    const whole = mixed(plain("x"), file("application/x", "attachment; filename=a"));
    const made = await convert(whole.subarray(0, -6), "eml", "zip");
    expect(made.codes).toEqual(["INPUT_DAMAGED"]);
  });

  it("that are messages are shown below, with what they carry, and are whole files", async () => {
    const inner = "From: i@x.example\r\nSubject: Inner\r\nDate: 4 Mar 2024 09:00:00 +0530\r\n\r\nK=E4se";
    const message = mixed(plain("outer"), `Content-Type: message/rfc822\r\n\r\n${inner}`);
    for (const to of ["txt", "json", "html"]) {
      const { text, codes } = await convert(message, "eml", to);
      for (const each of ["outer", "Inner", "i@x.example", "2024-03-04T09:00:00+05:30"]) expect(text).toContain(each);
      expect(codes).toEqual([]);
    }
    const files = unzipSync((await convert(message, "eml", "zip")).bytes);
    expect(
      Buffer.from(files["Inner.eml"] ?? [])
        .toString()
        .trim(),
    ).toBe(inner.replaceAll("\r", ""));
  });

  it("whose type only the name tells are shown where the text refers to them", async () => {
    const picture = "Content-Type: application/octet-stream; name=a.png\r\nContent-ID: <one@x>\r\n\r\nx";
    const made = await convert(mixed('Content-Type: text/html\r\n\r\n<img src="cid:one@x">', picture), "eml", "html");
    expect(made.text).toContain('<img src="data:image/png;base64,');
    expect(made.codes).toEqual([]);
  });
});

it("looks that a page cannot keep are noted", async () => {
  for (const html of ["<style>p{}</style><p>x</p>", '<p style="background:url(a)">x</p>'])
    expect((await convert(mail("text/html", html), "eml", "html")).codes).toEqual(["STYLING_DROPPED"]);
});

describe("a mailbox", () => {
  const from = (time: string) => `From a@x.example ${time}\n`;
  it.each([
    ["a text with a line of that sort", `${from("Tue Mar  5 10:00:00 2024")}Subject: One\n\nx\n\nFrom here: on\nKey: value\n\n`],
    [
      "no headers behind such a line",
      `${from("Tue Mar  5 10:00:00 2024")}Subject: One\n\nx\n\n${from("Tue Mar  5 11:00:00 2024")}no headers\n\n`,
    ],
    ["an empty line before all", `\n${from("Tue Mar  5 10:00:00 2024")}Subject: One\n\nx\n\n`],
  ])("of two messages has two with %s", async (_what, start) => {
    const made = await convert(`${start}${from("Tue Mar  5 12:00:00 2024")}Subject: Two\n\ny\n`, "mbox", "json");
    expect(JSON.parse(made.text).map(({ subject }: { subject: string }) => subject)).toEqual(["One", "Two"]);
  });
});

it("encoded words in ISO-2022-JP are joined without a sign between them", async () => {
  const word = "=?ISO-2022-JP?B?GyRCJUYlOSVIGyhC?=";
  const message = `From: a@x.example\r\nSubject: ${word}\r\n ${word}\r\n\r\nText\r\n`;
  expect(await recordOf(message)).toMatchObject({ subject: "テストテスト", codes: [] });
});
