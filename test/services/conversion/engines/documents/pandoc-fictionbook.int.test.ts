import { describe, expect, it } from "vitest";
import { pandocEngine } from "#services/conversion/engines/documents/pandoc.ts";
import { converting } from "#test/services/conversion/engines/shared/converting.ts";

const convert = converting(pandocEngine);

const table =
  '<table><tr><th>Name</th><th colspan="2">Size</th></tr><tr><td>Quokka &amp; kin</td><td><emphasis>small</emphasis></td><td>54 cm</td></tr></table>';
const head =
  '<title-info><genre>nature</genre><genre match="50">humor_prose</genre><author><first-name>Ada</first-name><last-name>Byron</last-name></author><book-title>Quokkas</book-title><keywords>island</keywords><lang>en</lang><translator><first-name>Mary</first-name><last-name>Shelley</last-name></translator><sequence name="Marsupials" number="3"/></title-info>' +
  "<publish-info><book-name>Quokkas, second edition</book-name><publisher>Rottnest Press</publisher><year>1999</year><isbn>978-3-16-148410-0</isbn></publish-info>";
const book = (body: string) =>
  `<?xml version="1.0" encoding="UTF-8"?><FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0" xmlns:l="http://www.w3.org/1999/xlink"><description>${head}</description><body><section><title><p>Chapter</p></title>${body}</section></body></FictionBook>`;

describe("FictionBook", () => {
  it("keeps its tables between their paragraphs", async () => {
    const { text } = await convert(book(`<p>Before.</p>${table}<p>Between.</p>${table}<p>After.</p>`), "fb2", "html");
    const words = text.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");
    const rows = "Name Size Quokka &amp; kin small 54 cm";
    expect(words).toContain(`Before. ${rows} Between. ${rows} After.`);
    expect(text).toContain('colspan="2"');
    expect(text).toContain("<em>small</em>");
  });

  it("keeps genres, translator, series, publisher and ISBN where the target can", async () => {
    const { text, notes } = await convert(book("<p>Text.</p>"), "fb2", "md");
    for (const each of [
      "- island",
      "- nature",
      "- humor_prose",
      "translator: Mary Shelley",
      "series: Marsupials 3",
      "publisher: Rottnest Press",
    ])
      expect(text).toContain(each);
    expect(text).toContain("identifier: 978-3-16-148410-0");
    expect(text).toContain("- Quokkas, second edition");
    expect(notes).toEqual([]);
  });

  it("is noted to lose them elsewhere, by their names", async () => {
    const { messages } = await convert(book("<p>Text.</p>"), "fb2", "adoc");
    expect(messages.get("TEXT_LEFT_OUT")).toBe(
      "Properties of the document were left out: edition, identifier, publisher, series, translator.",
    );
  });
});

it("keeps headings of sections as headings in RST", async () => {
  const page = '<main><section id="start"><h2>First</h2><p>One.</p><div><h3>Second</h3><p>Two.</p></div></section></main>';
  const { text } = await convert(page, "html", "rst");
  expect(text.trim().split(/\n+/)).toEqual([".. _`start`:", "First", "=====", "One.", "Second", "------", "Two."]);
});
