import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { mailEngine } from "#services/conversion/engines/documents/mail.ts";
import { testEngine, useBench } from "#test/contract/engine.ts";
import { mailsOf } from "#test/contract/readers-mail.ts";
import { compoundFile } from "#test/harness/compound-file.ts";

const run = promisify(execFile);
const corpus = join(import.meta.dirname, "../../../../corpus/mail");
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=";

const message = [
  "Received: from mill.example by mail.example; Sun, 01 Mar 2026 10:00:00 +0100",
  "From: =?utf-8?Q?J=C3=BCrgen_Quokka?= <juergen@mill.example>",
  'To: "Zebra, Ada" <ada@mill.example>, Bo <bo@mill.example>',
  "Subject: =?utf-8?B?w5xuw69jw7hkw6kgNDI=?=",
  "Date: Sun, 01 Mar 2026 10:00:00 +0100",
  "Message-ID: <1@mill.example>",
  "MIME-Version: 1.0",
  'Content-Type: multipart/mixed; boundary="a"',
  "",
  "--a",
  'Content-Type: multipart/alternative; boundary="b"',
  "",
  "--b",
  "Content-Type: text/plain; charset=utf-8",
  "Content-Transfer-Encoding: 8bit",
  "",
  "Quokka Ünïcødé",
  "From here it goes on.",
  "--b",
  "Content-Type: text/html; charset=utf-8",
  "",
  '<p onclick="steal()">Quokka <b>Ünïcødé</b></p><script>steal()</script><img src="cid:dot@mill" alt="dot">',
  '<img src="https://tracker.example/pixel.gif" alt="pixel"><div style="background: url(https://tracker.example/b)">From here</div>',
  "--b--",
  "--a",
  'Content-Type: image/png; name="dot.png"',
  "Content-ID: <dot@mill>",
  'Content-Disposition: inline; filename="dot.png"',
  "Content-Transfer-Encoding: base64",
  "",
  pixel,
  "--a",
  'Content-Type: text/csv; name="../numbers.csv"',
  'Content-Disposition: attachment; filename="../numbers.csv"',
  "",
  "a,b",
  "--a--",
  "",
].join("\r\n");
const other = "From: bo@mill.example\nSubject: Second\nDate: Mon, 02 Mar 2026 10:00:00 +0000\n\n>From quoted\nlast words\n";

const written: Readonly<Record<string, string>> = {
  eml: message,
  mbox: `From juergen@mill.example Sun Mar  1 10:00:00 2026\n${message.replaceAll("\r\n", "\n").replace("\nFrom here", "\n>From here")}\nFrom bo@mill.example Mon Mar  2 10:00:00 2026\n${other}`,
  ics: [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Mill//EN",
    "BEGIN:VEVENT",
    "UID:7@mill.example",
    "DTSTAMP:20260301T090000Z",
    "DTSTART;TZID=Europe/Berlin:20260301T100000",
    "DTEND;TZID=Europe/Berlin:20260301T113000",
    "SUMMARY:Quokka Ünïcødé\\, talk",
    "ATTENDEE;CN=Bo:mailto:bo@mill.example",
    "RRULE:FREQ=WEEKLY;COUNT=4",
    "DESCRIPTION:A long line that goes on and is folded somewhere in the mid",
    " dle of a word",
    "END:VEVENT",
    "BEGIN:VEVENT",
    "UID:8@mill.example",
    "DTSTART;VALUE=DATE:20260401",
    "SUMMARY:Zebra day",
    "END:VEVENT",
    "END:VCALENDAR",
    "",
  ].join("\r\n"),
  vcf:
    "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Jürgen Quokka\r\nN:Quokka;Jürgen;;;\r\nEMAIL;TYPE=work:juergen@mill.example\r\nEMAIL:j@mill.example\r\n" +
    "TEL;TYPE=cell:+49 30 123\r\nADR:;;Mill Street 1;Berlin;;10115;Germany\r\nEND:VCARD\r\n" +
    "BEGIN:VCARD\r\nVERSION:2.1\r\nN;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:Zebra;=C4da\r\nFN;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:=C4da =\r\nZebra\r\nEND:VCARD\r\n",
  csv: 'First Name,Last Name,E-mail Address,Mobile Phone\r\nJürgen,Quokka,juergen@mill.example,+49 30 123\r\nÄda,"Zebra, Dr.",,\r\n',
  tsv: "Name\tEmail\r\nJürgen Quokka\tjuergen@mill.example\r\nÄda Zebra\t\r\n",
  mhtml:
    "MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=x\r\n\r\n--x\r\nContent-Type: text/html\r\n\r\n<!doctype html><html><p>Quokka</p></html>\r\n--x--\r\n",
  json: '[{"name": "Jürgen Quokka", "email": ["juergen@mill.example", "j@mill.example"]}, {"name": "Äda Zebra"}]',
};

