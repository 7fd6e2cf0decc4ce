/** Classes PDF1 to PDF7: endless pages, streams and trees, actions, and encryption. */
import { createHash } from "node:crypto";
import { constants, deflateRawSync, deflateSync } from "node:zlib";
import type { Aim, Attack } from "./attack.ts";

type PdfObject = string | Buffer;

/** Objects numbered from 1, the first being the catalogue. */
export function pdf(objects: readonly PdfObject[], trailer = ""): Buffer {
  const parts: Buffer[] = [Buffer.from("%PDF-1.7\n")];
  let length = parts[0]?.length ?? 0;
  const add = (part: Buffer): void => {
    parts.push(part);
    length += part.length;
  };
  const offsets = objects.map((object, index) => {
    const offset = length;
    add(Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), Buffer.from(object), Buffer.from("\nendobj\n")]));
    return offset;
  });
  const start = length;
  const rows = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const size = objects.length + 1;
  add(
    Buffer.from(`xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer<</Size ${size}/Root 1 0 R${trailer}>>\nstartxref\n${start}\n%%EOF`),
  );
  return Buffer.concat(parts);
}

export const stream = (data: Uint8Array | string, more = ""): Buffer => {
  const bytes = Buffer.from(data);
  return Buffer.concat([Buffer.from(`<</Length ${bytes.length}${more}>>stream\n`), bytes, Buffer.from("\nendstream")]);
};
const catalogue = "<</Type/Catalog/Pages 2 0 R>>";
const pages = "<</Type/Pages/Kids[3 0 R]/Count 1>>";
const page = (more: string, box = "0 0 612 792") => `<</Type/Page/Parent 2 0 R/MediaBox[${box}]${more}>>`;
/** One page that shows a stream. */
const shown = (content: Buffer): Buffer => pdf([catalogue, pages, page("/Contents 4 0 R"), content]);
export const onePage = (content: string): Buffer => shown(stream(content));

export function nestedForms(): Buffer {
  const levels = 12;
  const forms = Array.from({ length: levels }, (_, level) => {
    const isLast = level === levels - 1;
    const resources = isLast ? "" : `/Resources<</XObject<</X ${6 + level} 0 R>>>>`;
    return stream(isLast ? "0 0 1 1 re f" : "/X Do ".repeat(10), `/Type/XObject/Subtype/Form/BBox[0 0 612 792]${resources}`);
  });
  return pdf([catalogue, pages, page("/Contents 4 0 R/Resources<</XObject<</X 5 0 R>>>>"), stream("/X Do"), ...forms]);
}

function vastImage(side: number): Buffer {
  const squeezed = deflateSync(deflateSync(Buffer.alloc(100_000_000), { level: 6 }), { level: 6 });
  const image = stream(
    squeezed,
    `/Type/XObject/Subtype/Image/Width ${side}/Height ${side}/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter[/FlateDecode/FlateDecode]`,
  );
  return pdf([catalogue, pages, page("/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>>>"), stream("612 0 0 792 0 0 cm /I Do"), image]);
}

/** 3 GB of spaces, deflated twice to a few kilobytes. */
function doubleFlate(): Buffer {
  // Blocks after a full flush are independent, so one can be written many times.
  const block = deflateRawSync(Buffer.alloc(1_000_000, " "), { finishFlush: constants.Z_FULL_FLUSH });
  const once = Buffer.concat([Buffer.from("789c", "hex"), ...Array<Buffer>(3000).fill(block), Buffer.from("030000000001", "hex")]);
  return shown(stream(deflateSync(once, { level: 9 }), "/Filter[/FlateDecode/FlateDecode]"));
}

function manyPages(count: number): Buffer {
  const kids = Array.from({ length: count }, (_, index) => `${index + 3} 0 R`).join(" ");
  return pdf([catalogue, `<</Type/Pages/Kids[${kids}]/Count ${count}>>`, ...Array<string>(count).fill(page(""))]);
}

const padding = Buffer.from("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a", "hex");

function rc4(key: Uint8Array, data: Uint8Array): Buffer {
  const state = Uint8Array.from({ length: 256 }, (_, index) => index);
  const at = (index: number): number => state[index & 255] ?? 0;
  const swap = (one: number, other: number): void => {
    [state[one & 255], state[other & 255]] = [at(other), at(one)];
  };
  for (let index = 0, mixed = 0; index < 256; index++) {
    mixed = (mixed + at(index) + (key[index % key.length] ?? 0)) & 255;
    swap(index, mixed);
  }
  let mixed = 0;
  return Buffer.from(
    data.map((byte, index) => {
      mixed = (mixed + at(index + 1)) & 255;
      swap(index + 1, mixed);
      return byte ^ at(at(index + 1) + at(mixed));
    }),
  );
}

