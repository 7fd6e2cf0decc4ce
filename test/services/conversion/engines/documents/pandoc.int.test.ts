import { execFile } from "node:child_process";
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { pandocEngine } from "#services/conversion/engines/documents/pandoc.ts";
import { testEngine, useBench } from "#test/contract/engine.ts";
import { readingOf } from "#test/contract/readers.ts";
import { russian, textOf } from "./document-text.ts";

const run = promisify(execFile);
const corpus = join(import.meta.dirname, "../../../../corpus");
const markdown =
  "# Quokka heading\n\nA paragraph with **bold** Ünïcødé.\n\n- one\n- two\n\n| Name | Count |\n|------|-------|\n| zebra | 1 |\n\n```js\nlet x = 1;\n```\n";
const written: Readonly<Record<string, string>> = {
  md: markdown,
  csv: "Quokka,Count\nÜnïcødé,1\n",
  creole: "= Quokka heading\n\nA **bold** word Ünïcødé.\n",
  t2t: "Quokka\n\n\n= Quokka heading =\n\nA **bold** word Ünïcødé.\n",
  twiki: "---+ Quokka heading\n\nA *bold* word Ünïcødé.\n",
  tikiwiki: "! Quokka heading\n\nA __bold__ word Ünïcødé.\n",
  vimwiki: "= Quokka heading =\n\nA *bold* word Ünïcødé.\n",
};

describe("hops", () => {
  const maker = useBench(pandocEngine);

  async function sample(format: string, folder: string): Promise<string> {
    if (format === "docx") return join(corpus, "office/text.docx");
    if (format === "epub") return join(corpus, "markup/book.epub");
    const path = join(folder, `sample.${format}`);
    const text = written[format];
    if (text === undefined) await copyFile((await maker.convert(await sample("md", folder), "md", format)).path, path);
    else await writeFile(path, text);
    return path;
  }

  const hops = pandocEngine.hops.filter(({ from, to }) => from === "md" || from === "docx" || to === "html" || to === "md");
  // The suite feeds junk to the first hop, but Markdown accepts any text.
  const ordered = hops.toSorted((one, other) => Number(other.from === "docx") - Number(one.from === "docx"));
  testEngine(
    { ...pandocEngine, hops: ordered },
    {
      sample,
      async check(_hop, _reading, path) {
        expect(await textOf(path)).toMatch(/quokka/i);
      },
    },
  );
});

