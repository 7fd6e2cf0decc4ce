/** Drawings converted by the office. */
import { readFile } from "node:fs/promises";
import sharp from "sharp";
import { expect, it } from "vitest";
import { libreofficeEngine } from "#services/conversion/engines/office/libreoffice.ts";
import { useBench } from "#test/contract/engine.ts";

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