/** The standard security handler, revision 2: a user password locks the file, an owner password alone does not. */
function protectedPdf(userPassword: string): Buffer {
  const md5 = (...parts: Uint8Array[]) => createHash("md5").update(Buffer.concat(parts)).digest();
  const padded = Buffer.concat([Buffer.from(userPassword), padding]).subarray(0, 32);
  const ownerKey = md5(Buffer.concat([Buffer.from("of the owner"), padding]).subarray(0, 32));
  const owner = rc4(ownerKey.subarray(0, 5), padded);
  const id = Buffer.alloc(16, 7);
  const key = md5(padded, owner, Buffer.from("fcffffff", "hex"), id).subarray(0, 5);
  const [o, u, i] = [owner, rc4(key, padding), id].map((bytes) => bytes.toString("hex"));
  const encrypt = `<</Filter/Standard/V 1/R 2/O<${o}>/U<${u}>/P -4>>`;
  return pdf([catalogue, pages, page(""), encrypt], `/Encrypt 4 0 R/ID[<${i}><${i}>]`);
}

const attack = (id: string, what: string, content: Attack["content"], outcome: Attack["outcome"], more: Partial<Attack> = {}): Attack => ({
  ...{ id, what, engine: "poppler" as const, fileName: "a.pdf", content, outcome, to: ["png", "txt"] },
  ...more,
});

