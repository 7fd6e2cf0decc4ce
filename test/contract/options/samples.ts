/** Files for the option rows, made by programs other than the engines that read them, if there are any. */
import { execFile } from "node:child_process";
import { copyFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import sharp from "sharp";
import { halfScannedPdf, scannedPdf } from "#test/contract/scanned-pdf.ts";
import { revised } from "#test/contract/word-file.ts";
import { zipFile } from "#test/harness/zip-file.ts";
import { stlBinary } from "#test/services/conversion/engines/inside/model/spheres.ts";
import { pdfOf, tablePdf } from "#test/services/conversion/engines/pdf/pdf-by-hand.ts";
import { dicomOf } from "#test/services/conversion/engines/pictures/dicom-samples.ts";
import { halfTransparent, noise, twoColours } from "#test/services/conversion/engines/pictures/picture-samples.ts";

const corpus = join(import.meta.dirname, "../../corpus/typical");
const run = promisify(execFile);
const ffmpeg = async (...args: readonly string[]) => void (await run("ffmpeg", ["-nostdin", "-v", "error", "-y", ...args]));
const magick = async (...args: readonly string[]) => void (await run("convert-im6.q16", [...args]));

const drawing =
  '<svg xmlns="http://www.w3.org/2000/svg" width="96" height="48"><rect width="48" height="48" fill="#fadc28"/><circle cx="70" cy="24" r="20"/></svg>';
const prose = `# One\n\nQuokka **zebra** and a very long line of words that goes on and on until it has more than seventy-two characters.\n\n## Two\n\n\`\`\`python\nif x: pass\n\`\`\`\n`;
const page = `<!DOCTYPE html><title>Numbat</title><style>@media print { .screen { display: none } } body { background: linear-gradient(red, blue) }</style>
<p class=screen>on screens<p>${"Quokka zebra mango lemur. ".repeat(200)}<p style="break-before: page">the second page
<script>const say = (word) => () => document.body.append(word); setTimeout(say("early"), 100); setTimeout(say("late"), 15000)</script>`;
const fb2 = `<?xml version="1.0" encoding="UTF-8"?><FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0"><description/><body><section>${"<p>Quokka zebra mango lemur.</p>".repeat(120)}</section></body></FictionBook>`;
const mbox = ["One", "Two"]
  .map((name) => `From a@b Sun Mar  1 10:00:00 2026\nFrom: a@b.example\nSubject: ${name}\n\nText ${name}\n`)
  .join("\n");
const cell = (value: string) => `<table:table-cell office:value-type="string"><text:p>${value}</text:p></table:table-cell>`;
const sheet = (name: string, value: string) =>
  `<table:table table:name="${name}">${`<table:table-row>${cell("head").repeat(24)}</table:table-row><table:table-row>${cell(value).repeat(24)}</table:table-row>`}</table:table>`;
const book = `<?xml version="1.0" encoding="UTF-8"?><office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:body><office:spreadsheet>${sheet("Income", "one")}${sheet("Costs", "two")}</office:spreadsheet></office:body></office:document>`;

const texts: Readonly<Record<string, string | Uint8Array>> = {
  "drawing.svg": drawing,
  "active.svg":
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><title>Quokka</title><script>alert(1)</script><path d="M1.2345 1.2345 L8.7654 3.4567z"/><image href="https://a.example/a.png" width="9" height="9"/></svg>',
  "prose.md": prose,
  "page.html": page,
  "frames.dcm": dicomOf({ columns: 40, rows: 20, values: Array.from({ length: 1600 }, (_, index) => (index < 800 ? index : 799)) }),
  "revised.docx": revised,
  "struck.html":
    '<p><del>Quokka</del> <img src="data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC" alt="dot"></p>',
  "book.fb2": fb2,
  "box.mbox": mbox,
  "book.fods": book,
  "pages.pdf": pdfOf(["first   aaa", "second   bbb", "third   ccc"]),
  "tables.pdf": tablePdf([
    ["Animal", "Count"],
    ["Quokka", "42"],
    ["And now to other animals, which are larger."],
    ["Animal", "Count"],
    ["Zebra", "7"],
  ]),
  "plain.txt": `Quokka one\n${"zebra mango ".repeat(20)}\n`,
  "marks.csv": Buffer.from("price;weight;day\n1.234,50;2,5 t;4.3.2021\n"),
  "latin.csv": Buffer.from("name;age\nJ\xfcrgen;007\n", "latin1"),
  "latin-places.csv": Buffer.from("name;lat;lon\nJ\xfcrgen;1;2\n", "latin1"),
  // A table with either separator.
  "two-ways.csv": "name,lat,lon,a|name|lat|lon\nA,1,2,x|B|3|4\n",
  "latin.srt": Buffer.from("1\n00:00:01,000 --> 00:00:02,000\nJ\xfcrgen\n", "latin1"),
  "latin.vcf": Buffer.from("BEGIN:VCARD\r\nVERSION:3.0\r\nFN:J\xfcrgen\r\nN:J\xfcrgen;;;;\r\nEND:VCARD\r\n", "latin1"),
  "keys.json": '{"b":1.0,"a":2}',
  "rows.json": '[{"a":1,"b":2}]',
  "frames.sub": "{24}{48}Hello\n",
  "people.csv": "name,age\nÜlf,7\nBo,8\n",
  "tree.json": '{"list":[{"a":"Ü"},{"a":"b"}]}',
  "places.geojson":
    '{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"name":"Quokka"},"geometry":{"type":"Point","coordinates":[13.37771234,52.51621234]}}]}',
  "places.kml":
    '<?xml version="1.0"?><kml xmlns="http://www.opengis.net/kml/2.2"><Document><Placemark><name>Quokka</name><Point><coordinates>13.37771234,52.51621234</coordinates></Point></Placemark></Document></kml>',
  // Two triangles that share an edge but no vertices.
  "sphere.stl": stlBinary(),
  "square.obj": "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 4 5 6\n",
  "graph.gv": "digraph { a -> b -> c; a -> c }",
  "files.zip": zipFile([{ name: "a.txt", content: Buffer.from("quokka zebra ".repeat(5000)) }]),
  "page.eps": "%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 96 48\n1 0 0 setrgbcolor 10 10 20 20 rectfill\nshowpage\n%%EOF\n",
};

const made: Readonly<Record<string, (path: string, folder: string) => Promise<unknown>>> = {
  "noise.png": (path) => noise(128, 96).png().toFile(path),
  "noise.jpg": (path) =>
    noise(600, 400)
      .withExif({ IFD0: { Artist: "Quokka" } })
      .jpeg()
      .toFile(path),
  "wide.png": (path) =>
    sharp({ create: { width: 80, height: 60, channels: 3, background: "#e02010" } })
      .withIccProfile("p3")
      .png()
      .toFile(path),
  "alpha.png": (path) => halfTransparent().png().toFile(path),
  "two.png": (path) => twoColours().png().toFile(path),
  "two.jpg": (path) => twoColours().jpeg().toFile(path),
  "two.bmp": async (path) =>
    magick("-size", "60x40", "xc:white", "-fill", "black", "-draw", "circle 20,20 30,30 rectangle 50,10 52,12", `bmp3:${path}`),
  "grey.bmp": async (path) => magick("-size", "60x40", "xc:white", "-fill", "gray60", "-draw", "rectangle 10,10 30,30", `bmp3:${path}`),
  "photo.heic": photo,
  "photo.jxl": photo,
  // The encoder accepts EXIF only from a JPEG that it keeps losslessly.
  "noise.jxl": async (path, folder) => {
    const jpeg = join(folder, "for-noise.jpg");
    await noise(64, 48)
      .withExif({ IFD0: { Artist: "Quokka" } })
      .jpeg()
      .toFile(jpeg);
    await run("cjxl", [jpeg, path, "--lossless_jpeg=1"]);
  },
  "pages.tiff": async (path) => magick("-size", "20x10", "xc:red", "-size", "30x10", "xc:blue", "-depth", "8", "-compress", "Zip", path),
  "scan.tiff": async (path) => magick("-size", "64x48", "plasma:red-blue", "-depth", "8", "-define", "tiff:artist=Quokka", path),
  "frames.gif": async (path) => magick("-delay", "50", "-size", "20x10", "xc:red", "xc:blue", path),
  "text.png": async (path) =>
    magick(
      "-background",
      "white",
      "-fill",
      "black",
      "-pointsize",
      "40",
      "label:Quokka zebra\nmango lemur",
      "-bordercolor",
      "white",
      "-border",
      "30",
      path,
    ),
  "german.png": async (path) =>
    magick("-background", "white", "-fill", "black", "-pointsize", "40", "label:Übergröße", "-bordercolor", "white", "-border", "30", path),
  "german.pdf": scannedPdf,
  "rich.pdf": (path) => run("/usr/bin/python3", ["test/services/conversion/engines/pdf/rich-pdf.py", path]),
  "half.pdf": halfScannedPdf,
  "sound.wav": (path) => ffmpeg("-f", "lavfi", "-i", "anoisesrc=duration=3:amplitude=0.05:sample_rate=44100:seed=1", "-ac", "2", path),
  "sound.flac": (path) => ffmpeg(..."-f lavfi -i sine=duration=1 -c:a flac -sample_fmt s16".split(" "), path),
  "film.mp4": (path) =>
    ffmpeg(..."-f lavfi -i testsrc2=size=160x120:rate=25:duration=3 -f lavfi -i sine=duration=3 -pix_fmt yuv420p".split(" "), path),
  "located.mp4": (path) =>
    ffmpeg(..."-f lavfi -i testsrc2=size=64x48:rate=10:duration=1 -pix_fmt yuv420p -metadata location=+48.8577+002.295/".split(" "), path),
  "tracks.mkv": (path) =>
    ffmpeg(..."-f lavfi -i sine=duration=1 -f lavfi -i sine=duration=2 -map 0 -map 1 -c:a:0 flac -c:a:1 pcm_s16le".split(" "), path),
  "subtitles.mkv": async (path, folder) => {
    const [one, two] = [join(folder, "one.srt"), join(folder, "two.srt")];
    await writeFile(one, "1\n00:00:00,100 --> 00:00:00,900\nQuokka\n");
    await writeFile(two, "1\n00:00:00,100 --> 00:00:00,900\nZebra\n");
    await ffmpeg(
      ..."-f lavfi -i testsrc2=size=64x48:duration=1 -i".split(" "),
      one,
      "-i",
      two,
      ..."-map 0 -map 1 -map 2 -c:s srt".split(" "),
      path,
    );
  },
  "camera.dng": (path) => copyFile(join(corpus, "image/typical.dng"), path),
  "letters.ttf": (path) =>
    run("/usr/bin/python3", [
      "-I",
      "-m",
      "fontTools.subset",
      join(corpus, "font/typical.ttf"),
      "--unicodes=20-17F",
      `--output-file=${path}`,
    ]),
  "icon.icns": (path) => copyFile(join(corpus, "image/typical.icns"), path),
  "piece.mid": (path) => copyFile(join(corpus, "audio/typical.mid"), path),
  "page.djvu": async (path, folder) => {
    const ppm = join(folder, "page.ppm");
    await magick("-size", "300x300", "-seed", "1", "plasma:red-blue", "-depth", "8", ppm);
    await run("c44", ["-decibel", "40", ppm, path]);
  },
  "picture.odt": (path, folder) => withPicture(path, folder),
  "pictures.zip": async (path) => {
    const content = await twoColours(64, 48).png().toBuffer();
    await writeFile(path, zipFile(["1.png", "2.png"].map((name) => ({ name, content }))));
  },
  "picture.pdf": (path, folder) => pdfWithPicture(path, folder),
  "two.sqlite": async (path) => {
    using database = new DatabaseSync(path);
    database.exec("create table t1(a);insert into t1 values('one');create table t2(a);insert into t2 values('two');");
  },
};

/** Wide gamut, a transparent right half, and an author. */
export async function photo(path: string, folder: string): Promise<void> {
  const png = join(folder, "for-photo.png");
  const pixels = Buffer.alloc(64 * 48 * 4);
  for (let at = 0; at < 64 * 48; at++) pixels.set([200, (at * 37) % 256, 30, at % 64 < 32 ? 255 : 0], at * 4);
  const raw = sharp(pixels, { raw: { width: 64, height: 48, channels: 4 } });
  await raw
    .withIccProfile("p3")
    .withExif({ IFD0: { Artist: "Quokka" } })
    .png()
    .toFile(png);
  if (path.endsWith(".jxl")) await run("cjxl", [png, path, "-d", "0.5"]);
  else await run("heif-enc", ["-p", "preset=ultrafast", "-o", path, png]);
}

/** A picture of 600 pixels on one inch of a page. */
async function pdfWithPicture(path: string, folder: string): Promise<void> {
  const jpeg = await noise(600, 600).jpeg().toBuffer();
  const href = `data:image/jpeg;base64,${jpeg.toString("base64")}`;
  const svg = join(folder, "picture.svg");
  await writeFile(
    svg,
    `<svg xmlns="http://www.w3.org/2000/svg" width="96" height="96"><image href="${href}" width="96" height="96"/></svg>`,
  );
  await run("rsvg-convert", ["-f", "pdf", "-o", path, svg]);
}

/** Pandoc embeds the picture in the document. */
async function withPicture(path: string, folder: string): Promise<void> {
  await noise(900, 900).jpeg({ quality: 100 }).toFile(join(folder, "big.jpg"));
  const input = join(folder, "picture.md");
  await writeFile(input, `one\n\n![](big.jpg){width=3in}\n`);
  await run("pandoc", ["-f", "markdown", "-o", path, input], { cwd: folder });
}

export async function writeSample(name: string, folder: string): Promise<string> {
  const path = join(folder, name);
  const content = texts[name];
  if (content !== undefined) await writeFile(path, content);
  else if (made[name] !== undefined) await made[name](path, folder);
  else throw new Error(`no sample ${name}`);
  return path;
}
