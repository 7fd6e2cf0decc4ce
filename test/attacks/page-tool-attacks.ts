/** Classes MU, GS4 to GS5 and SV: books, pages and drawings for the tools that convert them. */
import { gzipSync } from "node:zlib";
import { zipFile } from "#test/harness/zip-file.ts";
import { type Aim, type Attack, attackTo, from } from "./attack.ts";
import { layeredDrawing } from "./layered-drawing.ts";
import { activePdf, nestedForms, onePage } from "./pdf-attacks.ts";
import { noise, png } from "./picture-files.ts";

const attack = attackTo(["pdf"]);

const links = ({ url, secretPicture, secretFile }: Aim) =>
  `<img src="file://${secretPicture}"/><img src="../../../../..${secretPicture}"/><img src="${url}/book.png"/><object data="file://${secretFile}"/><iframe src="file://${secretFile}"></iframe>`;

function book(body: string, head = "", extra: Parameters<typeof zipFile>[0] = []): Buffer {
  return zipFile([
    { name: "mimetype", content: "application/epub+zip", isStored: true },
    {
      name: "META-INF/container.xml",
      content:
        '<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="a.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
    },
    {
      name: "a.opf",
      content:
        '<package xmlns="http://www.idpf.org/2007/opf" version="2.0"><metadata/><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine></package>',
    },
    { name: "a.xhtml", content: `<html xmlns="http://www.w3.org/1999/xhtml"><head>${head}</head><body><p>Book</p>${body}</body></html>` },
    ...extra,
  ]);
}

/** One page of text with everything that may run when it is opened. */

const svg = (inner: string, before = "") =>
  `<?xml version="1.0"?>${before}<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="99" height="99"><path d="M0 0L9 9Z"/>${inner}</svg>`;

