/** One file of each less common kind, through the whole product and multi-hop routes. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { opened } from "#test/harness/opened.ts";
import { startServer } from "#test/harness/server.ts";

const server = opened(startServer);

const corpus = join(import.meta.dirname, "../corpus");
const mail = "From: a@mill.example\r\nTo: b@mill.example\r\nSubject: Quokka\r\nContent-Type: text/html\r\n\r\n<p>zebra</p>\r\n";
const box = "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
const track =
  '<gpx version="1.1" creator="mill" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg><trkpt lat="47" lon="8"/><trkpt lat="48" lon="9"/></trkseg></trk></gpx>';

test.each<readonly [name: string, to: string, content: string | Promise<Buffer>, begins: RegExp]>([
  ["letter.eml", "pdf", mail, /^%PDF-/],
  ["contacts.csv", "vcf", "name,email\nÄda Zebra,ada@mill.example\n", /^BEGIN:VCARD/],
  ["places.csv", "kml", "name,lat,lon\nQuokka,47,8\n", /<coordinates>8,47/],
  ["walk.gpx", "png", track, /^.PNG/],
  ["box.obj", "3ds", box, /^MM/],
  ["ball.ms3d", "stl", readFile(join(corpus, "model/ms3d.ms3d")), /^[\s\S]{84}/],
  ["plan.gv", "tiff", "digraph { a -> b }", /^(II\*|MM)/],
  ["book.epub", "azw3", readFile(join(corpus, "markup/book.epub")), /BOOKMOBI/],
  ["scan.djvu", "png", readFile(join(corpus, "document/text.djvu")), /^.PNG/],
])("converts %s to %s", async (name, to, content, begins) => {
  const headers = { authorization: `Bearer ${server.key}` };
  const body = new FormData();
  body.set("to", to);
  body.set("file", new Blob([new Uint8Array(Buffer.from(await content))]), name);
  const answer = await fetch(`${server.url}/api/v1/convert`, { method: "POST", body, headers });
  const { job, error } = JSON.parse(await answer.text());
  expect([answer.status, error?.message]).toEqual([200, undefined]);
  const result = Buffer.from(await (await fetch(job.download, { headers })).arrayBuffer());
  expect(result.toString("latin1", 0, 100_000)).toMatch(begins);
});
