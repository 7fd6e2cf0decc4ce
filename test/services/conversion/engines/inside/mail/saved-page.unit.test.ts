import { expect, it } from "vitest";
import { mailEngine } from "#services/conversion/engines/documents/mail.ts";
import { convertMailOrCards } from "#services/conversion/engines/inside/mail/work.ts";
import { converterOf } from "#test/services/conversion/engines/inside/converter.ts";

const convert = converterOf(mailEngine, convertMailOrCards);
const home = "https://numbat.test/a/page.html";

const savedOf = (parts: readonly (readonly [headers: string, body: string | Buffer])[], more = "") =>
  Buffer.concat([
    Buffer.from(`From: <Saved by Blink>\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related; boundary="=_b"${more}\r\n\r\n`),
    ...parts.flatMap(([headers, body]) => [Buffer.from(`--=_b\r\n${headers}\r\n\r\n`), Buffer.from(body), Buffer.from("\r\n")]),
    Buffer.from("--=_b--\r\n"),
  ]);
const page = (body: string | Buffer, more = "") => [`Content-Type: text/html${more}\r\nContent-Location: ${home}`, body] as const;
const picture = (location: string) =>
  [`Content-Type: image/png\r\nContent-Transfer-Encoding: base64\r\nContent-Location: ${location}`, "UE5H"] as const;
const png = "data:image/png;base64,UE5H";
const dataOf = (text: string) => Buffer.from(/base64,([\w+/=]*)/.exec(text)?.[1] ?? "", "base64").toString();

it.each([
  ["a picture by its relative address", '<img src="../red.png?a=1&amp;b=2">', "https://numbat.test/red.png?a=1&b=2", `<img src="${png}">`],
  ["a picture without quotes", "<img src=../red.png alt=x>", "https://numbat.test/red.png", `<img src="${png}" alt=x>`],
  ["a picture at a base address", '<base href="/b/"><img src="red.png">', "https://numbat.test/b/red.png", `<img src="${png}">`],
  [
    "a picture among several sizes",
    '<img srcset="s.png 1x,l.png 2x">',
    "https://numbat.test/a/l.png",
    `${home.replace("page.html", "s.png")} 1x, ${png} 2x`,
  ],
  ["a picture of a style", "<style>p{background:url(red.png)}</style>", "https://numbat.test/a/red.png", `url("${png}")`],
  [
    "a picture of an attribute's style",
    `<p style="background:url('red.png')">`,
    "https://numbat.test/a/red.png",
    `url(&quot;${png}&quot;)`,
  ],
  ["a picture in a folder of this computer", '<img src="page_files/red.png">', "page_files/red.png", `<img src="${png}">`],
])("a saved page holds %s", async (_what, body, location, shown) => {
  const { text, codes } = await convert(savedOf([page(body), picture(location)]), "mhtml", "html");
  expect(text).toContain(shown);
  expect(codes).toEqual([]);
});

it("a saved page with millions of tags is refused before they fill the memory", async () => {
  await expect(convert(savedOf([page("<b>".repeat(2_000_001))]), "mhtml", "html")).rejects.toThrow("more than 2000000 tags");
});

it("a saved page holds its style sheets and frames, with what these load", async () => {
  const { text, codes } = await convert(
    savedOf([
      page('<head><link rel="stylesheet" href="cid:css-1@x"></head><iframe src="cid:f@x"></iframe>'),
      ["Content-Type: text/css\r\nContent-Location: cid:css-1@x", '@import "cid:css-2@x";'],
      ["Content-Type: text/css\r\nContent-Location: cid:css-2@x", "p { color: red }"],
      ["Content-Type: text/html\r\nContent-ID: <f@x>", "<p>Framed"],
    ]),
    "mhtml",
    "html",
  );
  const [sheet = "", frame = ""] = text.split("<iframe");
  expect(dataOf(dataOf(sheet)).trim()).toBe("p { color: red }");
  expect(dataOf(frame)).toContain("<p>Framed");
  expect(codes).toEqual([]);
});

