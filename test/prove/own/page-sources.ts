/** Pages, slides and sheets with large photos, and sheets of paper as scanned. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { python } from "#test/prove/readers/program.ts";
import { type KnownFile, kindOf } from "#test/prove/samples.ts";
import type { Studio } from "./studio.ts";

const animals = ["Quokka", "Zebra", "Numbat"];
const spaces = Object.entries({
  office: "office:1.0",
  text: "text:1.0",
  table: "table:1.0",
  draw: "drawing:1.0",
  style: "style:1.0",
  fo: "xsl-fo-compatible:1.0",
  svg: "svg-compatible:1.0",
})
  .map(([prefix, name]) => `xmlns:${prefix}="urn:oasis:names:tc:opendocument:xmlns:${name}"`)
  .join(" ");

const sentences = (animal: string): string[] =>
  Array.from({ length: 4 }, (_, line) => `${animal} and ${line + 2} others were seen near waterhole ${animal.length * 7 + line}.`);
const frame = (place: string, photo: Buffer): string =>
  `<draw:frame ${place}><draw:image><office:binary-data>${photo.toString("base64")}</office:binary-data></draw:image></draw:frame>`;

export async function reportOf(photo: Buffer, file: KnownFile, studio: Studio): Promise<void> {
  const breaks =
    '<style:style style:name="next" style:family="paragraph"><style:paragraph-properties fo:break-before="page"/></style:style>';
  const pages = animals.map((animal, index) => {
    const [first = "", ...more] = sentences(animal);
    const paragraphs = [
      `<text:p${index === 0 ? "" : ' text:style-name="next"'}>${first}</text:p>`,
      ...more.map((line) => `<text:p>${line}</text:p>`),
    ];
    return `${paragraphs.join("")}<text:p>${frame('text:anchor-type="as-char" svg:width="15cm" svg:height="10cm"', photo)}</text:p>`;
  });
  await write("fodt", "text", breaks, `<office:text>${pages.join("")}</office:text>`, file, studio);
}

export async function slidesOf(photo: Buffer, file: KnownFile, studio: Studio): Promise<void> {
  const layout =
    '<style:page-layout style:name="wide"><style:page-layout-properties fo:page-width="28cm" fo:page-height="21cm"/></style:page-layout>';
  const slides = animals.map((animal) => {
    const lines = sentences(animal).map((line) => `<text:p>${line}</text:p>`);
    const text = `<draw:frame svg:x="1cm" svg:y="1cm" svg:width="26cm" svg:height="6cm"><draw:text-box>${lines.join("")}</draw:text-box></draw:frame>`;
    const place = 'svg:x="6cm" svg:y="9cm" svg:width="15cm" svg:height="10cm"';
    return `<draw:page draw:name="${animal}" draw:master-page-name="plain">${text}${frame(place, photo)}</draw:page>`;
  });
  await write("fodp", "presentation", layout, `<office:presentation>${slides.join("")}</office:presentation>`, file, studio);
}

export async function sheetOf(photo: Buffer, file: KnownFile, studio: Studio): Promise<void> {
  const rows = animals
    .flatMap(sentences)
    .map((line, index) => {
      const words = line
        .split(" ")
        .map((word) => `<table:table-cell office:value-type="string"><text:p>${word}</text:p></table:table-cell>`);
      return `<table:table-row><table:table-cell office:value-type="float" office:value="${index * 17}"/>${words.join("")}</table:table-row>`;
    })
    .join("");
  const shapes = `<table:shapes>${frame('svg:x="1cm" svg:y="9cm" svg:width="12cm" svg:height="8cm"', photo)}</table:shapes>`;
  await write(
    "fods",
    "spreadsheet",
    "",
    `<office:spreadsheet><table:table table:name="Seen">${shapes}${rows}</table:table></office:spreadsheet>`,
    file,
    studio,
  );
}

async function write(flat: string, sort: string, styles: string, body: string, file: KnownFile, studio: Studio): Promise<void> {
  const masters =
    flat === "fodp"
      ? '<office:master-styles><style:master-page style:name="plain" style:page-layout-name="wide"/></office:master-styles>'
      : "";
  const text =
    `<?xml version="1.0" encoding="UTF-8"?><office:document ${spaces} office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.${sort}">` +
    `<office:automatic-styles>${styles}</office:automatic-styles>${masters}<office:body>${body}</office:body></office:document>`;
  const source: KnownFile = { path: join(studio.folder, `${sort}.${flat}`), format: flat, kind: kindOf(flat) };
  await writeFile(source.path, text);
  await studio.convert("libreoffice", source, file);
}

const lines = animals
  .slice(0, 2)
  .map((animal) => Array.from({ length: 14 }, (_, line) => `${animal} and ${line + 2} other animals came to the waterhole`));
export const scannedWords: readonly string[] = lines.flat();

/** A4 at 300 dpi, in colour and with a scanner's grain. */
export async function scanOf(path: string, folder: string): Promise<void> {
  const [width, height] = [2480, 3508];
  const sheets: string[] = [];
  for (const [index, page] of lines.entries()) {
    const texts = page.map((line, at) => `<text x="250" y="${480 + at * 100}">${line}</text>`);
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="DejaVu Serif" font-size="56">${texts.join("")}</svg>`;
    const grain = { width, height, channels: 3, background: "white", noise: { type: "gaussian", mean: 240, sigma: 6 } } as const;
    const sheet = join(folder, `sheet-${index}.png`);
    await sharp({ create: grain })
      .composite([{ input: Buffer.from(svg) }])
      .png({ compressionLevel: 1 })
      .toFile(sheet);
    sheets.push(sheet);
  }
  const bound =
    "import sys\nfrom PIL import Image\nfirst, *more = [Image.open(p).convert('RGB') for p in sys.argv[2:]]\n" +
    "first.save(sys.argv[1], 'PDF', save_all=True, append_images=more, resolution=300, quality=90)";
  await python(bound, path, ...sheets);
}
