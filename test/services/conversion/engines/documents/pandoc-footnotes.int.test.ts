import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { strFromU8, strToU8, unzipSync, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { pandocEngine } from "#services/conversion/engines/documents/pandoc.ts";
import { useBench } from "#test/contract/engine.ts";
import { textOf } from "./document-text.ts";

const container =
  '<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OPS/package.opf" media-type="application/oebps-package+xml"/></rootfiles></container>';

function bookOf(chapters: Readonly<Record<string, string>>): Uint8Array {
  const names = Object.keys(chapters);
  const items = names.map((name) => `<item id="${name}" href="${name}.xhtml" media-type="application/xhtml+xml"/>`).join("");
  const order = names.map((name) => `<itemref idref="${name}"/>`).join("");
  const meta =
    '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="u">x</dc:identifier><dc:title>Quokkas</dc:title><dc:language>en</dc:language></metadata>';
  const pages = Object.entries(chapters).map(([name, body]) => {
    const page = `<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head><title>${name}</title></head><body>${body}</body></html>`;
    return [`OPS/${name}.xhtml`, strToU8(page)] as const;
  });
  return zipSync({
    mimetype: [strToU8("application/epub+zip"), { level: 0 }],
    "META-INF/container.xml": strToU8(container),
    "OPS/package.opf": strToU8(
      `<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="u">${meta}<manifest>${items}</manifest><spine>${order}</spine></package>`,
    ),
    ...Object.fromEntries(pages),
  });
}

const notes = (text: string) => text.split("\n").filter((line) => line.startsWith("[^"));

describe("footnotes of books and web pages", () => {
  const bench = useBench(pandocEngine);

  async function madeOf(from: "epub" | "html", content: Uint8Array | string, to: string): Promise<string> {
    const path = join(bench.folder, `noted.${from}`);
    await writeFile(path, content);
    return (await bench.convert(path, from, to)).path;
  }
  const markdownOf = async (from: "epub" | "html", content: Uint8Array | string) =>
    await readFile(await madeOf(from, content, "md"), "utf8");

  it("leaves out, with a note, what a book hides itself or by a style sheet beside its pages, but no hidden footnote", async () => {
    const link = '<link rel="stylesheet" href="css/a.css"/>';
    const body = `${link}<p>Seen<a epub:type="noteref" href="#n">1</a><span style="display:none"> unseen</span> <b class="gone">gone</b></p><aside epub:type="footnote" hidden="hidden" id="n">Said.</aside>`;
    const path = join(bench.folder, "hiding.epub");
    await writeFile(path, zipSync({ ...unzipSync(bookOf({ one: body })), "OPS/css/a.css": strToU8(".gone{visibility:hidden}") }));
    const made = await bench.convert(path, "epub", "md");
    const text = await readFile(made.path, "utf8");
    expect(text).toMatch(/Seen\[\^1\]\s+\[\^1\]: Said\./);
    expect(made.notes.get("TEXT_LEFT_OUT")).toBe("Hidden text was left out.");
  });

  const book = bookOf({
    one: `<h1>One</h1><p>An aside<a epub:type="noteref" href="#a">1</a>, an item<a epub:type="noteref" href="#b">2</a>, a role<a role="doc-noteref" href="#c">3</a>,
      a paragraph<a epub:type="noteref" href="#d">4</a>, elsewhere<a epub:type="noteref" href="notes.xhtml#e">5</a>, nowhere<a epub:type="noteref" href="#gone">6</a>.</p>
      <aside epub:type="footnote" id="a"><p>Said aside.</p></aside>
      <section epub:type="endnotes"><h2>Endnotes</h2><ol><li id="b" epub:type="endnote"><p>Said in an item.</p></li></ol></section>
      <div role="doc-footnote" id="c"><p>Said by a role.</p></div><p epub:type="footnote" id="d">Said in a paragraph.</p><p>Last words.</p>`,
    notes: '<h1>Notes</h1><aside epub:type="footnote" id="e"><p>Said elsewhere.</p></aside>',
  });

  it("come with a note of pages that are drawings", async () => {
    const parts = unzipSync(bookOf({ one: "<h1>One</h1>", drawn: "" }));
    const drawn = strFromU8(parts["OPS/package.opf"] ?? new Uint8Array()).replace(
      'href="drawn.xhtml" media-type="application/xhtml+xml"',
      'href="drawn.svg" media-type="image/svg+xml"',
    );
    const path = join(bench.folder, "drawn.epub");
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><text>Drawn</text></svg>';
    await writeFile(path, zipSync({ ...parts, "OPS/package.opf": strToU8(drawn), "OPS/drawn.svg": strToU8(svg) }));
    expect((await bench.convert(path, "epub", "md")).notes.get("IMAGES_REMOVED")).toBe("One picture was left out.");
  });

  it("come with a note of links in preformatted text, and keep those in code", async () => {
    const body = '<pre><a href="https://x.org">a</a></pre><p><code><a href="https://x.org/b">b</a></code></p>';
    for (const [from, content] of [["epub", bookOf({ one: body })] as const, ["html", body] as const]) {
      const path = join(bench.folder, `code.${from}`);
      await writeFile(path, content);
      const made = await bench.convert(path, from, "md");
      expect(made.notes.get("TEXT_LEFT_OUT")).toBe("Addresses of links in preformatted text were left out.");
      expect(await readFile(made.path, "utf8")).toContain("[`b`](https://x.org/b)");
    }
  });

  it("are found in a chapter of another folder", async () => {
    const book = bookOf({
      "text/one": '<h1>One</h1><p>Said<a epub:type="noteref" href="../back/notes.xhtml#e">1</a>.</p>',
      "back/notes": '<h1>Notes</h1><aside epub:type="footnote" id="e"><p>Said elsewhere.</p></aside>',
    });
    expect(notes(await markdownOf("epub", book))).toEqual(["[^1]: Said elsewhere."]);
  });

  it("are recognised in every form that EPUB allows, and references without a note stay links", async () => {
    const text = await markdownOf("epub", book);
    expect(text).toContain(
      "An aside[^1], an item[^2], a role[^3], a paragraph[^4], elsewhere[^5], nowhere[6](#one.xhtml#gone).".replaceAll(" ", " "),
    );
    expect(notes(text)).toEqual([
      "[^1]: Said aside.",
      "[^2]: Said in an item.",
      "[^3]: Said by a role.",
      "[^4]: Said in a paragraph.",
      "[^5]: Said elsewhere.",
    ]);
    expect(text).toContain("Last words.\n");
    expect(text).not.toMatch(/Endnotes|aside>/);
  });

  it.each(["html", "docx"])("of a book appear once in %s", async (to) => {
    const path = await madeOf("epub", book, to);
    const text = to === "html" ? await readFile(path, "utf8") : await textOf(path);
    for (const said of ["aside", "in an item", "by a role", "in a paragraph", "elsewhere"])
      expect(text.split(`Said ${said}.`)).toHaveLength(2);
    expect(text).toMatch(to === "docx" ? /<w:footnoteReference [^>]*w:id="\d+"/ : /<a href="#fn5"/);
  });

  const plain = `<h1>One</h1><p>First<sup><a id="r1" href="#n1">1</a></sup> and second<a href="#n2" id="r2"><sup>*</sup></a>, as in <a href="#s">7</a>.</p>
    <h2 id="s">Seven</h2><p>See <a href="#t">1</a>.</p><p id="t">No note, for it leads nowhere.</p>
    <p><a id="n1" href="#r1">1</a>. The first one.</p><p><span id="n2">*</span> The second one. <a href="#r2">↩</a></p>`;

  it.each(["html", "epub"] as const)("are recognised in %s by their backlinks", async (from) => {
    const text = await markdownOf(from, from === "html" ? plain : bookOf({ one: plain }));
    expect(text).toMatch(/First\[\^1\] and second\[\^2\], as in \[7\]\(#\S+\)\./);
    expect(notes(text)).toEqual(["[^1]: The first one.", "[^2]: The second one."]);
    expect(text).toContain("No note, for it leads nowhere.");
  });

  it("do not take the text for the note of its note, where marks are signs and notes begin with numbers", async () => {
    const line = '<div id="l20">Out of this stony rubbish,<a epub:type="noteref" href="#n">*</a></div>';
    const note = '<div epub:type="rearnote" id="n"><p><a href="#l20">20.</a> Cf. Ezekiel.</p></div>';
    const text = await markdownOf("epub", bookOf({ one: `<h1>One</h1>${line}<div>You cannot say.</div>${note}<p>Last words.</p>` }));
    expect(text).toMatch(/Out of this stony rubbish,\[\^1\].*You cannot say\..*Last words\..*\[\^1\]: .*20.*Cf\. Ezekiel\./s);
  });

  it("are kept in a book by Calibre, which leaves out the prefix of types and divides the chapters", async () => {
    const one = '<h1>One</h1><p id="p">Said<a type="noteref" href="notes.xhtml#e">*</a>.</p>';
    const notes = '<h1>Notes</h1><div type="rearnote" id="e"><p><a href="one.xhtml#p">Line 20.</a> Said elsewhere.</p></div>';
    expect(await markdownOf("epub", bookOf({ one, notes }))).toMatch(/Said\[\^1\]\..*\[\^1\]: .*Said elsewhere\./s);
  });

  it.each([
    ["with a dedication is kept", "<p>For Ezra</p>", 1],
    ["that repeats the title is not", "", 0],
  ])("a title page %s", async (_name, more, count) => {
    const title = `<section epub:type="titlepage"><h1>Quokkas</h1>${more}</section>`;
    const text = await markdownOf("epub", bookOf({ one: title, two: "<h1>Two</h1><p>Text.</p>" }));
    expect(text.match(/^# Quokkas$/gm) ?? []).toHaveLength(count);
    expect(text.includes("For Ezra")).toBe(count === 1);
  });

  it("are all found in a chapter with hundreds", async () => {
    const marks = Array.from({ length: 300 }, (_, index) => `<p>Word<a epub:type="noteref" href="#n${index}">${index}</a></p>`);
    const said = marks.map((_, index) => `<aside epub:type="footnote" id="n${index}"><p>Note ${index}.</p></aside>`);
    const text = await markdownOf("epub", bookOf({ one: marks.join("") + said.join("") }));
    expect(notes(text)).toHaveLength(300);
  });

  it("do not affect non-linear chapters and the order of authors", async () => {
    const parts = unzipSync(bookOf({ one: "<h1>One</h1><p>Questions.</p>", aside: "<p>Answers.</p>" }));
    const told = Buffer.from(parts["OPS/package.opf"] ?? "").toString();
    const authors = "<dc:creator>Ada</dc:creator><dc:creator>Bob</dc:creator></metadata>";
    const changed = told.replace('idref="aside"', 'idref="aside" linear="no"').replace("</metadata>", authors);
    const text = await markdownOf("epub", zipSync({ ...parts, "OPS/package.opf": strToU8(changed) }));
    expect(text).toMatch(/author:\n- Ada\n- Bob\n/);
    expect(text).toContain("Answers.");
  });

  it("remain in place if all of their text leads back", async () => {
    const one =
      '<p>Said<a id="r" href="#n"><sup>1</sup></a>.</p><ul><li id="n"><a href="#r">1</a> <a href="#r">All of it leads back.</a></li></ul>';
    const text = await markdownOf("epub", bookOf({ one: `<h1>One</h1>${one}` }));
    expect(text).toContain("All of it leads back.");
    expect(notes(text)).toEqual([]);
  });

  it("follow one cover, without the lists of pages and landmarks", async () => {
    const lists = ["landmarks", "page-list"].map(
      (kind) => `<nav epub:type="${kind}" hidden=""><ol><li><a href="#one">${kind}</a></li></ol></nav>`,
    );
    const parts = unzipSync(bookOf({ one: `<p><img src="cover.gif" alt="Cover"/></p><p>Text.</p>${lists.join("")}` }));
    const told = strFromU8(parts["OPS/package.opf"] ?? new Uint8Array())
      .replace("</metadata>", '<meta name="cover" content="c"/></metadata>')
      .replace("</manifest>", '<item id="c" href="cover.gif" media-type="image/gif" properties="cover-image"/></manifest>');
    const gif = Buffer.from("R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAUwAOw==", "base64");
    const text = await markdownOf("epub", zipSync({ ...parts, "OPS/package.opf": strToU8(told), "OPS/cover.gif": gif }));
    expect(text.match(/!\[/g)).toHaveLength(1);
    expect(text).not.toMatch(/landmarks|page-list/);
  });

  it.each([
    ["among the chapters is kept", "", true],
    ["that is hidden is not", ' hidden="hidden"', false],
  ])("a table of contents %s", async (_name, more, isKept) => {
    const contents = `<nav epub:type="toc"${more}><ol><li><a href="two.xhtml">The second</a></li></ol></nav>`;
    const text = await markdownOf("epub", bookOf({ one: contents, two: "<p>Text.</p>" }));
    expect(text.includes("The second")).toBe(isKept);
  });

  it("an empty division before footnotes does not remove other texts in their place", async () => {
    const page = `<ul><li><div></div></li></ul><blockquote></blockquote><div></div><div><p>Said<sup id="r1"><a href="#n1">1</a></sup> and done<sup id="r2"><a href="#n2">2</a></sup>.</p></div>
      <p>Middle.</p><p>Last words.</p><div id="n1"><p><a href="#r1">1</a> First note.</p></div><div id="n2"><p><a href="#r2">2</a> Second note.</p></div>`;
    const made = await markdownOf("html", page);
    expect(made).toMatch(/Said\[\^1\] and done\[\^2\]\.\s+Middle\.\s+Last words\./);
    expect(notes(made)).toEqual(["[^1]: First note.", "[^2]: Second note."]);
  });

  it("a paragraph that begins with its own address is not taken for a note, nor are two that lead to each other removed", async () => {
    const page = `<p>Said<a id="r1" href="#n1">1</a>.</p><p id="s"><a href="#s">›</a> Alone.</p>
      <p id="a"><a href="#b">*</a> First of two.</p><p id="b"><a href="#a">*</a> Second of two.</p><p id="n1"><a href="#r1">1</a> Note.</p>`;
    const made = await markdownOf("html", page);
    expect(made).toMatch(/Said\[\^1\]\.\s+\[›\]\(#s\) Alone\.\s+.* First of two\.\s+.* Second of two\.\s/);
    expect(notes(made)).toContain("[^1]: Note.");
  });

  it("a book with tags that the target lacks around every word is converted in time", async () => {
    await writeFile(join(bench.folder, "cited.epub"), bookOf({ one: `<p>${"<cite>numbat</cite> ".repeat(3000)}</p>` }));
    const made = await bench.convert(join(bench.folder, "cited.epub"), "epub", "docx");
    expect((await textOf(made.path)).match(/numbat/g)).toHaveLength(3000);
  }, 30_000);
});
