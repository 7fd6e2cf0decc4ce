/** Drawings converted by the office. */
import { readFile } from "node:fs/promises";
import sharp from "sharp";
import { expect, it } from "vitest";
import { libreofficeEngine } from "#services/conversion/engines/office/libreoffice.ts";
import { useBench } from "#test/contract/engine.ts";
import { docx, line } from "#test/contract/word-file.ts";

const bench = useBench(libreofficeEngine);

/** One rectangle in an inch by half an inch. @see [MS-WMF] 2.3.2.3 */
function metafile(): Buffer {
  const [inch, half] = [1440, 720];
  const head = [0xcdd7, 0x9ac6, 0, 0, 0, inch, half, inch, 0, 0];
  const records = [[0x020b, 0, 0], [0x020c, half, inch], [0x041b, half, inch, 0, 0], [0x0000]].map((words) => [
    words.length + 2,
    0,
    ...words,
  ]);
  const content = [1, 9, 0x300, 9 + records.flat().length, 0, 0, 7, 0, 0, ...records.flat()];
  const checksum = head.reduce((sum, word) => sum ^ word, 0);
  return Buffer.from(Uint16Array.from([...head, checksum, ...content]).buffer);
}

it("a metafile becomes a picture of its own size, without a page around it", async () => {
  const path = await bench.given(metafile(), "wmf");
  const png = await readFile((await bench.convert(path, "wmf", "png")).path);
  const [width, height] = [16, 20].map((at) => png.readUInt32BE(at));
  expect(width).toBeGreaterThanOrEqual(96);
  expect(width).toBeLessThan(100);
  expect(height).toBeLessThan(52);
});

it("RTF has each picture once, and no bitmap of it for old readers", async () => {
  const picture = await sharp({ create: { width: 300, height: 300, channels: 3, background: "#c03" } })
    .png()
    .toBuffer();
  const path = await bench.given(`<p>{\\nonshppict} <img src="data:image/png;base64,${picture.toString("base64")}"> end</p>`, "html");
  const rtf = await readFile((await bench.convert(path, "html", "rtf")).path, "latin1");
  expect(rtf.match(/\\\w+(?:blip|metafile8?)\b/g)).toEqual(["\\pngblip"]);
  expect(rtf.length).toBeLessThan(100_000);
  const back = await bench.convert(await bench.given(rtf, "rtf"), "rtf", "html");
  const page = await readFile(back.path, "utf8");
  expect(page).toContain("{\\nonshppict}");
  expect(page).toMatch(/<img[\s\S]*>\s*end</);
});

const of = (name: string, local: string) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${local}:1.0"`;
const names = [of("office", "office"), of("text", "text"), of("draw", "drawing"), of("svg", "svg-compatible")].join(" ");

/** A note on a document with one drawing. */
async function noted(drawing: string, to: string): Promise<string | undefined> {
  const head = `<office:document ${names} office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.text">`;
  const page = `<office:body><office:text><text:p>${drawing}</text:p></office:text></office:body></office:document>`;
  return (await bench.convert(await bench.given(head + page, "fodt"), "fodt", to)).notes.get("TEXT_LEFT_OUT");
}

const anchored = 'text:anchor-type="paragraph"';
const oval = (more: string) =>
  `<draw:custom-shape ${more} svg:width="3cm" svg:height="2cm"><svg:desc>a tank</svg:desc><text:p>Öl 7 tank</text:p><draw:enhanced-geometry draw:type="ellipse"/></draw:custom-shape>`;

it("names drawings that RTF lacks, and their text, but none that it has", async () => {
  expect(await noted(oval(anchored), "rtf")).toBeUndefined();
  expect(await noted(`<draw:g ${anchored}>${oval("")}${oval("")}</draw:g>`, "rtf")).toBe("Drawings were left out, or text in them.");
});

it("says that a chart became a picture in RTF, but a formula did not", async () => {
  const object = (kind: string, inside: string) =>
    `<draw:frame ${anchored} svg:width="6cm" svg:height="4cm"><draw:object>${inside.replace(">", ` office:mimetype="application/vnd.oasis.opendocument.${kind}">`)}</draw:object></draw:frame>`;
  const chart = `<office:document ${of("chart", "chart")} office:version="1.3"><office:body><office:chart><chart:chart chart:class="chart:bar"/></office:chart></office:body></office:document>`;
  expect(await noted(object("chart", chart), "rtf")).toBe("Charts and embedded files became pictures.");
  const formula = '<math xmlns="http://www.w3.org/1998/Math/MathML"><mi>a</mi></math>';
  expect(
    await noted(`<draw:frame ${anchored} svg:width="2cm" svg:height="1cm"><draw:object>${formula}</draw:object></draw:frame>`, "rtf"),
  ).toBeUndefined();
});

it("names descriptions of pictures that DOC lacks", async () => {
  const lost = "Descriptions (alternative text) of pictures, charts or tables were left out.";
  expect(await noted(oval(anchored), "doc")).toBe(lost);
  expect(await noted(oval(anchored), "docx")).toBeUndefined();
});

it("names the description of a table of Word, which no target gets", async () => {
  const cell = `<w:tr><w:tc>${line("x")}</w:tc></w:tr>`;
  const table = `<w:tbl><w:tblPr><w:tblDescription w:val="Prices &amp; days"/></w:tblPr>${cell}</w:tbl>${line("y")}`;
  const { notes } = await bench.convert(await bench.given(docx(table), "docx"), "docx", "odt");
  expect(notes.get("TEXT_LEFT_OUT")).toMatch(/^Descriptions /);
});
