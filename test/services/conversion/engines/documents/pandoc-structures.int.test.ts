/** Structures that pandoc's writers would leave out, or write as what the target does not know. */
import { strFromU8, unzipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { pandocEngine } from "#services/conversion/engines/documents/pandoc.ts";
import { converting } from "#test/services/conversion/engines/shared/converting.ts";

const convert = converting(pandocEngine);
const made = async (page: string, to: string) => await convert(`<!doctype html><body>${page}</body>`, "html", to);

const note =
  '<p>Text<a href="#n" role="doc-noteref">1</a>.</p><section role="doc-endnotes"><ol><li id="n"><p>First [see].</p><p>Second.</p></li></ol></section>';
const table =
  "<table><caption>Sizes</caption><tr><th>Name</th><th>Size</th></tr><tr><td>Quokka</td><td><ul><li>small</li><li>round</li></ul></td></tr></table>";

describe("structures", () => {
  it("footnotes of several paragraphs stay in AsciiDoc", async () => {
    const { text } = await made(note, "adoc");
    expect(text.replace(/\s+/g, " ")).toContain("Textfootnote:[First [see&#93;. + Second.].");
  });

  it("footnotes of DokuWiki end on their line", async () => {
    expect((await convert("> Quoted[^1].\n\n[^1]: Note.\n", "md", "dokuwiki")).text.trim()).toBe("> Quoted((Note.)).");
  });

  it("addresses of mail stay in DokuWiki and Zim", async () => {
    expect((await made('<p><a href="mailto:a@b.example">write</a></p>', "dokuwiki")).text.trim()).toBe("[[a@b.example|write]]");
    expect((await made('<p><a href="mailto:a@b.example">write</a></p>', "zimwiki")).text).toContain("[[mailto:a@b.example|write]]");
  });

  it.each(["dokuwiki", "jira", "xwiki", "muse", "opml", "markua", "haddock", "org", "tei", "zimwiki"])(
    "captions, heads and cells stay in %s",
    async (to) => {
      const { text } = await made(table, to);
      for (const word of ["Sizes", "Name", "Size", "Quokka", "small", "round"]) expect(text).toMatch(new RegExp(`\\b${word}\\b`));
    },
  );

  it("heads of tables with widths stay in Muse", async () => {
    const columns = '<colgroup><col style="width:60%"><col style="width:40%"></colgroup>';
    const wide = `<table>${columns}<tr><th>Name</th><th>Size</th></tr><tr><td>Quokka</td><td>small</td></tr></table>`;
    expect((await made(wide, "muse")).text).toMatch(/Name\s.*Size/);
  });

  it("a date that a target cannot express is noted", async () => {
    const { messages } = await convert("---\ntitle: A\ndate: long ago\n---\n\nText\n", "md", "opml");
    expect(messages.get("TEXT_LEFT_OUT")).toBe("Properties of the document were left out: date.");
  });

  it.each([
    ["dokuwiki", ["  * one\\\\ two", "  - first", "  * **term**\\\\ meaning"]],
    ["xwiki", ["*. one\\\\two", "1. first", ": meaning\\\\more"]],
    ["adoc", ["* one", ". first", "meaning +\n  more"]],
  ])("lists stay lists in %s", async (to, expected) => {
    const lists = "<ul><li><p>one</p><p>two</p></li></ul><ol><li>first</li></ol><dl><dt>term</dt><dd><p>meaning</p><p>more</p></dd></dl>";
    const { text } = await made(lists, to);
    expect(text).not.toContain("<HTML>");
    for (const each of expected) expect(text).toContain(each);
  });

  it("underlined and struck text stays so in AsciiDoc and RST", async () => {
    const page = "<p>An <u>a</u> and <s>b`c</s> “<q>d</q>”.</p>";
    expect((await made(page, "adoc")).text.trim()).toBe("An [.underline]#a# and [.line-through]#b`c# ““d””.");
    expect((await made(page, "rst")).text).toMatch(/^\.\. role:: del\n\nAn \*a\* and \\ :del:`b\\`c`\\ /);
  });

  it("links, pictures and footnotes in struck text stay in RST, and blanks alone are not struck", async () => {
    const page = '<p>A <s>see <a href="http://a.example/">page</a> and <b>more </b></s> b <s> </s> c<s></s>.</p>';
    const { text } = await made(page, "rst");
    expect(text.replace(/\s+/g, " ").trim()).toBe(".. role:: del A \\ :del:`see`\\ `page <http://a.example/>`__ \\ :del:`and more`\\ b c.");
    const note = await convert("A ~~b[^1]~~ c.\n\n[^1]: Quokka\n", "md", "rst");
    expect(note.text).toContain("Quokka");
  });

  it("addresses keep what AsciiDoc would take for marks", async () => {
    const { text } = await made('<p><a href="http://a.example/~b/__c__">d</a></p>', "adoc");
    expect(text.trim()).toBe("http://a.example/%7Eb/%5F%5Fc%5F%5F[d]");
  });

  it.each([
    ["rst", true],
    ["mediawiki", true],
    ["docx", false],
    ["md", false],
    ["tex", false],
  ])("merged cells are noted where %s has none", async (to, isNoted) => {
    const { messages } = await made('<table><tr><td colspan="2">wide</td></tr><tr><td>a</td><td>b</td></tr></table>', to);
    expect(messages.get("TEXT_LEFT_OUT") ?? "").toBe(isNoted ? "Merged cells became single ones beside empty cells." : "");
  });
});

it("cells of tables are in outlines, which have no tables", async () => {
  const cells = "<h1>A</h1><table><tr><th>Animal</th><th>Count</th></tr><tr><td>Quokka</td><td>42</td></tr></table>";
  expect((await made(cells, "opml")).text).toMatch(/_note="Animal\tCount\s+&#10;Quokka\t42"/);
});

it("keeps the foot of a table in OpenDocument, and names descriptions of pictures that it lacks", async () => {
  const picture = '<p><img src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAAC" alt="A reef"></p>';
  const table =
    "<table><thead><tr><th>Item</th></tr></thead><tbody><tr><td>Coral</td></tr></tbody><tfoot><tr><td>Sum 9.5</td></tr></tfoot></table>";
  const { bytes, messages } = await convert(`${table}${picture}`, "html", "odt");
  expect(strFromU8(unzipSync(bytes)["content.xml"] ?? new Uint8Array())).toMatch(/Coral[\s\S]*Sum 9\.5/);
  expect(messages.get("TEXT_LEFT_OUT")).toBe("Descriptions (alternative text) of pictures were left out.");
});

it("keeps the dates of tasks and the times spent on them of Org", async () => {
  const task =
    "* TODO Paint\nSCHEDULED: <2019-04-03 Wed> DEADLINE: <2019-05-06 Mon 10:00>\n:LOGBOOK:\nCLOCK: [2019-04-01 Mon 09:00]\n:END:\nBlue";
  const { text } = await convert(`${task}\n* Next\nGreen\n`, "org", "txt");
  expect(text.match(/2019-\d\d-\d\d/g)).toEqual(["2019-05-06", "2019-04-03", "2019-04-01"]);
});

it("keeps the properties at the beginning of Org, or names them", async () => {
  const text = "# A note\n:PROPERTIES:\n:ID: 4f-77\n:EMPTY:\n:END:\n#+title: Reef\n\n* Coral\n:PROPERTIES:\n:CUSTOM_ID: c\n:END:\nRed\n";
  expect((await convert(text, "org", "md")).text).toMatch(/^id: 4f-77$/m);
  expect((await convert(text, "org", "html")).messages.get("TEXT_LEFT_OUT")).toBe("Properties of the document were left out: id.");
});