const bench = useBench(mailEngine);

async function sample(format: string, folder: string): Promise<string> {
  const path = join(folder, `sample.${format}`);
  if (format === "msg") return join(corpus, "message.msg");
  if (format === "xlsx") return (await bench.convert(await sample("vcf", folder), "vcf", "xlsx")).path;
  await writeFile(path, written[format] ?? "");
  return path;
}

/** Rows as Python reads them. */
async function rowsOf(path: string, delimiter: string): Promise<readonly Readonly<Record<string, string>>[]> {
  const script =
    "import sys,csv,json; json.dump(list(csv.DictReader(open(sys.argv[1],newline='',encoding='utf-8'),delimiter=sys.argv[2])),sys.stdout)";
  return JSON.parse((await run("/usr/bin/python3", ["-I", "-c", script, path, delimiter])).stdout);
}

const wantedTexts: Readonly<Record<string, readonly string[]>> = {
  eml: ["Jürgen Quokka", "Ünïcødé 42", "Quokka"],
  mbox: ["Jürgen Quokka", "Ünïcødé 42", "last words"],
  msg: ["Matijs van Zuijlen", "test"],
  ics: ["Quokka Ünïcødé, talk", "2026-03-01T10:00:00", "somewhere in the middle", "bo@mill.example", "Zebra day"],
  mhtml: ["<p>Quokka</p>"],
  vcf: ["Jürgen Quokka", "juergen@mill.example", "+49 30 123", "Mill Street 1, Berlin, 10115, Germany", "Äda Zebra"],
};

testEngine(mailEngine, {
  sample,
  async check({ from, to }, reading, path) {
    if (to === "zip") return expect(reading.entries?.length).toBe({ eml: 4, mbox: 2, msg: 3 }[from]);
    if (to === "xlsx") return expect(reading.entries).toContain("xl/workbook.xml");
    if (to === "eml" || to === "mbox") {
      const mails = await mailsOf(path, to);
      expect(mails).toHaveLength(from === "mbox" && to === "mbox" ? 2 : 1);
      expect(mails[0]?.subject).toBe(from === "msg" ? "test" : "Ünïcødé 42");
      expect(mails[0]?.attachments).toHaveLength(from === "msg" ? 1 : 2);
      return expect(mails[0]?.text.replace("\n>From", "\nFrom")).toContain(from === "msg" ? "" : "\nFrom here it goes on.");
    }
    const text = await readFile(path, "utf8");
    if (to === "vcf") {
      expect(text.match(/^BEGIN:VCARD$/gm)).toHaveLength(2);
      return expect(text.replaceAll("\r\n ", "")).toMatch(
        /^FN:Jürgen Quokka\r\n[\s\S]*EMAIL(?:;TYPE=WORK)?:juergen@mill\.example\r\n[\s\S]*FN:Äda Zebra/m,
      );
    }
    if (to === "csv" || to === "tsv") {
      const rows = await rowsOf(path, to === "csv" ? "," : "\t");
      const all = JSON.stringify(rows);
      for (const wanted of wantedTexts[from] ?? []) expect(all).toContain(wanted);
      return expect(rows).toHaveLength({ eml: 1, mbox: 2, msg: 1, ics: 2, vcf: 2 }[from] ?? 0);
    }
    if (to === "json") JSON.parse(text);
    for (const wanted of wantedTexts[from] ?? []) expect(text).toContain(wanted);
  },
});