describe("engine pandoc, in detail", () => {
  const bench = useBench(pandocEngine);

  async function htmlOf(content: string | Buffer, from = "md", options = {}) {
    const made = await bench.convert(await bench.put(`source.${from}`, content), from, "html", options);
    return { ...made, text: await readFile(made.path, "utf8") };
  }

  it("writes complete pages with charset and title, or only the body", async () => {
    const page = await htmlOf(markdown);
    expect(page.text).toMatch(/<meta charset="utf-8"/);
    expect(page.text).toContain("<title>Quokka heading</title>");
    const body = await htmlOf(markdown, "md", { standalone: false });
    expect(body.text.startsWith("<h1")).toBe(true);
  });

  it("applies its options", async () => {
    expect((await htmlOf(markdown, "md", { toc: true })).text).toContain('<nav id="TOC"');
    expect((await htmlOf(markdown, "md", { numberSections: true })).text).toContain("header-section-number");
    expect((await htmlOf(markdown, "md", { highlight: "none" })).text).not.toMatch(/<span class="(kw|op|dv)"/);
    const long = await bench.put("long.md", `${"word ".repeat(60)}\n`);
    const filled = await bench.convert(long, "md", "rst", { wrap: "auto", columns: 40 });
    expect(Math.max(...(await readFile(filled.path, "utf8")).split("\n").map((line) => line.length))).toBeLessThanOrEqual(40);
    expect((await readFile((await bench.convert(long, "md", "rst")).path, "utf8")).trim().split("\n")).toHaveLength(1);
  });

  it("keeps footnotes through HTML, and unreferenced notes in place", async () => {
    const source = await bench.put("noted.md", "Foxes jump[^a] over dogs[^b].\n\n[^a]: Some of them.\n\n[^b]: Or *fewer*.\n");
    const page = (await bench.convert(source, "md", "html")).path;
    const back = await readFile((await bench.convert(page, "html", "md")).path, "utf8");
    expect(back).toContain("Foxes jump[^1] over dogs[^2].\n\n[^1]: Some of them.\n\n[^2]: Or *fewer*.");
    const lone = await bench.put("lone.html", (await readFile(page, "utf8")).replace("#fn2", "#gone"));
    expect(await readFile((await bench.convert(lone, "html", "md")).path, "utf8")).toContain("Or *fewer*.");
  });

  it("keeps paths, patterns, hyphens, and HTML line breaks and pictures in Markdown", async () => {
    const file = await bench.put("raw.md", 'C:\\Users\\bob \\d+ --help "q"\n\none<br>two <img src="p.png" alt="shown">\n');
    const plain = (await readFile((await bench.convert(file, "md", "txt")).path, "utf8")).trim();
    expect(plain).toBe('C:\\Users\\bob \\d+ --help "q"\n\none\ntwo shown');
    const command = await bench.put("command.md", "\\newpage\n");
    expect(await readFile((await bench.convert(command, "md", "tex")).path, "utf8")).toContain("\n\\newpage\n");
  });

  it("keeps tabs in code", async () => {
    expect((await htmlOf("```make\nall:\n\techo\n```\n", "md", { highlight: "none" })).text).toContain("all:\n\techo");
    const page = await bench.put("code.html", "<pre><code>all:\n\techo\n</code></pre>");
    expect(await readFile((await bench.convert(page, "html", "md")).path, "utf8")).toContain("\techo");
  });

  it("embeds the pictures of a document", async () => {
    const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
    const book = await bench.convert(await bench.put("picture.md", `# Quokka\n\n![dot](data:image/png;base64,${pixel})\n`), "md", "docx");
    expect((await readingOf(book.path)).entries?.some((entry) => entry.startsWith("word/media/"))).toBe(true);
    const page = await bench.convert(book.path, "docx", "html");
    expect(await readFile(page.path, "utf8")).toContain(`src="data:image/png;base64,${pixel}"`);
    const text = await bench.convert(book.path, "docx", "md");
    expect(await readFile(text.path, "utf8")).toContain(`](data:image/png;base64,${pixel})`);
    const described = await bench.convert(book.path, "docx", "md", { pictures: "describe" });
    expect(await readFile(described.path, "utf8")).not.toContain("base64");
    expect(described.notes.get("IMAGES_REMOVED")).toBe("One picture was left out.");
  });

  it("includes no local files and fetches nothing", async () => {
    let hits = 0;
    const canary = createServer((socket) => {
      hits += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => canary.listen(0, "127.0.0.1", resolve));
    const address = canary.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const secret = await bench.put("secret.txt", "CANARY");
    const linked = await bench.put(
      "linked.md",
      `# Quokka\n\n![there](http://127.0.0.1:${port}/a.png) ![here](${secret})\n\n<iframe src="file://${secret}"></iframe>\n`,
    );
    for (const to of ["docx", "epub", "html", "rtf"]) {
      const made = await bench.convert(linked, "md", to);
      expect(await textOf(made.path)).not.toContain("CANARY");
      if (to === "docx") expect(made.notes.get("IMAGES_REMOVED")).toBe("2 pictures were left out.");
    }
    for (const source of [`.. include:: ${secret}\n`, `.. csv-table:: x\n   :file: ${secret}\n`]) {
      const made = await bench.convert(await bench.put("include.rst", `Quokka\n======\n\n${source}`), "rst", "html").catch(() => undefined);
      if (made !== undefined) expect(await readFile(made.path, "utf8")).not.toContain("CANARY");
    }
    expect(hits).toBe(0);
    canary.close();
  });

  it("reads text that is not UTF-8", async () => {
    const guessed = await htmlOf(Buffer.from("# Müller", "latin1"));
    expect(guessed.text).toContain("Müller");
    expect(guessed.notes.has("ENCODING_GUESSED")).toBe(true);
    const cyrillic = await htmlOf(russian.bytes);
    expect(cyrillic.notes.get("ENCODING_GUESSED")).toBe("The text encoding was guessed to be windows-1251.");
    expect(cyrillic.text).toContain(russian.text);
    const told = await bench.convert(
      await bench.put("told.html", Buffer.from('<meta charset="iso-8859-2"><p>\xb1</p>', "latin1")),
      "html",
      "md",
    );
    expect(await readFile(told.path, "utf8")).toContain("ą");
    expect(told.notes.has("ENCODING_GUESSED")).toBe(false);
  });

  it("reads UTF-16 without a byte order mark", async () => {
    for (const text of ["# Привет\n\nмир\n", "# Hello\n\nthere\n"]) {
      const [head = "", , body = ""] = text.split("\n");
      const made = await htmlOf(Buffer.from(text, "utf16le"));
      expect(made.text).toContain(`>${head.slice(2)}</h1>`);
      expect(made.text).toContain(`<p>${body}</p>`);
    }
    const stray = await htmlOf("Grüße\0 dort");
    expect(stray.text).toContain("Grüße");
  });

  it("rejects damaged documents, and stops at its limits", async () => {
    const half = (await readFile(join(corpus, "office/text.docx"))).subarray(0, 9000);
    await expect(bench.convert(await bench.put("half.docx", half), "docx", "md")).rejects.toMatchObject({ code: "INVALID_INPUT" });
    await expect(bench.convert(await bench.put("bad.ipynb", "{not json"), "ipynb", "md")).rejects.toMatchObject({ code: "INVALID_INPUT" });
    const nested = await bench.put("nested.md", "[".repeat(60_000));
    await expect(bench.convert(nested, "md", "html", {}, 2000)).rejects.toMatchObject({
      code: expect.stringMatching(/CONVERSION_TIMEOUT|INPUT_TOO_COMPLEX/),
    });
  });

  it("keeps text before the first heading and inside divs in outlines", async () => {
    const page = await bench.put("divided.html", "<p>Zebra first</p><div><h2>Quokka</h2><div><p>giraffe</p></div></div>");
    const outline = await readFile((await bench.convert(page, "html", "opml")).path, "utf8");
    for (const word of ["Zebra first", "Quokka", "giraffe"]) expect(outline).toContain(word);
  });

  it("keeps headings inside divs, quotations and lists in FictionBook", async () => {
    const source = join(bench.folder, "sections.html");
    await writeFile(source, "<div><h1>One</h1><p>a</p></div><blockquote><h2>Two</h2></blockquote><ul><li><h3>Three</h3>b</li></ul>");
    const { path } = await bench.convert(source, "html", "fb2");
    const text = await readFile(path, "utf8");
    expect(["<title><p>One</p></title>", "<strong>Two</strong>", "<strong>Three</strong>"].filter((each) => !text.includes(each))).toEqual(
      [],
    );
  });

  const info =
    '<description><title-info><book-title>Title</book-title><translator><nickname>Wombat</nickname></translator></title-info><custom-info info-type="x">Bilby</custom-info></description>';
  const article = `<front><article-meta><title-group><article-title>A &#233;t&#xe9; title</article-title></title-group><permissions><license><license-p>Free for numbats</license-p></license></permissions></article-meta></front>`;
  it.each([
    [
      "fb2",
      `<FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0">${info}<body><section><p>Text.</p><table><tr><td>Quokka</td></tr></table></section></body></FictionBook>`,
      "custom-info",
    ],
    [
      "fb2",
      '<FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0"><body><section><p>Quokka и нумбат. <!-- Wombat --> <![CDATA[<!-- ]]></p></section></body><body name="notes"><title><p>Notes</p></title></body></FictionBook>',
      undefined,
    ],
    [
      "docbook",
      '<article xmlns="http://docbook.org/ns/docbook"><info><title>Title</title><legalnotice><para>Free for numbats</para></legalnotice></info><para>Text &amp; <![CDATA[more]]>.</para><programlisting>one\n\ttwo</programlisting></article>',
      "legalnotice",
    ],
    ["jats", `<article>${article}<body><p>Text.</p></body></article>`, "license-p"],
  ])("names what its reader leaves out of %s", async (from, content, lost) => {
    const { notes } = await bench.convert(await bench.put(`unread.${from}`, content), from, "md");
    expect(notes.get("TEXT_LEFT_OUT")).toBe(lost === undefined ? lost : `Parts that are not read here were left out: ${lost}.`);
  });

  it("writes unique IDs in EPUB, and a non-empty heading for every chapter", async () => {
    const input = join(bench.folder, "places.html");
    const places =
      '<p>before <a href="#none">nowhere</a> <a href="#a">there</a></p><h1><span id="a"></span>One</h1><p id="a">x</p><div id="b"><p id="b">y</p></div><h2></h2><h2>Two</h2>';
    await writeFile(input, `<html><head><title>Places</title><meta name="date" content=""></head><body>${places}`);
    const { path } = await bench.convert(input, "html", "epub");
    const { stdout } = await run("unzip", ["-p", path, "EPUB/text/*.xhtml", "EPUB/nav.xhtml", "EPUB/content.opf"]);
    const text = stdout.slice(stdout.indexOf('epub:type="bodymatter"'));
    expect(text.match(/id="[ab]"/g)).toEqual(['id="b"']);
    expect(text).toMatch(/<a href="[^"]*#one">there/);
    expect(text).not.toMatch(/<h\d[^>]*>\s*<\/h\d>|<h\d[^>]*\/>|#none|<dc:date><\/dc:date>/);
    expect(text.match(/<h1[^>]*>[^<]*/g)?.map((head) => head.replace(/.*>/, ""))).toEqual(expect.arrayContaining(["Places", "One"]));
  });

  it.each(["docx", "epub", "md"])("converts %s to JSON that conforms to its schema", async (format) => {
    const input = join(bench.folder, "tree.md");
    await writeFile(
      input,
      `${markdown}\nA note.[^1]\n\n[^1]: Below.\n\n![dot](data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=)\n`,
    );
    const source = format === "md" ? input : (await bench.convert(input, "md", format)).path;
    const { path, notes } = await bench.convert(source, format, "json");
    const made = JSON.parse(await readFile(path, "utf8"));
    const schema = join(import.meta.dirname, "../../../../../services/conversion/engines/inside/pdf/document.schema.json");
    const isValid = new Ajv().compile(JSON.parse(await readFile(schema, "utf8")));
    expect(isValid(made), JSON.stringify(isValid.errors)).toBe(true);
    const said = JSON.stringify(made.blocks);
    for (const type of ["heading", "list", "table", "code", "picture"]) expect(said).toContain(`"type":"${type}"`);
    expect(said).toContain('{"text":"bold","bold":true}');
    expect(said).toContain("Below.");
    expect([...notes.keys()]).toContain("IMAGES_REMOVED");
  });

  it("converts links of a web page to Markdown, and drops browser-only attributes and metadata", async () => {
    const input = join(bench.folder, "page.html");
    const head =
      '<meta name="viewport" content="width=1"><meta name="generator" content="Mill 1"><meta name="description" content="All of it">';
    const links =
      '<a class="b" target="_blank" href="https://a.example/">there</a> <a href="JavaScript:go()">press</a> <a href="/" class="logo"></a>';
    await writeFile(input, `<html><head><title>Places</title>${head}</head><body><p>${links} end</p></body></html>`);
    const { path } = await bench.convert(input, "html", "md");
    expect(await readFile(path, "utf8")).toBe("---\ndescription: All of it\ntitle: Places\n---\n\n[there](https://a.example/) press end\n");
  });

  it.each(["", '<meta charset="windows-1252">'])("reads tables whose cells and rows have no end tags: %s", async (head) => {
    const source = join(bench.folder, "open-cells.html");
    const page = `${head}<table><tr><th>Größe<th>n<tr><td><p>a<td>1<tr><td>b<td>2</table><ul><li>x<li>y</ul>`;
    await writeFile(source, page, head === "" ? "utf8" : "latin1");
    const { path } = await bench.convert(source, "html", "md");
    expect(await readFile(path, "utf8")).toMatch(/^\| Größe \| n +\|\n\|[-|]+\|\n\| a +\| 1 +\|\n\| b +\| 2 +\|\n\n- +x\n- +y\n$/);
  });

  it("writes an empty alt attribute for pictures without a description", async () => {
    const input = join(bench.folder, "no-alt.md");
    await writeFile(input, "![](data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=)\n");
    const { path } = await bench.convert(input, "md", "html");
    expect(await readFile(path, "utf8")).toMatch(/<img [^>]*alt=""/);
  });

  it("writes links of office programs as URLs, without underlining", async () => {
    const input = join(bench.folder, "office-link.html");
    await writeFile(input, "<p><a href='https://example.org/?a=%3A\"b c\"&d=(1)'><u>built <b>today</b></u></a>, <u>so</u></p>");
    const { path } = await bench.convert(input, "html", "md");
    expect(await readFile(path, "utf8")).toBe("[built **today**](https://example.org/?a=%3A%22b%20c%22&d=(1)), <u>so</u>\n");
  });

  it("leaves out empty headings", async () => {
    const input = join(bench.folder, "empty-heading.html");
    await writeFile(input, "<h1></h1><p>before</p><h2>Head</h2><p>after</p>");
    const { path } = await bench.convert(input, "html", "md");
    expect(await readFile(path, "utf8")).toBe("before\n\n## Head\n\nafter\n");
  });

  it("writes EPUB with its title", async () => {
    const { path } = await bench.convert(await bench.put("book.md", markdown), "md", "epub");
    const { stdout } = await run("unzip", ["-p", path, "EPUB/content.opf"]);
    expect(stdout).toContain("Quokka heading");
  });
});
