import { unzipSync } from "fflate";
import { expect, it } from "vitest";
import { mailEngine } from "#services/conversion/engines/documents/mail.ts";
import { convertMail } from "#services/conversion/engines/inside/mail/convert.ts";
import { converterOf } from "#test/services/conversion/engines/inside/converter.ts";

const convert = converterOf(mailEngine, convertMail);

const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};
const attribute = (level: number, id: number, data: Buffer | string): Buffer =>
  Buffer.concat([Buffer.from([level]), number(id), number(data.length), Buffer.from(data), Buffer.alloc(2)]);
const padded = (data: Buffer): Buffer => Buffer.concat([number(data.length), data, Buffer.alloc((4 - (data.length % 4)) % 4)]);
const property = (tag: number, ...values: readonly Buffer[]): Buffer =>
  Buffer.concat([number(tag), number(values.length), ...values.map(padded)]);
const listOf = (...properties: readonly Buffer[]): Buffer => Buffer.concat([number(properties.length), ...properties]);
const unicode = (text: string): Buffer => Buffer.from(`${text}\0`, "utf16le");
const envelopeOf = (...attributes: readonly Buffer[]): Buffer =>
  Buffer.concat([number(0x223e9f78), Buffer.alloc(2), attribute(1, 0x69007, number(1251)), ...attributes]);

const html = attribute(1, 0x69003, listOf(property(0x10130102, Buffer.from("<p>\xcd\xf3\xec\xe1\xe0\xf2</p>", "latin1"))));
const named = Buffer.concat([number(0x8000001f), Buffer.alloc(16), number(1), padded(unicode("own")), number(1), padded(unicode("x"))]);
const file = Buffer.concat([
  attribute(2, 0x69002, Buffer.alloc(14)),
  attribute(2, 0x18010, "SHORT~1.TXT\0"),
  attribute(2, 0x6800f, "Content"),
  attribute(2, 0x69005, listOf(named, Buffer.concat([number(0x7ffe000b), number(1)]), property(0x3707001f, unicode("Long name.txt")))),
]);

const mailOf = (envelope: Buffer, text = ""): string =>
  [
    "From: a@b.example\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=x\r\n",
    `--x\r\nContent-Type: text/plain\r\n\r\n${text}\r\n`,
    '--x\r\nContent-Type: application/ms-tnef; name="winmail.dat"\r\nContent-Transfer-Encoding: base64\r\n',
    `${envelope.toString("base64")}\r\n--x--\r\n`,
  ].join("\r\n");

it("the files and the page in Outlook's envelope are those of the message", async () => {
  const sent = mailOf(envelopeOf(html, file));
  const made = await convert(sent, "eml", "html");
  expect(made.text).toContain("<p>Нумбат</p>");
  expect(made.notes.get("ENTRIES_LEFT_OUT")).toBe("An attachment was left out: Long name.txt.");
  const files = unzipSync((await convert(sent, "eml", "zip")).bytes);
  expect(Buffer.from(files["Long name.txt"] ?? "").toString()).toBe("Content");
  expect(Object.keys(files)).not.toContain("winmail.dat");
});

it("a message keeps its own text, and says if the envelope holds no message", async () => {
  const meeting = envelopeOf(attribute(1, 0x78008, "IPM.Microsoft Schedule.MtgReq\0"), attribute(1, 0x2800c, "Inner\0"));
  const made = await convert(mailOf(meeting, "Outer"), "eml", "txt");
  expect(made.text).toContain("Outer");
  expect(made.text).not.toContain("Inner");
  expect(made.notes.get("METADATA_DROPPED")).toContain("MtgReq");
  expect((await convert(mailOf(meeting), "eml", "txt")).text).toContain("Inner");
});

const attachedOf = (...attributes: readonly Buffer[]): Buffer => {
  const inner = Buffer.concat([Buffer.alloc(16), envelopeOf(...attributes)]);
  return envelopeOf(
    attribute(2, 0x69002, Buffer.alloc(14)),
    attribute(2, 0x69005, listOf(property(0x3001001f, unicode("Talk")), property(0x3701000d, inner))),
  );
};

it("the text and the files of a message inside the envelope are found", async () => {
  const files = unzipSync((await convert(mailOf(attachedOf(attribute(1, 0x2800c, "Inner\0"), file)), "eml", "zip")).bytes);
  expect(Buffer.from(files["Talk.txt"] ?? "").toString()).toBe("Inner");
  expect(Buffer.from(files["Long name.txt"] ?? "").toString()).toBe("Content");
});

it("a message inside the envelope that has only a page keeps it, and one with unreadable rich text says so", async () => {
  const files = unzipSync((await convert(mailOf(attachedOf(html)), "eml", "zip")).bytes);
  expect(Buffer.from(files["Talk.html"] ?? "").toString()).toBe("\ufeff<p>Нумбат</p>");
  const rich = attachedOf(attribute(1, 0x69003, listOf(property(0x10090102, Buffer.from("no rich text")))));
  expect((await convert(mailOf(rich), "eml", "txt")).notes.has("STYLING_DROPPED")).toBe(true);
});

