import { expect, it } from "vitest";
import { bookPropertiesOf } from "#services/conversion/inspectors/inside/book-properties.ts";
import { zipFile } from "#test/harness/zip-file.ts";

const propertiesOf = async (bytes: Buffer, format: string) => {
  const read = async (offset: number, length: number) => bytes.subarray(offset, offset + length);
  const source = { sizeBytes: bytes.length, head: bytes.subarray(0, 65_536), read };
  return (await bookPropertiesOf(source, { format })).properties.map(({ name, value }) => `${name}: ${value}`);
};

it("reads the package document of an EPUB", async () => {
  const said =
    "<dc:title>A &amp;amp; B</dc:title><dc:rights/><dc:date>1999-05-06</dc:date><dc:identifier>urn:uuid:1</dc:identifier><dc:identifier>ISBN:978-3-16-148410-0</dc:identifier><dc:contributor>calibre (6.13)</dc:contributor><dc:odd>x</dc:odd>";
  const series = '<meta property="belongs-to-collection">Desert</meta>';
  const book = zipFile([{ name: "content.opf", content: `<package><metadata>${said}${series}</metadata></package>` }]);
  expect(await propertiesOf(book, "epub")).toEqual([
    "title: A &amp; B",
    "year: 1999",
    "identifier: ISBN:978-3-16-148410-0",
    "series: Desert",
  ]);
});

it("takes neither dates of the file nor other numbers for those of the book, and text from descriptions that are pages", async () => {
  const said =
    '<dc:date opf:event="publication">1998</dc:date><dc:date opf:event="conversion">2010</dc:date><dc:identifier>urn:uuid:a9781234-5678-4901-8abc-def012345678</dc:identifier><dc:description>&lt;p&gt;A &lt;em&gt;nice&lt;/em&gt; book, 1 &amp;lt; 2&lt;/p&gt;</dc:description>';
  const book = zipFile([{ name: "content.opf", content: `<package><metadata>${said}</metadata></package>` }]);
  expect(await propertiesOf(book, "epub")).toEqual(["year: 1998", "description: A nice book, 1 &lt; 2"]);
});

it("reads the description of a FictionBook in its encoding", async () => {
  const info =
    "<title-info><genre>sf</genre><author><first-name>J\xfcrgen</first-name><last-name>Emu</last-name></author><translator><nickname>w</nickname></translator></title-info><document-info><author><nickname>scan</nickname></author></document-info>";
  const text = `<?xml version="1.0" encoding="windows-1252"?><FictionBook><description>${info}</description><body>`;
  expect(await propertiesOf(Buffer.from(text, "latin1"), "fb2")).toEqual(["subject: sf", "creator: Jürgen Emu", "translator: w"]);
});

it("reads the list of a Kindle book, up to its damage", async () => {
  const entry = (code: number, value: string) => {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(code);
    head.writeUInt32BE(8 + value.length, 4);
    return Buffer.concat([head, Buffer.from(value)]);
  };
  const head = Buffer.alloc(112);
  head.writeUInt32BE(80, 78);
  const record = Buffer.alloc(100);
  record.writeUInt32BE(84, 20);
  record.writeUInt32BE(65001, 28);
  const list = Buffer.concat([Buffer.from("EXTH\0\0\0\0\0\0\0\x02"), entry(109, "Free"), entry(106, "1999-01-01")]);
  const book = Buffer.concat([head.subarray(0, 82), record.subarray(2), list]);
  expect(await propertiesOf(book, "mobi")).toEqual(["rights: Free", "year: 1999"]);
  expect(await propertiesOf(book.subarray(0, 100), "mobi")).toEqual([]);
});