export const pageToolAttacks: readonly Attack[] = [
  attack(
    "mupdf",
    "MU1-links",
    "a book with pictures of the host and the network",
    "a.epub",
    (aim) =>
      book(
        links(aim),
        `<link rel="stylesheet" href="${aim.url}/a.css"/><style>@import url(file://${aim.secretFile}); @font-face{font-family:x;src:url(${aim.url}/a.ttf)}</style>`,
      ),
    "converts",
  ),
  attack(
    "mupdf",
    "MU1-depth",
    "a book of 100,000 boxes inside each other",
    "a.epub",
    () => book("<div>".repeat(100_000) + "</div>".repeat(100_000)),
    "is bounded",
  ),
  attack(
    "mupdf",
    "MU1-picture",
    "a book with a picture of 2.5 gigapixels",
    "a.epub",
    () => book('<img src="a.png"/>', "", [{ name: "a.png", content: png({ width: 50_000, height: 50_000, depth: 1, colours: 0 }) }]),
    "is bounded",
  ),
  attack(
    "mupdf",
    "MU2-fiction",
    "a novel with pictures of the host",
    "a.fb2",
    ({ secretPicture, url }) =>
      `<?xml version="1.0"?><FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0" xmlns:l="http://www.w3.org/1999/xlink"><description><title-info><book-title>a</book-title></title-info></description><body><section><p>Book</p><image l:href="file://${secretPicture}"/><image l:href="${url}/fb2.png"/></section></body></FictionBook>`,
    "converts",
  ),
  attack(
    "mupdf",
    "MU2-kindle",
    "a Kindle book whose records are noise",
    "a.mobi",
    () => {
      const head = Buffer.alloc(78);
      head.write("BOOKMOBI", 60, "latin1");
      head.writeUInt16BE(0xffff, 76);
      return noise(head);
    },
    "is bounded",
    from("mobi"),
  ),
  attack(
    "mupdf",
    "MU3-comic",
    "a comic of one page of 2.5 gigapixels",
    "a.cbz",
    () => zipFile([{ name: "1.png", content: png({ width: 50_000, height: 50_000, depth: 1, colours: 0 }) }]),
    "is bounded",
  ),
  attack(
    "mupdf",
    "MU3-paper",
    "an XPS with pictures of the host and the network",
    "a.xps",
    ({ url, secretPicture }) =>
      zipFile([
        {
          name: "[Content_Types].xml",
          content:
            '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="fpage" ContentType="application/vnd.ms-package.xps-fixedpage+xml"/><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="fdseq" ContentType="application/vnd.ms-package.xps-fixeddocumentsequence+xml"/><Default Extension="fdoc" ContentType="application/vnd.ms-package.xps-fixeddocument+xml"/></Types>',
        },
        {
          name: "_rels/.rels",
          content:
            '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r" Type="http://schemas.microsoft.com/xps/2005/06/fixedrepresentation" Target="/a.fdseq"/></Relationships>',
        },
        {
          name: "a.fdseq",
          content:
            '<FixedDocumentSequence xmlns="http://schemas.microsoft.com/xps/2005/06"><DocumentReference Source="/a.fdoc"/></FixedDocumentSequence>',
        },
        {
          name: "a.fdoc",
          content: '<FixedDocument xmlns="http://schemas.microsoft.com/xps/2005/06"><PageContent Source="/a.fpage"/></FixedDocument>',
        },
        {
          name: "a.fpage",
          content: `<FixedPage xmlns="http://schemas.microsoft.com/xps/2005/06" Width="99" Height="99">${[secretPicture, `file://${secretPicture}`, `${url}/xps.png`].map((name) => `<Path Data="M0,0L99,0 99,99z"><Path.Fill><ImageBrush ImageSource="${name}" Viewbox="0,0,9,9" Viewport="0,0,99,99" ViewboxUnits="Absolute" ViewportUnits="Absolute"/></Path.Fill></Path>`).join("")}</FixedPage>`,
        },
      ]),
    "converts",
  ),
  attack("mupdf", "MU4-pages", "an option of pages that reaches for others", "a.pdf", () => onePage("0 0 9 9 re f"), "INVALID_OPTION", {
    to: ["cbz"],
    query: "pages=1;-o,/tmp/x",
  }),
  attack("ghostscript", "GS4-active", "a PDF full of scripts, launches and links, kept for ever", "a.pdf", activePdf, "converts", {
    to: ["pdfa"],
  }),
  attack("ghostscript", "GS4-forms", "forms that show each other 10¹¹ times, kept for ever", "a.pdf", nestedForms, "is bounded", {
    to: ["pdfa"],
  }),
  attack(
    "ghostscript",
    "GS1-devices",
    "PostScript that reads by the names of devices",
    "a.ps",
    ({ secretFile }) =>
      `%!PS\n/Courier findfont 12 scalefont setfont 50 700 moveto\n(%os%${secretFile}) (r) file 256 string readline pop show\nshowpage\n`,
    "INVALID_INPUT",
  ),
  attack(
    "ghostscript",
    "GS1-font",
    "PostScript that takes a host's file for a typeface, and tells the environment",
    "a.ps",
    ({ secretFile }) =>
      `%!PS\n(${secretFile}) cvn findfont 12 scalefont setfont 50 700 moveto (a) show\n(PATH) getenv {print} if (HOME) getenv {print} if\nshowpage\n`,
    "is bounded",
  ),
  attack(
    "ghostscript",
    "GS5-memory",
    "PostScript that collects strings without end",
    "a.ps",
    () =>
      "%!PS\n/a 65000 array def 0 1 64999 {a exch 65000 string put} for\n/b 65000 array def 0 1 64999 {b exch 65000 string put} for showpage\n",
    "is bounded",
  ),
  attack(
    "ghostscript",
    "GS5-binary",
    "an EPS whose program lies far behind its end",
    "a.eps",
    () =>
      Buffer.concat([
        Buffer.from("c5d0d3c6f0ffff7ff0ffff7f00000000000000000000000000000000ffff0000", "hex"),
        Buffer.from("%!PS-Adobe-3.0 EPSF-3.0\n"),
      ]),
    "is bounded",
    from("eps"),
  ),
  attack("ghostscript", "GS5-recursion", "PostScript that calls itself", "a.ps", () => "%!PS\n/f {f f} def f showpage\n", "is bounded"),
  attack(
    "rsvg",
    "SV1-style",
    "a drawing whose style is a file and an address",
    "a.svg",
    ({ url, secretFile }) =>
      svg(
        `<style>@import url(file://${secretFile}); @import url(${url}/a.css); @font-face{font-family:x;src:url(${url}/a.ttf)}</style><text y="9" font-family="x">a</text>`,
        `<?xml-stylesheet href="${url}/b.css"?><?xml-stylesheet href="file://${secretFile}"?>`,
      ),
    "converts",
    { to: ["pdf", "eps", "ps"] },
  ),
  attack(
    "rsvg",
    "SV1-zipped",
    "a compressed drawing with an entity that is a host's file",
    "a.svgz",
    ({ secretFile }) => gzipSync(svg("<text>&x;</text>", `<!DOCTYPE svg [<!ENTITY x SYSTEM "file://${secretFile}">]>`)),
    "INVALID_INPUT",
    { isEarly: true, to: ["pdf", "png"] },
  ),
  attack(
    "rsvg",
    "SV2-zipped",
    "a compressed drawing of three hundred megabytes",
    "a.svgz",
    () => gzipSync(svg(`${"<g/>".repeat(75_000_000)}`)),
    "INPUT_TOO_COMPLEX",
    { isEarly: true, to: ["pdf", "png", "svg"] },
  ),
  attack(
    "rsvg",
    "SV2-depth",
    "200,000 groups inside each other",
    "a.svg",
    () => svg("<g>".repeat(200_000) + "</g>".repeat(200_000)),
    "is bounded",
  ),
  attack(
    "rsvg",
    "SV2-patterns",
    "patterns that fill each other",
    "a.svg",
    () =>
      svg(
        `${Array.from({ length: 9 }, (_, level) => `<pattern id="p${level + 1}" width="2" height="2" patternUnits="userSpaceOnUse"><rect width="9" height="9" fill="url(#p${level})"/></pattern>`).join("")}<rect width="9999" height="9999" fill="url(#p9)"/>`,
      ),
    "is bounded",
  ),
  attack("rsvg", "SV2-layers", "a filter of six gigabytes in a drawing of two kilobytes", "a.svg", layeredDrawing, "is bounded"),
];
