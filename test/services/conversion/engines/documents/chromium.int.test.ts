import { execFile } from "node:child_process";
import { promisify } from "node:util";
import sharp from "sharp";
import { expect, it } from "vitest";
import { chromiumEngine } from "#services/conversion/engines/documents/chromium.ts";
import { zipFile } from "#test/harness/zip-file.ts";
import { converting } from "#test/services/conversion/engines/shared/converting.ts";

const run = promisify(execFile);
const convert = converting(chromiumEngine);
const textOf = async (path: string): Promise<string> => (await run("pdftotext", ["-layout", path, "-"])).stdout.trim().replace(/\s+/g, " ");
const red = await sharp({ create: { width: 40, height: 40, channels: 3, background: "#f00" } })
  .png()
  .toBuffer();

it("prints a page as tagged PDF with its title, and keeps no state for the next one", async () => {
  const { path, notes } = await convert(
    "<!DOCTYPE html><title>Numbat</title><h1>Hello</h1><script>localStorage.setItem('a', 'Quokka')</script>",
    "html",
    "pdf",
    { javascript: true },
  );
  expect(await textOf(path)).toMatch(/Hello/);
  expect((await run("pdfinfo", [path])).stdout).toMatch(/Title:\s+Numbat[\s\S]*Tagged:\s+yes/);
  expect(notes).toEqual([]);
  const next = await convert("<p>Next<script>document.write(localStorage.getItem('a'))</script>", "html", "pdf", { javascript: true });
  expect(await textOf(next.path)).toMatch(/Next\s*null/);
});

it("names the properties of a page that its PDF lacks, beside what does not fit", async () => {
  const told =
    '<title>Kept</title><meta name="Author" content="Ada"><meta name="description" content=" "><meta name="keywords" content="salt">';
  const { messages } = await convert(`${told}<table style="width:9000px"><tr><td>x</table>`, "html", "pdf");
  expect(messages.get("TEXT_LEFT_OUT")).toMatch(/^Properties of the document were left out: author, keywords\. What is beyond/);
});

it("unfolds details, which nobody can on paper", async () => {
  const { path } = await convert(
    '<details name="a"><summary>One</summary>first</details><details name="a"><summary>Two</summary>second</details>',
    "html",
    "pdf",
  );
  expect(await textOf(path)).toMatch(/One.*first.*Two.*second/);
});

it("prints what must be scrolled to, and the whole width of a page", async () => {
  const code = `<pre style="overflow:auto">${"x ".repeat(200)}END1</pre>`;
  const box =
    '<div style="height:50px;overflow:auto"><p style="height:300px">a</p>END2</div><textarea rows="2">1\n2\n3\n4\nEND3</textarea>';
  const table = (width: number) => `<table style="width:${width}px"><tr><td>left<td style="text-align:right">END4</table>`;
  const fitted = await convert(code + box + table(1500), "html", "pdf");
  expect(await textOf(fitted.path)).toMatch(/END1.*END2.*END3.*END4/s);
  expect(fitted.messages.has("TEXT_LEFT_OUT")).toBe(false);
  expect((await convert(table(9000), "html", "pdf")).messages.get("TEXT_LEFT_OUT")).toMatch(/^What is beyond the right edge/);
});

it("loads no files or URLs that a page refers to, and notes them", async () => {
  const page = `<p>Frames<iframe src="file:///etc/fonts/fonts.conf"></iframe><iframe src="http://numbat.test/"></iframe>
    <object data="file:///proc/self/environ"></object><embed src="file:///job/in"><img src="https://numbat.test/a.png">
    <link rel=stylesheet href="file:///etc/fonts/fonts.conf"><meta http-equiv=refresh content="0;url=file:///etc/fonts/fonts.conf">
    <iframe src="view-source:file:///etc/fonts/fonts.conf"></iframe><iframe src="chrome://version"></iframe>`;
  for (const javascript of [false, true]) {
    const { path, messages } = await convert(page, "html", "pdf", { javascript });
    expect(await textOf(path)).toBe("Frames");
    expect([...messages.keys()]).toEqual(["EXTERNAL_CONTENT_BLOCKED"]);
  }
});