it("links of a saved page lead where they led, and those within it stay there", async () => {
  const body = `<a href="${home}#part"></a><a href="other.html"></a><a href="#x"></a><a href="mailto:a@b.example"></a>`;
  const { text } = await convert(savedOf([page(body)]), "mhtml", "html");
  expect([...text.matchAll(/<a href="([^"]*)"/g)].map(([, link]) => link)).toEqual([
    "#part",
    "https://numbat.test/a/other.html",
    "#x",
    "mailto:a@b.example",
  ]);
});

it("a saved page in a code page becomes Unicode and says so once", async () => {
  const body = Buffer.from('<html><head><meta charset="koi8-r"></head><p>\xcb', "latin1");
  const { text } = await convert(savedOf([page(body)]), "mhtml", "html");
  expect(text).toContain("<p>к");
  expect(text.match(/charset="?[\w-]+/g)).toEqual(['charset="utf-8']);
});

it("the page that a saved page starts with is the one that it names", async () => {
  const named = ["Content-Type: text/html\r\nContent-ID: <b@x>", "<p>Second"] as const;
  expect((await convert(savedOf([page("<p>First"), named], '; start="<b@x>"'), "mhtml", "html")).text).toContain("Second");
});

it("notes name saved files that the page does not show, and a page that is cut off", async () => {
  const saved = savedOf([page("<p>Text"), picture("https://numbat.test/red.png")]);
  const { notes } = await convert(saved, "mhtml", "html");
  expect([...notes]).toEqual([["ENTRIES_LEFT_OUT", "Saved files that the page does not show were left out: 1."]]);
  expect((await convert(saved.subarray(0, -8), "mhtml", "html")).codes).toContain("INPUT_DAMAGED");
});

it("a style sheet that loads itself, or a picture that is shown too often, ends", async () => {
  const itself = ["Content-Type: text/css\r\nContent-Location: cid:c@x", '@import "cid:c@x";'] as const;
  expect((await convert(savedOf([page("<link href='cid:c@x'>"), itself]), "mhtml", "html")).text).toContain("data:text/css");
  const large = ["Content-Type: image/png\r\nContent-ID: <p@x>", "x".repeat(100_000)] as const;
  await expect(convert(savedOf([page("<img src=cid:p@x>".repeat(3000)), large]), "mhtml", "html")).rejects.toThrow("larger than");
});

it.each([
  ["no page", savedOf([picture("a.png")])],
  ["no parts", "Subject: x\r\n\r\n"],
])("a saved page with %s is refused", async (_what, saved) => {
  await expect(convert(saved, "mhtml", "html")).rejects.toThrow("contains no saved page");
});

it.each([
  "<script>one()</script><head></head>",
  "<p>x<html><head><script>one()</script>",
  "\u00a0<!doctype html><html><head><script>one()</script>",
  "<!--><script>one()</script><!-- --><html><head>",
  '<html a="><script>"><head><script>one()</script>',
  '<html a=b" c=">"><head><script>one()</script>',
])("the policy against scripts comes before all that a page could hold: %s", async (body) => {
  const { text } = await convert(savedOf([page(body)]), "mhtml", "html");
  expect(text).toMatch(/^<meta charset="utf-8" \/><meta http-equiv="Content-Security-Policy" content="script-src 'none'" \/>/);
});

it("what a saved page says about itself stays, except what would forbid the resources that it holds now", async () => {
  const style = [`Content-Type: text/css\r\nContent-Location: https://numbat.test/a/s.css`, "p { color: red }"] as const;
  const head = `<meta name="keywords" content="charset"><meta http-equiv="Content-Security-Policy" content="img-src 'self'">`;
  const { text } = await convert(
    savedOf([page(`${head}<link rel="stylesheet" href="s.css" integrity="sha256-x">`), style]),
    "mhtml",
    "html",
  );
  expect(text).toContain('<meta name="keywords" content="charset">');
  expect(text).not.toContain("img-src");
  expect(text).toContain('integrity=""');
});