/** It would open pages, run programs and call out, if allowed. */
export function activePdf({ url, outDir, secretFile }: Aim): Buffer {
  const actions = [
    `<</S/JavaScript/JS(app.launchURL\\("${url}/js"\\))>>`,
    `<</S/Launch/F(/bin/sh)/Unix<</F(touch ${outDir}/launched)>>>>`,
    `<</S/URI/URI(${url}/uri)>>`,
    `<</S/GoToR/F(${secretFile})/D[0/Fit]>>`,
    `<</S/SubmitForm/F<</FS/URL/F(${url}/form)>>>>`,
  ];
  const annotations = actions.map((action) => `<</Type/Annot/Subtype/Link/Rect[0 0 99 99]/A${action}>>`).join("");
  return pdf([
    `<</Type/Catalog/Pages 2 0 R/OpenAction${actions[0]}/AA<</WC${actions[1]}>>/Names<</JavaScript<</Names[(a)${actions[0]}]>>>>>>`,
    "<</Type/Pages/Kids[3 0 R]/Count 1>>",
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Annots[${annotations}]/AA<</O${actions[1]}>>/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>`,
    stream("BT /F1 24 Tf 72 700 Td (Quite ordinary text on a page) Tj ET"),
  ]);
}

/** Elements nested to the given depth; the innermost one holds the page's text. */
function nestedTags(depth: number): Buffer {
  const element = (index: number) =>
    `<</Type/StructElem/S/Div/P ${5 + index} 0 R/K ${index === depth - 1 ? "0/Pg 3 0 R" : `${7 + index} 0 R`}>>`;
  return pdf([
    "<</Type/Catalog/Pages 2 0 R/MarkInfo<</Marked true>>/StructTreeRoot 5 0 R>>",
    pages,
    page("/Contents 4 0 R/StructParents 0"),
    stream("/P<</MCID 0>>BDC 0 0 9 9 re f EMC"),
    `<</Type/StructTreeRoot/K 6 0 R/ParentTree<</Nums[0[${5 + depth} 0 R]]>>>>`,
    ...Array.from({ length: depth }, (_, index) => element(index)),
  ]);
}

const written = "BT /F 9 Tf 9 9 Td (Good) Tj ET ";
const font = "/Resources<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>";
const lettered = (content: string) => pdf([catalogue, pages, page(`/Contents 4 0 R${font}`), stream(content)]);

/** Targets the reader of page structure. */
const structureAttacks: readonly Attack[] = [
  attack("PS1-active", "a PDF full of scripts, launches and links, made a web page", activePdf, "converts"),
  attack("PS1-forms", "forms that show each other 10¹¹ times, made a web page", nestedForms, "is bounded"),
  attack("PS1-pages", "an option of pages that reaches for others", () => lettered(written), "INVALID_OPTION", {
    query: "pages=1;-o,/tmp/x",
  }),
  attack("PS2-flate", "three gigabytes in a few kilobytes, made a web page", doubleFlate, "is bounded"),
  attack("PS2-image", "a picture of 10 gigapixels, made a web page", () => vastImage(100_000), "is bounded"),
  attack("PS2-letters", "a million pieces of text on one page", () => lettered(written.repeat(1_000_000)), "is bounded"),
  attack(
    "PS2-lines",
    "half a million lines on one page",
    () => lettered(`${written}${"0 0 m 99 0 l 0 0 m 0 99 l S ".repeat(250_000)}`),
    "is bounded",
  ),
  attack("PS3-tags", "a hundred thousand elements inside one another", () => nestedTags(100_000), "is bounded"),
].map((each) => ({ ...each, engine: "pdf" as const, to: ["html"] }));

function loopedBookmarks(): Buffer {
  return pdf([
    "<</Type/Catalog/Pages 2 0 R/Outlines 5 0 R/AcroForm<</Fields[7 0 R]>>>>",
    pages,
    page("/Contents 4 0 R/Annots[7 0 R 7 0 R]"),
    stream("0 0 9 9 re f"),
    "<</First 6 0 R/Last 6 0 R/Count 9>>",
    "<</Title(a)/Parent 5 0 R/Next 6 0 R/First 5 0 R/Dest[9 0 R/Fit]>>",
    "<</Type/Annot/Subtype/Widget/Rect[0 0 9 9]/T(a)/FT/Tx/Parent 7 0 R/Kids[7 0 R]>>",
  ]);
}

/** Targets the tools that rewrite PDFs. */
const changeAttacks: readonly Attack[] = [
  attack("PC1-image", "a picture of 10 gigapixels, to be made smaller", () => vastImage(100_000), "is bounded", {
    query: "optimise=screen",
  }),
  attack("PC1-flate", "three gigabytes in a few kilobytes, to be written anew", doubleFlate, "is bounded", { query: "optimise=screen" }),
  attack("PC2-loops", "bookmarks and form fields that contain themselves", loopedBookmarks, "is bounded", { query: "flatten=true" }),
  attack("PC3-active", "a PDF full of scripts, launches and links, several pages on a sheet", activePdf, "converts", { query: "nUp=2" }),
  attack("PC3-gray", "the same without colour", activePdf, "converts", { query: "grayscale=true" }),
  attack("PC4-stamp", "a stamp that reaches for a file", () => onePage("0 0 9 9 re f"), "converts", {
    query: `stamp=${encodeURIComponent('</text><image href="file:///etc/passwd"/>')}`,
  }),
].map((each) => ({ ...each, engine: "pdf-change" as const, to: ["pdf"] }));

export const pdfAttacks: readonly Attack[] = [
  ...structureAttacks,
  ...changeAttacks,
  attack(
    "PDF1-page",
    "a page of 5 km square",
    () => pdf([catalogue, pages, page("/Contents 4 0 R", "0 0 14400000 14400000"), stream("0 0 9 9 re f")]),
    "INPUT_TOO_COMPLEX",
    { to: ["png", "svg", "eps"] },
  ),
  attack("PDF2-flate", "three gigabytes in a few kilobytes", doubleFlate, "is bounded", { to: ["png"] }),
  attack("PDF3-forms", "forms that show each other 10¹¹ times", nestedForms, "is bounded", { to: ["png", "svg"] }),
  attack(
    "PDF4-loop",
    "a tree of pages that contains itself",
    () => pdf([catalogue, "<</Type/Pages/Kids[2 0 R]/Count 1>>"]),
    "INVALID_INPUT",
  ),
  attack(
    "PDF4-count",
    "a billion pages, by the count alone",
    () => pdf([catalogue, "<</Type/Pages/Kids[3 0 R]/Count 999999999>>", page("")]),
    "INVALID_INPUT",
    { to: ["txt"] },
  ),
  attack(
    "PDF4-pages",
    "200,000 pages that are one",
    () => pdf([catalogue, `<</Type/Pages/Kids[${"3 0 R ".repeat(200_000)}]/Count 200000>>`, page("")]),
    "INVALID_INPUT",
    { to: ["txt"] },
  ),
  attack("PDF5-image", "a picture of 10 gigapixels", () => vastImage(100_000), "is bounded", { to: ["png"] }),
  attack(
    "PDF6-actions",
    "scripts, links and launches on opening",
    ({ url, outDir }) =>
      pdf([
        `<</Type/Catalog/Pages 2 0 R/OpenAction<</S/JavaScript/JS(app.launchURL\\("${url}/js"\\))>>/AA<</WC<</S/URI/URI(${url}/uri)>>/O<</S/Launch/F(/bin/touch)/P(${outDir}/launch)>>>>>>`,
        pages,
        page("/Contents 4 0 R/AA<</O<</S/SubmitForm/F(http://127.0.0.1/form)>>>>"),
        stream("0 0 9 9 re f"),
      ]),
    "converts",
    { to: ["png", "svg"] },
  ),
  attack(
    "PDF6-file",
    "a stream that is kept in a file of the host",
    ({ secretFile }) => shown(Buffer.from(`<</Length 0/F(${secretFile})>>stream\n\nendstream`)),
    "converts",
    { to: ["png", "svg"] },
  ),
  attack(
    "PDF6-url",
    "a stream that is kept at an address",
    ({ url }) => shown(Buffer.from(`<</Length 0/F<</FS/URL/F(${url}/stream)>>>>stream\n\nendstream`)),
    "converts",
    { to: ["png"] },
  ),
  attack("PDF4-many", "twelve thousand real pages", () => manyPages(12_000), "INPUT_TOO_COMPLEX", { to: ["txt"] }),
  attack("PDF7-user", "locked by a password", () => protectedPdf("secret"), "PASSWORD_REQUIRED"),
  attack("PDF7-owner", "locked against its owner's readers only", () => protectedPdf(""), "converts", { to: ["png"] }),
];