it("runs scripts on request until their time limit, and notes scripts that were not run", async () => {
  const page = "<p>Before<script>setTimeout(() => document.body.append('after a minute of the page'), 900)</script>";
  const still = await convert(page, "html", "pdf");
  expect([await textOf(still.path), still.notes]).toEqual(["Before", ["SCRIPTS_NOT_RUN"]]);
  const moved = await convert(page, "html", "pdf", { javascript: true });
  expect([await textOf(moved.path), moved.notes]).toEqual(["Before after a minute of the page", []]);
  const endless = "<p>Before<script>document.body.append(' and then'); for (;;);</script>";
  const stopped = await convert(endless, "html", "pdf", { javascript: true, javascriptSeconds: 1 });
  expect(await textOf(stopped.path)).toBe("Before and then");
  expect(stopped.messages).toEqual(new Map([["SCRIPTS_NOT_RUN", "Scripts were stopped after 1 s."]]));
});

it("stops endless loops, dialogs and new windows of scripts", async () => {
  const page = `<p>Before<script>
    setInterval(() => { const end = Date.now() + 1e6; while (Date.now() < end); }, 0);
    onbeforeprint = () => { for (;;); };
    alert(1); print(); open("http://numbat.test/"); navigator.serviceWorker?.register("a.js");
    new Worker(URL.createObjectURL(new Blob(["for (;;);"])));
    const link = document.createElement("a"); link.download = "a.txt"; link.href = "data:text/plain,a"; link.click();
    const shown = document.createElement("canvas").getContext("webgl"); document.body.append(shown === null ? "no WebGL" : "WebGL");
    location = "http://numbat.test/";</script>`;
  const { path } = await convert(page, "html", "pdf", { javascript: true, javascriptSeconds: 1 });
  expect(await textOf(path)).toBe("Before no WebGL");
});

it("stops endless dialogs, and scripts that start after them", async () => {
  const page = `<p>Before<script>setInterval(() => { open(); location.reload(); history.back(); }); for (;;) alert(1);</script>`;
  const { path } = await convert(page, "html", "pdf", { javascript: true, javascriptSeconds: 1 });
  expect(await textOf(path)).toBe("Before");
});

it("prints a zipped page with its stylesheet, picture and font, and without external content", async () => {
  const packed = zipFile([
    {
      name: "site/index.html",
      content:
        '<!DOCTYPE html><link rel=stylesheet href="a%20b/look.css"><p>Zebra<img src="/site/pictures/red.png"><a href="two.html">two</a>',
    },
    { name: "site/two.html", content: "two" },
    { name: "site/a b/look.css", content: "@import url(more.css); p { text-transform: uppercase }" },
    { name: "site/a b/more.css", content: "@page { size: 100mm 50mm; margin: 0 } html { background: url(../pictures/red.png) }" },
    { name: "site/pictures/red.png", content: red },
  ]);
  const { path, notes } = await convert(packed, "htmlz", "pdf");
  expect(await textOf(path)).toMatch(/ZEBRA/);
  expect((await run("pdfimages", ["-list", path])).stdout).toMatch(/40\s+40/);
  const info = (await run("pdfinfo", ["-url", path])).stdout;
  expect(info).not.toMatch(/invalid/);
  expect((await run("pdfinfo", [path])).stdout).toMatch(/Pages:\s+1\n[\s\S]*Page size:\s+28\d\S* x 14[12]\S* pts/);
  expect(notes).toEqual(["ENTRIES_LEFT_OUT"]);
});

it("rejects archives without an index.html, and damaged ones", async () => {
  await expect(convert(zipFile([{ name: "a.txt", content: "a" }]), "htmlz", "pdf")).rejects.toMatchObject({ code: "CONVERSION_FAILED" });
  const two = [
    { name: "a.html", content: "a" },
    { name: "b.html", content: "b" },
  ];
  await expect(convert(zipFile(two), "htmlz", "pdf")).rejects.toMatchObject({ code: "CONVERSION_FAILED" });
  const whole = zipFile([{ name: "index.html", content: "numbat ".repeat(900) }]);
  await expect(convert(whole.subarray(0, whole.length >> 1), "htmlz", "pdf")).rejects.toMatchObject({ code: "INVALID_INPUT" });
});

