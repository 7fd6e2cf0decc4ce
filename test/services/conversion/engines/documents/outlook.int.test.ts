import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import burner from "@kenjiuno/msgreader/lib/Burner.js";
import { expect, it } from "vitest";
import { mailEngine } from "#services/conversion/engines/documents/mail.ts";
import { useBench } from "#test/contract/engine.ts";

const bench = useBench(mailEngine);

async function convert(message: Buffer, to: string) {
  const path = join(bench.folder, "sample.msg");
  await writeFile(path, message);
  const made = await bench.convert(path, "msg", to);
  return { text: await readFile(made.path, "utf8"), codes: [...made.notes.keys()] };
}

type Folder = { readonly [name: string]: Buffer | Folder };

/** An Outlook message is a folder of properties. */
function outlookOf(root: Folder): Buffer {
  const entries = [{ name: "Root Entry", type: 5, length: 0, children: [] as number[] }];
  const add = (folder: Folder, children: number[]): void => {
    for (const [name, value] of Object.entries(folder)) {
      children.push(entries.length);
      const inner: number[] = [];
      const isFile = Buffer.isBuffer(value);
      const file = isFile ? { binaryProvider: () => Uint8Array.from(value) } : {};
      entries.push({ name, type: isFile ? 2 : 1, length: isFile ? value.length : 0, children: inner, ...file });
      if (!isFile) add(value, inner);
    }
  };
  add(root, entries[0]?.children ?? []);
  return Buffer.from(burner.burn(entries));
}

const textsOf = (subject: string, body: string): Folder => ({
  "__substg1.0_001A001E": Buffer.from("IPM.Note"),
  "__substg1.0_0037001E": Buffer.from(subject),
  "__substg1.0_1000001E": Buffer.from(body),
});
const messageOf = (folder: Folder): Folder => ({ "__properties_version1.0": Buffer.alloc(32), ...folder });

/** Stored without compression. */
function richText(rtf: string, length = rtf.length): Folder {
  const head = Buffer.alloc(16);
  head.writeUInt32LE(length + 12, 0);
  head.writeUInt32LE(rtf.length, 4);
  head.write("MELA", 8);
  return { "__substg1.0_10090102": Buffer.concat([head, Buffer.from(rtf)]) };
}

const rich = (head: string, body: string) => `{\\rtf1\\ansi\\ansicpg1252${head}{\\fonttbl{\\f1\\fcharset204 A;}}\\uc1 ${body}}`;
const tags =
  "{\\*\\htmltag64 <p class=\"a\\{b\\}\">}\\htmlrtf {\\htmlrtf0 Pr\\'fcfung \\f1\\'cf\\'f0\\f0  \\u8364?5{\\*\\htmltag84 &nbsp;}\\htmlrtf \\'a0\\htmlrtf0 " +
  '{\\*\\mhtmltag84 <a href="x">}{\\*\\htmltag84 <a href="https://x.example/">}\\b link{\\*\\htmltag92 </a>}\\htmlrtf \\par}\\htmlrtf0\n{\\*\\htmltag72 </p>}';

it("the page inside a message's rich text is converted", async () => {
  const message = outlookOf(messageOf({ ...textsOf("S", "plain"), ...richText(rich("\\fromhtml1", tags)) }));
  const { text, codes } = await convert(message, "html");
  expect(text).toContain('<p class="a{b}">Prüfung Пр €5\u00a0<a href="https://x.example/">link</a></p>');
  expect(codes).toEqual([]);
});

it.each([
  ["made of plain text", richText(rich("\\fromtext", "plain")), []],
  ["written as such", richText(rich("", "plain")), ["STYLING_DROPPED"]],
  ["cut off", richText(rich("\\fromhtml1", tags), 1e9), ["STYLING_DROPPED"]],
])("rich text %s gives the plain text", async (_name, stream, codes) => {
  const made = await convert(outlookOf(messageOf({ ...textsOf("S", "plain"), ...stream })), "html");
  expect(made.text).toContain(">plain</pre>");
  expect(made.codes).toEqual(codes);
});

it("a message attached to an Outlook message is shown below it, and is mail in mail", async () => {
  const inner = { "__properties_version1.0": Buffer.alloc(24), ...textsOf("Inner", "below") };
  const attached = {
    "__properties_version1.0": Buffer.alloc(8),
    "__substg1.0_3001001E": Buffer.from("Inner"),
    "__substg1.0_3701000D": inner,
  };
  const message = outlookOf(messageOf({ ...textsOf("Outer", "above"), "__attach_version1.0_#00000000": attached }));
  const { text, codes } = await convert(message, "txt");
  expect(text).toMatch(/^Outer\n.*above.*\nInner\n.*below/s);
  expect(codes).toEqual([]);
  expect((await convert(message, "eml")).text).toMatch(/message\/rfc822; name=Inner\.eml.*Subject: Inner.*below/s);
});

it("another file of Office is not taken for a message without content", async () => {
  const converted = convert(outlookOf({ Workbook: Buffer.from("cells") }), "txt");
  await expect(converted).rejects.toMatchObject({ code: "INVALID_INPUT", message: "The file is not an Outlook message." });
});

it("a message that names only the encoding of its page is guessed, with a note", async () => {
  const { "__substg1.0_001A001E": sort } = textsOf("", "");
  const texts = { "__substg1.0_0037001E": Buffer.from("Gr\xfc\xdfe", "latin1"), "__substg1.0_1000001E": Buffer.from("Sch\xf6n", "latin1") };
  const page = Buffer.alloc(48);
  // PidTagInternetCodepage: UTF-8.
  page.writeUInt32LE(0x3fde_0003, 32);
  page.writeUInt32LE(65001, 40);
  const message = { "__properties_version1.0": page, ...(sort === undefined ? {} : { "__substg1.0_001A001E": sort }), ...texts };
  const { text, codes } = await convert(outlookOf(message), "txt");
  expect(text).toMatch(/^Grüße\n[\s\S]*Schön/);
  expect(codes).toEqual(["ENCODING_GUESSED"]);
});
