/** Classes HE, JX, TI, VE and OC: pictures for the small tools, with counts that no data backs. */
import { deflateSync } from "node:zlib";
import { type Attack, attackTo, early, from } from "./attack.ts";
import { heif, loopedTiff, noise, png } from "./picture-files.ts";
import { bmp, jxlBox, jxlFile, vastJxl } from "./picture-tool-files.ts";
import { tiff } from "./tiff-files.ts";

const attack = attackTo(["png"]);

const latin = (text: string): Buffer => Buffer.from(text, "latin1");
const heifs: readonly Attack[] = [
  attack("libheif", "HE1-vast", "a HEIC of 3.6 gigapixels", "a.heic", () => heif("heic", 60_000, 60_000), "INPUT_TOO_COMPLEX", {
    ...early,
    ...from("heic"),
    to: ["png", "jpg"],
  }),
  attack("libheif", "HE1-none", "a HEIC without pixels", "a.heic", () => heif("heic", 0, 0), "INVALID_INPUT", {
    ...early,
    ...from("heic"),
  }),
  attack(
    "libheif",
    "HE2-noise",
    "a HEIC whose boxes are noise",
    "a.heic",
    () => noise(heif("heic", 64, 64).subarray(0, 60)),
    "INVALID_INPUT",
    from("heic"),
  ),
  attack(
    "libheif",
    "HE2-boxes",
    "a HEIC with boxes of 2⁶³ bytes",
    "a.heic",
    () => Buffer.concat([heif("heic", 64, 64), Buffer.from("000000016d6574617fffffffffffffff", "hex"), Buffer.alloc(500)]),
    "INVALID_INPUT",
    from("heic"),
  ),
];

const jxls: readonly Attack[] = [
  attack("libjxl", "JX1-vast", "a JPEG XL of 2⁶⁰ pixels in twelve bytes", "a.jxl", vastJxl, "INPUT_TOO_COMPLEX", {
    ...early,
    to: ["png", "jpg", "ppm"],
  }),
  attack("libjxl", "JX1-boxed", "the same in a container", "a.jxl", () => jxlFile([jxlBox("jxlc", vastJxl())]), "INPUT_TOO_COMPLEX", early),
  attack(
    "libjxl",
    "JX2-noise",
    "a JPEG XL of noise behind a good header",
    "a.jxl",
    () => noise(Buffer.from("ff0afa1f01", "hex")),
    "is bounded",
    { to: ["png", "jpg"] },
  ),
  attack(
    "libjxl",
    "JX2-parts",
    "a JPEG XL in half a million empty parts",
    "a.jxl",
    () => jxlFile(Array<Buffer>(500_000).fill(jxlBox("jxlp", Buffer.alloc(4)))),
    "is bounded",
  ),
];

const tiffs: readonly Attack[] = [
  attack("libtiff", "TI1-ring", "a TIFF whose directories form a ring", "a.tiff", loopedTiff, "is bounded", { to: ["pdf"] }),
  attack(
    "libtiff",
    "TI1-strips",
    "a TIFF of a billion strips",
    "a.tiff",
    () => tiff([{ 256: 8, 257: 8, 278: 1 }], { counts: 0x3fff_ffff }),
    "is bounded",
    { to: ["pdf"] },
  ),
  attack(
    "libtiff",
    "TI2-second",
    "a small page before one of 3.6 gigapixels",
    "a.tiff",
    () =>
      tiff([
        { 256: 8, 257: 8 },
        { 256: 60_000, 257: 60_000 },
      ]),
    "is bounded",
    { to: ["pdf"] },
  ),
  attack(
    "libtiff",
    "TI2-pages",
    "a TIFF of 60,000 pages",
    "a.tiff",
    () => tiff(Array.from({ length: 60_000 }, () => ({ 256: 8, 257: 8 }))),
    "is bounded",
    { to: ["pdf"] },
  ),
  attack(
    "libtiff",
    "TI2-tiles",
    "a TIFF with tiles of 2³¹ pixels",
    "a.tiff",
    () => tiff([{ 256: 8, 257: 8, 322: 0x8000_0000, 323: 0x8000_0000, 324: 8, 325: 8 }]),
    "is bounded",
    { to: ["pdf"] },
  ),
  attack(
    "libtiff",
    "TI3-name",
    "a TIFF whose title closes the text it is put into, and opens a script",
    "a.tiff",
    ({ url }) => tiff([{ 256: 8, 257: 8 }], { title: `a) >> endobj 9 0 obj << /OpenAction << /S /URI /URI (${url}/t) >> >> endobj (` }),
    "converts",
    { to: ["pdf"] },
  ),
];

const traced: readonly Attack[] = [
  attack("potrace", "VE1-vast", "a bitmap of ten gigapixels, by its header", "a.pbm", () => "P4\n100000 100000\n", "INPUT_TOO_COMPLEX", {
    ...early,
    ...from("pbm"),
    to: ["svg", "eps"],
  }),
  attack(
    "potrace",
    "VE1-comment",
    "a bitmap that begins with five megabytes of remarks",
    "a.pbm",
    () => `P1\n${"# remark\n".repeat(550_000)}8 8\n${"0 ".repeat(64)}`,
    "is bounded",
    { ...from("pbm"), to: ["svg"] },
  ),
  attack(
    "potrace",
    "VE2-noise",
    "a bitmap of eight million specks",
    "a.pbm",
    () => Buffer.concat([latin("P4\n6000 6000\n"), Buffer.alloc(4_500_000, noise(Buffer.alloc(0)))]),
    "is bounded",
    { to: ["svg", "dxf"], query: "speckles=0&smoothness=1.34" },
  ),
  attack(
    "potrace",
    "VE2-bitmap",
    "a BMP with a palette of two billion colours and rows of minus as many",
    "a.bmp",
    () => bmp(8, -8, 8, 0x7fff_ffff),
    "is bounded",
    { to: ["svg"] },
  ),
];

const recognised: readonly Attack[] = [
  attack(
    "tesseract",
    "OC1-list",
    "a list of pictures of the host and the network, said to be one",
    "a.png",
    ({ url, secretPicture }) => `${secretPicture}\n${url}/ocr.png\n`,
    "INVALID_INPUT",
    { ...early, ...from("png"), to: ["txt", "hocr"] },
  ),
  attack(
    "tesseract",
    "OC2-noise",
    "a page of noise",
    "a.png",
    () => png({ width: 3000, height: 3000, colours: 0, fill: Buffer.alloc(3000, noise(Buffer.alloc(0))) }),
    "is bounded",
    { to: ["txt"] },
  ),
  attack("tesseract", "OC2-language", "a language that is a path", "a.png", () => png({ width: 8, height: 8 }), "INVALID_OPTION", {
    to: ["txt"],
    query: "language=../../tmp/x",
  }),
  attack(
    "tesseract",
    "OC2-text",
    "hidden text in chunks beside an empty page",
    "a.png",
    ({ secretFile }) => Buffer.concat([png({ width: 400, height: 100, extra: [] }), deflateSync(Buffer.from(secretFile))]),
    "CONVERSION_FAILED",
    { to: ["txt"] },
  ),
];

export const pictureToolAttacks: readonly Attack[] = [...heifs, ...jxls, ...tiffs, ...traced, ...recognised];