describe("engine mail, in detail", () => {
  const convert = async (from: string, to: string, options = {}) => {
    const { path, notes } = await bench.convert(await sample(from, bench.folder), from, to, options);
    return { path, notes, text: await readFile(path, "utf8") };
  };

  it("makes a page with the message's pictures that runs no scripts and fetches nothing", async () => {
    const { text, notes } = await convert("eml", "html");
    expect(text).not.toMatch(/steal|tracker\.example/);
    expect(text).toContain("<b>Ünïcødé</b>");
    expect(text).toContain(`src="data:image/png;base64,${pixel}"`);
    expect(text).toContain("<span>pixel</span>");
    expect([...notes.keys()].sort()).toEqual(["ENTRIES_LEFT_OUT", "IMAGES_REMOVED", "STYLING_DROPPED"]);
  });

  it("keeps attached files byte for byte", async () => {
    const original = createHash("sha256").update(Buffer.from(pixel, "base64")).digest("hex");
    const [mail] = await mailsOf((await convert("eml", "mbox")).path, "mbox");
    expect(mail?.attachments.map(([, digest]) => digest)).toContain(original);
    const { path } = await convert("eml", "zip");
    const { stdout } = await run("unzip", ["-p", path, "dot.png"], { encoding: "buffer" });
    expect(createHash("sha256").update(stdout).digest("hex")).toBe(original);
    expect((await run("unzip", ["-Z1", path])).stdout).toBe("message.txt\nmessage.html\ndot.png\nnumbers.csv\n");
  });

  it("reads the picture in an Outlook message as Perl's reader does", async () => {
    const [mail] = await mailsOf((await convert("msg", "eml")).path, "eml");
    const { stdout } = await run("unzip", ["-p", (await convert("msg", "zip")).path, mail?.attachments[0]?.[0] ?? ""], {
      encoding: "buffer",
    });
    expect(createHash("sha256").update(stdout).digest("hex")).toBe(mail?.attachments[0]?.[1]);
    expect(stdout.toString("latin1", 6, 10)).toBe("JFIF");
  });

  it("reads an Outlook message in its declared code page", async () => {
    const properties = Buffer.alloc(48);
    properties.writeUInt32LE(0x3fde_0003, 32);
    properties.writeUInt32LE(950, 40);
    const path = join(bench.folder, "chinese.msg");
    await writeFile(
      path,
      compoundFile({
        "__properties_version1.0": properties,
        "__substg1.0_001A001E": Buffer.from("IPM.Note"),
        "__substg1.0_0037001E": Buffer.from("aea6a1a6", "hex"),
        "__substg1.0_1000001E": Buffer.from("a4a4a4e5b4fab8d5", "hex"),
      }),
    );
    expect(await readFile((await bench.convert(path, "msg", "txt")).path, "utf8")).toContain("中文測試");
  });

  const outlookOf = async (name: string, streams: Readonly<Record<string, string>>, to: string) => {
    const path = join(bench.folder, `${name}.msg`);
    const named = Object.entries(streams).map(([tag, value]) => [`__substg1.0_${tag}`, Buffer.from(value)]);
    const usual = { "__properties_version1.0": Buffer.alloc(32), "__substg1.0_001A001E": Buffer.from("IPM.Note") };
    await writeFile(path, compoundFile({ ...usual, ...Object.fromEntries(named) }));
    const made = await bench.convert(path, "msg", to);
    return { text: await readFile(made.path, "utf8"), codes: [...made.notes.keys()] };
  };

  it("keeps Reply-To and the sender's time zone from the headers of an Outlook message", async () => {
    const headers = "Reply-To: r@x.example\r\nDate: Tue, 5 Mar 2024 10:00:00 +0100\r\n";
    const { text } = await outlookOf("headers", { "1000001E": "x", "007D001E": headers }, "json");
    expect(JSON.parse(text)[0]).toMatchObject({ replyTo: "r@x.example", date: "2024-03-05T10:00:00+01:00" });
  });

  it.each([
    ["rich text", { "1000001E": "x", "10090102": "rtf" }, "STYLING_DROPPED"],
    ["a contact's fields", { "1000001E": "x", "001A001E": "IPM.Contact" }, "METADATA_DROPPED"],
  ])("leaves out %s of an Outlook message, with a note", async (name, streams, code) => {
    expect((await outlookOf(name, streams, "txt")).codes).toEqual([code]);
  });

  it("keeps the Bcc recipients of an Outlook message", async () => {
    const bytes = await readFile(join(corpus, "message.msg"));
    const type = bytes.indexOf(Buffer.from("0300150c", "hex"));
    bytes.writeUInt32LE(3, type + 8);
    const path = join(bench.folder, "hidden.msg");
    await writeFile(path, bytes);
    expect(await readFile((await bench.convert(path, "msg", "eml")).path, "utf8")).toMatch(/^Bcc: \S/m);
  });

  it("converts one message of a mailbox, by default the first, with a note", async () => {
    const first = await convert("mbox", "eml");
    expect(first.notes.get("MESSAGES_LEFT_OUT")).toBe("Only message 1 of 2 was converted.");
    expect((await mailsOf((await convert("mbox", "eml", { message: 2 })).path, "eml"))[0]).toMatchObject({
      subject: "Second",
      text: "From quoted\nlast words\n",
    });
    await expect(convert("mbox", "eml", { message: 3 })).rejects.toMatchObject({ code: "INVALID_OPTION" });
  });

  it("rejects tables without a name column", async () => {
    const path = join(bench.folder, "numbers.csv");
    await writeFile(path, "a,b\n1,2\n");
    await expect(bench.convert(path, "csv", "vcf")).rejects.toMatchObject({ code: "CONVERSION_FAILED" });
  });
});
