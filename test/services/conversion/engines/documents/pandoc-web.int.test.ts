import { randomBytes } from "node:crypto";
import { strFromU8, unzipSync } from "fflate";
import sharp from "sharp";
import { expect, it } from "vitest";
import { pandocEngine } from "#services/conversion/engines/documents/pandoc.ts";
import { converting } from "#test/services/conversion/engines/shared/converting.ts";

const convert = converting(pandocEngine);

it("keeps every cell of a table in Markdown, in its column", async () => {
  const excel = "<table><colgroup><col span=3 width=64></colgroup><tr><td>zebra</td><td>1</td><td>2</td></tr></table>";
  expect((await convert(excel, "html", "md")).text).toContain("| zebra | 1   | 2   |");
  const spanned = "<table><tr><td rowspan=2>zebra</td><td>1</td></tr><tr><td>2</td><td>3</td></tr></table>";
  expect((await convert(spanned, "html", "md")).text).toMatch(/\| zebra \| 1 +\| +\|\n\| +\| 2 +\| 3 +\|/);
});

it("keeps the cells of a second head row in their columns", async () => {
  const head = "<tr><th rowspan=2>Region</th><th colspan=2>2024</th></tr><tr><th>Q1</th><th>Q2</th></tr>";
  const row = "<tr><td>North</td><td>11</td><td>12</td></tr>";
  const made = /\| Region \| 2024 \| +\|\n[|-]+\n\| +\| Q1 +\| Q2 +\|\n\| North +\| 11 +\| 12 +\|/;
  for (const table of [`${head}${row}`, "<tr><th rowspan=2>Region<th colspan=2>2024<tr><th>Q1<th>Q2<tr><td>North<td>11<td>12"])
    expect((await convert(`<table>${table}</table>`, "html", "md")).text).toMatch(made);
  const { bytes } = await convert(`<table>${head}${row}</table>`, "html", "docx");
  const document = strFromU8(unzipSync(bytes)["word/document.xml"] ?? new Uint8Array());
  expect(document).toMatch(/<w:vMerge w:val="restart" \/>.*Region.*2024.*<w:vMerge w:val="continue" \/>.*Q1.*Q2.*North/s);
  // Head cells that reach beside ordinary cells, in a head and in a body.
  const tall = "<tr><th rowspan=2>Tall</th><th>a</th></tr><tr><td>b</td></tr>";
  for (const table of [tall, `<tbody>${tall}</tbody>`, `<tr><th>H</th><th>I</th></tr>${tall}`])
    expect((await convert(`<table>${table}</table>`, "html", "md")).text).toMatch(/\| Tall \| a +\|\n(?:\|[|-]+\n)?\| +\| b +\|/);
});

it("writes the caption of a table once", async () => {
  const table = "<table><caption>Quokkas</caption><tr><td colspan=2>a</td></tr><tr><td>b<ul><li>c</ul></td><td>d</td></tr></table>";
  expect((await convert(table, "html", "md")).text.match(/Quokkas/g)).toHaveLength(1);
});

it("keeps item numbers, and notes letters that Markdown lists do not have", async () => {
  const { text, messages } = await convert('<ol type="a"><li>x<li value="9">y</ol>', "html", "md");
  expect(text).toMatch(/1\. +x[\s\S]*9\. +y/);
  expect(messages.get("TEXT_LEFT_OUT")).toBe("Letters, Roman numerals or first numbers of lists became plain numbers.");
  expect((await convert('<ol type="a"><li>x</ol>', "html", "rst")).notes).toEqual([]);
});

it("addresses and entries that end in letters such as à broke the encoding of the page", async () => {
  const { text, notes } = await convert('<p>Größe <a href="https://x.org/voilà">v</a><select><option>là</select>', "html", "md");
  expect(text).toBe("Größe [v](https://x.org/voilà) là\n");
  expect(notes).toEqual([]);
});

it("knows HTML inside Markdown in formats without HTML", async () => {
  const given =
    "x<sup>2</sup> H<sub>2</sub>O <b>b *c*</b>\n\n<h2>Head</h2>\n\n<table><tr><th>A</th><th>B[^1]</th></tr><tr><td>$1$</td><td>2</td></tr></table>\n\n[^1]: Said.\n";
  const { text } = await convert(given, "md", "rst");
  expect(text).toContain("x\\ :sup:`2` H\\ :sub:`2`\\ O");
  expect(text).toMatch(/Head\n=+\n/);
  expect(text).toMatch(/A +B \[1\]_\n=+ +=+\n:math:`1` +2\n/);
  expect(text).toContain("Said.");
});

it("leaves out what HTML inside Markdown hides, with a note, and keeps it hidden in pages", async () => {
  const given = 'Seen\n\n<div style="display:none">unseen</div>\n\nand <span hidden>unheard</span>heard\n';
  const { text, messages } = await convert(given, "md", "txt");
  expect(text).toBe("Seen\n\nand heard\n");
  expect(messages.get("TEXT_LEFT_OUT")).toBe("Hidden text was left out.");
  const page = await convert(given, "md", "html");
  expect(page.text).toMatch(/style="display:none">\s*unseen/);
  expect(page.notes).toEqual([]);
});

it("keeps code whose fence says more than its language, and headings right after text", async () => {
  const { text } = await convert('Text\n# Head\n```js title="a.js"\nlet a;\n\n# b\n```\n', "md", "html");
  expect(text).toMatch(/<p>Text<\/p>\s*<h1[^>]*>Head<\/h1>/);
  expect(text.replace(/<[^>]*>/g, "")).toContain("let a;\n\n# b");
});