it("a page in the envelope is read in its own encoding, not in that of other texts", async () => {
  const encoding = Buffer.concat([number(0x3fde0003), number(65001)]);
  const page = attribute(1, 0x69003, listOf(encoding, property(0x10130102, Buffer.from("<p>Нумбат</p>"))));
  expect((await convert(mailOf(envelopeOf(page)), "eml", "html")).text).toContain("<p>Нумбат</p>");
});

it("a body that is only rich text becomes text", async () => {
  const rtf = "{\\rtf1\\ansi Numbat}";
  const head = Buffer.concat([number(rtf.length + 12), number(rtf.length), Buffer.from("MELA"), number(0)]);
  const rich = envelopeOf(attribute(1, 0x69003, listOf(property(0x10090102, Buffer.concat([head, Buffer.from(rtf)])))));
  const { text, notes } = await convert(mailOf(rich, ""), "eml", "txt");
  expect(text).toContain("\nNumbat\n");
  expect(notes.get("STYLING_DROPPED")).toBe("The body's rich text became plain text.");
});

it("a message with a page of its own does not say that rich text in the envelope was left out", async () => {
  const rich = envelopeOf(attribute(1, 0x69003, listOf(property(0x10090102, Buffer.from("no rich text")))));
  const sent = mailOf(rich, "<p>Outer</p>").replace("text/plain", "text/html");
  expect((await convert(sent, "eml", "html")).notes.has("STYLING_DROPPED")).toBe(false);
});

it("a damaged envelope stays an attachment", async () => {
  const whole = envelopeOf(html, file);
  const endless = envelopeOf(attribute(1, 0x69003, Buffer.concat([number(0xffffffff), number(0x10000003)])));
  const unknown = envelopeOf(attribute(1, 0x69003, listOf(property(0x10000099))));
  const crowded = envelopeOf(attribute(1, 0x69004, Buffer.concat([number(100_001), Buffer.alloc(4 * 100_001)])));
  for (const damaged of [whole.subarray(0, -30), endless, unknown, crowded]) {
    const files = unzipSync((await convert(mailOf(Buffer.from(damaged)), "eml", "zip")).bytes);
    expect(Object.keys(files)).toContain("winmail.dat");
  }
});

it("an envelope alone is a message of Outlook, with its sender, receivers, time and files", async () => {
  const person = (kind: number, name: string) =>
    listOf(
      Buffer.concat([number(0x0c150003), number(kind)]),
      property(0x3001001f, unicode(name)),
      property(0x39fe001f, unicode(`${name}@b.example`)),
    );
  const time = Buffer.alloc(8);
  time.writeBigUInt64LE(BigInt(Date.UTC(2019, 10, 22, 12, 23, 59) + 11_644_473_600_000) * 10_000n);
  const headers = listOf(
    property(0x0037001f, unicode("Quokka")),
    property(0x0c1a001f, unicode("Ada")),
    property(0x5d01001f, unicode("ada@b.example")),
    Buffer.concat([number(0x00390040), time]),
  );
  const receivers = Buffer.concat([number(2), person(1, "bob"), person(2, "eve")]);
  const body = attribute(1, 0x2800c, "Inner\0");
  const sent = envelopeOf(attribute(1, 0x69004, receivers), attribute(1, 0x69003, headers), body, file);
  const { text } = await convert(sent, "msg", "txt");
  for (const line of ["Quokka\n", "From: Ada <ada@b.example>", "To: bob <bob@b.example>", "Cc: eve <eve@b.example>", "\nInner\n"])
    expect(text).toContain(line);
  expect(text).toMatch(/Date: 2019-11-22T12:23:59/);
  expect(Object.keys(unzipSync((await convert(sent, "msg", "zip")).bytes))).toContain("Long name.txt");
});

it("a second envelope in a message keeps its text", async () => {
  const [one, two] = ["First", "Second"].map((text) => envelopeOf(attribute(1, 0x2800c, `${text}\0`)).toString("base64"));
  const part = "--x\r\nContent-Type: application/ms-tnef\r\nContent-Transfer-Encoding: base64\r\n\r\n";
  const sent = `From: a@b.example\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n${part}${one}\r\n${part}${two}\r\n--x--\r\n`;
  expect((await convert(sent, "eml", "txt")).text).toContain("First");
  const files = unzipSync((await convert(sent, "eml", "zip")).bytes);
  expect(Buffer.from(files["message.txt"] ?? "").toString()).toContain("First");
  expect(Object.values(files).map((bytes) => Buffer.from(bytes).toString())).toContain("Second");
});
