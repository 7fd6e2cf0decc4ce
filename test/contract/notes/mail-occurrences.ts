/** Messages, calendars and contacts that raise each note of their engine. */
import { readFile, writeFile } from "node:fs/promises";
import type { NoteCode } from "#services/conversion/domain/notes.ts";
import { type Content, latin } from "./occurrence.ts";

const mailOf = (parts: string) => `From: a@b.example\r\nTo: c@d.example\r\nSubject: S\r\nMIME-Version: 1.0\r\n${parts}`;
const mixed = mailOf(
  'Content-Type: multipart/mixed; boundary="x"\r\n\r\n--x\r\nContent-Type: text/plain\r\n\r\nText\r\n--x\r\nContent-Type: text/plain; name="a.txt"\r\nContent-Disposition: attachment; filename="a.txt"\r\n\r\nA\r\n--x--\r\n',
);
const event =
  "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTART:20260101T100000Z\r\nSUMMARY:J\xfcrgen\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
/** The message without its plain and HTML bodies; its rich text is compressed in an unknown way. */
async function unreadableRichText(path: string): Promise<void> {
  let text = (await readFile("test/corpus/mail/message.msg")).toString("latin1").replaceAll("LZFu", "LZFx");
  for (const property of ["1000001", "1013010"]) {
    text = text.replaceAll(
      Buffer.from(property, "utf16le").toString("latin1"),
      Buffer.from(`7F${property.slice(2)}`, "utf16le").toString("latin1"),
    );
  }
  await writeFile(path, latin(text));
}

export const mail: readonly (readonly [hop: string, code: NoteCode, content: Content])[] = [
  ["eml>html", "IMAGES_REMOVED", mailOf('Content-Type: text/html\r\n\r\n<p>A<img src="https://example.org/a.png"></p>\r\n')],
  ["eml>txt", "ENTRIES_LEFT_OUT", mixed],
  ["eml>xml", "CHARACTERS_REPLACED", mailOf("Content-Type: text/plain\r\n\r\nA\x02B\r\n")],
  ["msg>txt", "STYLING_DROPPED", unreadableRichText],
  [
    "mbox>eml",
    "MESSAGES_LEFT_OUT",
    ["One", "Two"].map((name) => `From a@b Sun Mar  1 10:00:00 2026\nFrom: a@b.example\nSubject: ${name}\n\nText\n`).join("\n"),
  ],
  ["ics>html", "ENCODING_GUESSED", latin(event)],
  ["ics>json", "TYPES_AS_TEXT", event],
  ["ics>json", "INPUT_DAMAGED", `${event}X-COMMENT:after the end\r\n`],
  ["csv>vcf", "DIALECT_GUESSED", "name;email\nA;a@b.example\n"],
  ["ics>json", "METADATA_DROPPED", event.replace("SUMMARY:", "SUMMARY;LANGUAGE=de:")],
  ["vcf>json", "STRUCTURE_FLATTENED", "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:A\r\nADR:;;1 Street;Town;;;\r\nEND:VCARD\r\n"],
  ["vcf>xlsx", "TYPES_AS_TEXT", "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:A\r\nBDAY:1899-01-02\r\nEND:VCARD\r\n"],
  ["json>vcf", "CHARACTERS_REPLACED", '[{"name":"A","note":"a\\u0001b"}]'],
  ["csv>vcf", "NAMES_CHANGED", "name,email,email\nA,a@b.example,c@d.example\n"],
  ["xlsx>vcf", "SHEETS_LEFT_OUT", twoSheets],
];

async function twoSheets(path: string): Promise<void> {
  const { utils, write } = await import("@e965/xlsx");
  const file = utils.book_new();
  for (const name of ["One", "Two"]) utils.book_append_sheet(file, utils.aoa_to_sheet([["name"], ["A"]]), name);
  await writeFile(path, write(file, { type: "buffer", bookType: "xlsx" }) as Buffer);
}