it.each(["txt", "rst", "muse", "haddock"])("draws tables in %s with columns as wide as their longest word", async (to) => {
  const page = `<table><tr><td><p>Donaudampfschifffahrtsgesellschaft</p><p>b</p></td>${"<td>c</td>".repeat(6)}</tr></table>`;
  expect((await convert(page, "html", to)).text).toContain("Donaudampfschifffahrtsgesellschaft");
});

it.each(["txt", "markua"])("writes a line for each row of a table that %s cannot draw", async (to) => {
  const row = (name: string) => `<tr>${Array.from({ length: 11 }, (_, place) => `<td><p>${name}</p><p>${place}</p></td>`).join("")}</tr>`;
  const { text } = await convert(`<table>${row("a")}${row("b")}</table>`, "html", to);
  const line = (name: string) => Array.from({ length: 11 }, (_, place) => `${name} ${place}`).join("\t");
  expect(text).toContain(`${line("a")}\n${line("b")}`);
});

it("keeps the values of fields beside each other apart", async () => {
  const fields = "<input value=Ann><input value=Lee><select><option>Rome<option>Oslo</select><textarea>Hi</textarea><input type=radio>Yes";
  expect((await convert(`<p>Name:${fields}</p>`, "html", "txt")).text.trim()).toBe("Name: Ann Lee Rome Hi ☐ Yes");
});

it.each([
  ["with several pictures", '<img src="a.png" alt="One"><img src="b.png" alt="Two">', ["One", "Two"]],
  ["with text", '<span>Quokka</span><a href="x"><img src="a.png" alt="One"></a><p>Numbat</p>', ["Quokka", "One", "Numbat"]],
  ["with a description", '<img src="a.png" alt="One">', ["One"]],
  ["inside another", 'Quokka<img src="a.png" alt="One"><figure><img src="b.png" alt="Two"></figure>', ["Quokka", "One", "Two"]],
])("keeps all that is in a figure %s", async (_what, content, words) => {
  const { text } = await convert(`<figure>${content}<figcaption>Caption</figcaption></figure>`, "html", "txt");
  expect([...words, "Caption"].filter((word) => !text.includes(word))).toEqual([]);
});

it("words on both sides of a picture that is left out stay apart", async () => {
  const page =
    '<h1><img src="a.png">Title</h1><p>Cloudy<img src="b.png">77, <a href="#x">Photo<img src="c.png" alt=""></a>Una, <b><img src="d.png" alt="Logo"></b>69.</p>';
  expect((await convert(page, "html", "txt")).text).toBe("Title\n\nCloudy 77, Photo Una, Logo 69.\n");
  expect((await convert(page, "html", "md")).text).toBe("# Title\n\nCloudy 77, [Photo](#x) Una, **Logo** 69.\n");
});

it("keeps the keywords of a page in office documents and books", async () => {
  const page = '<html><head><title>T</title><meta name="keywords" content="salt, pepper"></head><body><p>x</p></body></html>';
  const partOf = async (to: string, part: string) =>
    strFromU8(unzipSync((await convert(page, "html", to)).bytes)[part] ?? new Uint8Array());
  expect(await partOf("docx", "docProps/core.xml")).toContain("<cp:keywords>salt, pepper</cp:keywords>");
  expect(await partOf("odt", "meta.xml")).toContain("<meta:keyword>salt, pepper</meta:keyword>");
  expect(await partOf("epub", "EPUB/content.opf")).toMatch(/<dc:subject[^>]*>salt, pepper</);
});

it("keeps the subject of a PDF in Markdown", async () => {
  const page = '<html><head><meta name="subject" content="Quokkas"></head><body><p>x</p></body></html>';
  expect((await convert(page, "html", "md")).text).toContain("subject: Quokkas\n");
});

it("keeps megabytes of pictures that stand in a page, for which Pandoc's readers have too little memory", async () => {
  const png = await sharp(randomBytes(1500 ** 2), { raw: { width: 1500, height: 1500, channels: 1 } })
    .png()
    .toBuffer();
  const source = `data:image/png;base64,${png.toString("base64")}`;
  const page = Buffer.from(`<meta charset="windows-1252"><p>Caf\xe9</p><img alt="x" src="${source}"><img src="${source}">`, "latin1");
  const entries = Object.entries(unzipSync((await convert(page, "html", "docx")).bytes));
  const pictures = entries.filter(([name]) => name.startsWith("word/media/"));
  expect(pictures.map(([, bytes]) => Buffer.from(bytes).equals(png))).toEqual([true]);
  const { text } = await convert(page, "html", "md");
  expect(text.split(`](${source})`)).toHaveLength(3);
  expect(text).toContain("Café");
});

it("a picture whose base64 has line ends stays one address of Markdown, and a made-up reference brings no markup", async () => {
  const data = Buffer.alloc(3000, 7).toString("base64");
  const page = `<p>;base64,filemill-0-60</p><img alt="x" src="data:image/png;base64,${data.replace(/.{76}/g, "$&\n")}">`;
  const { text } = await convert(Buffer.from(page), "html", "md");
  expect(text).toContain(`![x](data:image/png;base64,${data})`);
  expect(text).not.toContain("<p>");
});

it("a link around a picture that is left out keeps its address", async () => {
  const page = '<p>one <a href="http://x.example/"><img src="http://y.example/a.png"></a> two</p>';
  expect((await convert(page, "html", "org")).text).toContain("one [[http://x.example/][]] two");
});
