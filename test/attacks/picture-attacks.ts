/** Classes IM1 to IM10: ImageTragick and its kin, SVG as a program, pixel floods, frames and broken codecs. */
import { deflateSync } from "node:zlib";
import { type Aim, type Attack, attackOnTo, early } from "./attack.ts";
import { layeredDrawing } from "./layered-drawing.ts";
import { chunk, gif, heif, loopedTiff, noise, png } from "./picture-files.ts";

const svg = (inner: string, before = "") =>
  `<?xml version="1.0"?>${before}<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:xi="http://www.w3.org/2001/XInclude" width="320" height="120"><rect width="20" height="20" fill="green"/>${inner}</svg>`;
const picture = (href: string) =>
  `<image xlink:href="${href}" width="300" height="60"/><image href="${href}" y="60" width="300" height="60"/>`;
const mvg = (primitive: string) => `push graphic-context\nviewbox 0 0 640 480\n${primitive}\npop graphic-context\n`;

const entities = Array.from(
  { length: 10 },
  (_, level) => `<!ENTITY l${level} "${level === 0 ? "lol" : `&l${level - 1};`.repeat(10)}">`,
).join("");
const uses = Array.from({ length: 8 }, (_, level) => `<g id="a${level + 1}">${`<use href="#a${level}"/>`.repeat(10)}</g>`).join("");
const blur = '<feGaussianBlur stdDeviation="500"/><feMorphology operator="dilate" radius="500"/>';
const filter = `<filter id="f" x="-500%" y="-500%" width="2000%" height="2000%">${blur}</filter><rect width="300" height="100" filter="url(#f)"/>`;
const compressedText = () =>
  chunk("zTXt", Buffer.concat([Buffer.from("Comment\0\0"), deflateSync(Buffer.alloc(50_000_000, "A"), { level: 6 })]));

const attack = attackOnTo("sharp", ["webp"]);