it("prints an MHTML page with its parts", async () => {
  const part = (headers: string, body: string) => `--=_b\r\n${headers}\r\n\r\n${body}\r\n`;
  const saved =
    'From: <Saved by Blink>\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related; type="text/html"; boundary="=_b"\r\n\r\n' +
    part(
      "Content-Type: text/html; charset=utf-8\r\nContent-ID: <main@x>\r\nContent-Transfer-Encoding: quoted-printable\r\nContent-Location: https://numbat.test/a/",
      '<link rel=3Dstylesheet href=3D"cid:css-1@x"><p>Z=C3=A4h<img src=3D"../red.png"><iframe src=3D"cid:frame-1@x"></iframe>',
    ) +
    part("Content-Type: text/css\r\nContent-Location: cid:css-1@x", "p { text-transform: uppercase }") +
    part("Content-Type: text/html\r\nContent-ID: <frame-1@x>", "<p>Framed") +
    part(
      "Content-Type: image/png\r\nContent-Transfer-Encoding: base64\r\nContent-Location: https://numbat.test/red.png",
      red.toString("base64"),
    ) +
    "--=_b--\r\n";
  const { path, notes } = await convert(saved, "mhtml", "pdf");
  expect(await textOf(path)).toMatch(/^Framed ZÄH$/);
  expect((await run("pdfimages", ["-list", path])).stdout).toMatch(/40\s+40/);
  expect(notes).toEqual([]);
});

it.each([
  ["a non-ASCII URL", "Content-Location: http://example.org/J\u00fcrgen.html"],
  ["an invalid URL", "Content-Location: //[x"],
  ["a URL that is not normalised", "Content-Location: HTTP://EXAMPLE.org:80/a b"],
  ["a non-ASCII Content-ID", "Content-ID: <\u00e4@x>"],
])("prints an MHTML page that has a part with %s", async (_, header) => {
  const saved = `MIME-Version: 1.0\r\nContent-Type: multipart/related; start*=utf-8''abc; boundary="=_b"\r\n\r\n--=_b\r\nContent-Type: text/html\r\n${header}\r\n\r\n<p>Numbat</p>\r\n--=_b--\r\n`;
  expect(await textOf((await convert(saved, "mhtml", "pdf")).path)).toBe("Numbat");
});

it("reads malformed XHTML as HTML, with a note", async () => {
  const { path, notes } = await convert('<html xmlns="http://www.w3.org/1999/xhtml"><body><p>Zebra<br></body></html>', "xhtml", "pdf");
  expect([await textOf(path), notes]).toEqual(["Zebra", ["INPUT_DAMAGED"]]);
});

it("guesses the encoding of a page that is not Unicode and declares none", async () => {
  const words = "<p>Die Stra\xdfen von K\xf6ln f\xfchren \xfcber sch\xf6ne Br\xfccken, und die H\xe4user dort sind gro\xdf.";
  const guessed = await convert(Buffer.from(words, "latin1"), "html", "pdf");
  expect(await textOf(guessed.path)).toMatch(/Straßen von Köln führen/);
  expect(guessed.notes).toEqual(["ENCODING_GUESSED"]);
  const plain = await convert("<p>Straßen", "html", "pdf");
  expect([await textOf(plain.path), plain.notes]).toEqual(["Straßen", []]);
});

it("notes replaced fonts for which the page declares no fallback", async () => {
  const page = `<p style="font-family: 'Quokka Grotesk', 'Numbat'">a<p style="font-family: 'Zebra', serif">b<p style="font-family: 'DejaVu Sans'">c<p>d`;
  const { messages } = await convert(page, "html", "pdf");
  expect(messages).toEqual(new Map([["FONT_SUBSTITUTED", "A font that is not on this system was replaced: Quokka Grotesk."]]));
});

it("rejects a screenshot of a page that is too tall, and suggests what works", async () => {
  const tall = '<p style="height: 90000px">Zebra';
  await expect(convert(tall, "html", "png")).rejects.toMatchObject({
    code: "INPUT_TOO_COMPLEX",
    message: expect.stringMatching(/fullPage/),
  });
  const { width, height } = await sharp((await convert(tall, "html", "png", { fullPage: false })).bytes).metadata();
  expect([width, height]).toEqual([1280, 720]);
});

it("rejects page numbers that do not exist", async () => {
  await expect(convert("<p>One", "html", "pdf", { pages: "7" })).rejects.toMatchObject({ code: "INVALID_OPTION" });
});