export const pictureAttacks: readonly Attack[] = [
  attack("IM1-claimed", "MVG commands claimed to be a JPEG (CVE-2016-3714)", "a.jpg", tragick, "INVALID_INPUT", {
    ...early,
    query: "from=jpg",
  }),
  attack("IM1-named", "MVG commands in a file named .jpg, taken for the text that they are", "a.jpg", tragick, "converts", {
    engine: "libreoffice",
    to: ["pdf"],
  }),
  attack(
    "IM2-mvg",
    "a pseudo format as the source",
    "a.mvg",
    ({ secretFile }) => mvg(`image over 0,0 0,0 'text:${secretFile}'`),
    "INVALID_INPUT",
    { ...early, query: "from=png" },
  ),
  attack(
    "IM2-label",
    "`label:@` and `text:` in an SVG",
    "a.svg",
    ({ secretFile }) => svg(picture(`label:@${secretFile}`) + picture(`text:${secretFile}`)),
    "converts",
    { to: ["png"] },
  ),
  attack(
    "IM2-msl",
    "a script for ImageMagick named by an SVG",
    "a.svg",
    ({ secretPicture, outDir }) => svg(picture(`msl:${outDir}/a.msl`) + picture(`msl:${secretPicture}`)),
    "converts",
    { to: ["png"] },
  ),
  attack(
    "IM3-profile",
    "a PNG that asks for a file as its profile (CVE-2022-44268)",
    "a.png",
    ({ secretFile }) => png({ width: 10, height: 10, extra: [chunk("tEXt", Buffer.from(`profile\0${secretFile}`))] }),
    "converts",
    { to: ["webp", "tiff", "jpg"], query: "metadata=keep" },
  ),
  attack(
    "IM4-local",
    "an SVG with a picture of the host",
    "a.svg",
    ({ secretPicture }) => svg(picture(`file://${secretPicture}`) + picture(secretPicture)),
    "converts",
    { to: ["png", "jpg"] },
  ),
  attack(
    "IM4-web",
    "an SVG with a picture of the network",
    "a.svg",
    ({ url }) => svg(`${picture(`${url}/svg.png`)}<style>@import url(${url}/a.css);</style>`),
    "converts",
    { to: ["png"] },
  ),
  attack(
    "IM5-vast",
    "an SVG of 100,000 by 100,000 pixels",
    "a.svg",
    () => '<svg xmlns="http://www.w3.org/2000/svg" width="100000" height="100000"><rect width="100%" height="100%"/></svg>',
    "INPUT_TOO_COMPLEX",
    early,
  ),
  attack(
    "IM5-asked",
    "an SVG drawn vastly because the request says so",
    "a.svg",
    () => '<svg xmlns="http://www.w3.org/2000/svg" width="9000" height="9000"/>',
    "INPUT_TOO_COMPLEX",
    { query: "density=2400" },
  ),
  attack(
    "IM6-valid",
    "a whole PNG of 2.5 gigapixels in 300 kB",
    "a.png",
    () => png({ width: 50_000, height: 50_000, depth: 1, colours: 0 }),
    "INPUT_TOO_COMPLEX",
    early,
  ),
  attack(
    "IM6-lie",
    "a header of 2.5 gigapixels and one row",
    "a.png",
    () => png({ width: 50_000, height: 50_000, rows: 1 }),
    "INPUT_TOO_COMPLEX",
    early,
  ),
  attack("IM6-heif", "an AVIF of 3.6 gigapixels", "a.avif", () => heif("avif", 60_000, 60_000), "INPUT_TOO_COMPLEX", {
    ...early,
    query: "from=avif",
  }),
  attack(
    "IM7-text",
    "200 MB of compressed text in a small PNG",
    "a.png",
    () => png({ width: 10, height: 10, extra: Array<Buffer>(4).fill(compressedText()) }),
    "INPUT_TOO_COMPLEX",
    early,
  ),
  attack(
    "IM8-entities",
    "entities that expand to a billion",
    "a.svg",
    () => svg("<text>&l9;</text>", `<!DOCTYPE svg [${entities}]>`),
    "INPUT_TOO_COMPLEX",
    early,
  ),
  attack(
    "IM8-external",
    "an entity that is a file of the host",
    "a.svg",
    ({ secretFile }) => svg("<text>&x;</text>", `<!DOCTYPE svg [<!ENTITY x SYSTEM "file://${secretFile}">]>`),
    "INVALID_INPUT",
    early,
  ),
  attack(
    "IM8-xinclude",
    "XInclude of a file of the host (CVE-2023-38633)",
    "a.svg",
    ({ secretFile }) =>
      svg(
        `<text y="50"><xi:include href=".?../../../../../../../..${secretFile}" parse="text"><xi:fallback>none</xi:fallback></xi:include></text>`,
      ),
    "converts",
    { to: ["png"] },
  ),
  attack(
    "IM8-traversal",
    "a picture of the host by the way of a relative path",
    "a.svg",
    ({ secretPicture }) => svg(picture(`.?../../../../../..${secretPicture}`) + picture(`../../../../../..${secretPicture}`)),
    "converts",
    { to: ["png"] },
  ),
  attack(
    "IM8-uses",
    "shapes that use each other 10⁸ times",
    "a.svg",
    () => svg(`<defs><g id="a0"><rect width="1" height="1"/></g>${uses}</defs><use href="#a8"/>`),
    "is bounded",
    { to: ["png"] },
  ),
  attack("IM8-filter", "filters over twenty times the canvas", "a.svg", () => svg(filter), "is bounded", { to: ["png"] }),
  attack("IM8-layers", "a filter of six gigabytes in a drawing of two kilobytes", "a.svg", layeredDrawing, "is bounded", { to: ["png"] }),
  attack("IM9-tiff", "a TIFF whose directories form a ring", "a.tiff", loopedTiff, "INVALID_INPUT"),
  attack(
    "IM9-webp",
    "a WebP of noise behind a good header",
    "a.webp",
    () => noise(Buffer.from("RIFF\0\x10\0\0WEBPVP8L\0\x0f\0\0\x2f\x3f\xc0\x0f\0", "latin1")),
    "INVALID_INPUT",
    { to: ["png"] },
  ),
  attack(
    "IM9-jpeg",
    "a JPEG of noise behind a good header",
    "a.jpg",
    () => noise(Buffer.from("ffd8ffe000104a46494600010100000100010000ffc0000b080020002001011100ffda0008010100003f00", "hex")),
    "INVALID_INPUT",
    { to: ["png"] },
  ),
  attack("IM9-heif", "a HEIC without a picture", "a.heic", () => heif("heic", 64, 64), "INVALID_INPUT", {
    engine: "libheif",
    to: ["png"],
    query: "from=heic",
  }),
  attack("IM10-gif", "100,000 frames in a GIF", "a.gif", () => gif(100_000), "INPUT_TOO_COMPLEX", early),
  attack(
    "IM10-apng",
    "a PNG that claims two billion frames",
    "a.png",
    () => png({ width: 100, height: 100, extra: [chunk("acTL", Buffer.from("7fffffff00000000", "hex"))] }),
    "INPUT_TOO_COMPLEX",
    early,
  ),
];

function tragick({ url, outDir }: Aim): string {
  return mvg(`fill 'url(${url}/x.jpg"|touch "${outDir}/tragick)'`);
}
