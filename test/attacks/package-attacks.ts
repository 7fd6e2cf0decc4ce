/** Classes Z1 to Z3 and PO1: containers that leave their folder, expand, overlap or are polyglots. */
import { type ZipPart, zipFile } from "#test/harness/zip-file.ts";
import type { Attack } from "./attack.ts";
import { docx, odf, paragraph } from "./office-files.ts";
import { png } from "./picture-files.ts";

const attack = (
  id: string,
  what: string,
  fileName: string,
  content: Attack["content"],
  outcome: Attack["outcome"],
  more: Partial<Attack> = {},
): Attack => ({
  ...{ id, what, engine: "libreoffice" as const, fileName, content, outcome, to: ["pdf"], isEarly: true },
  ...more,
});
const letter = (...extra: ZipPart[]): Buffer => docx(paragraph("Letter"), { extra });
const zeros = Buffer.alloc(1_000_000);

/** Nested zip files, each slightly larger than the one inside. */
function nestedZip(depth: number): Buffer {
  let inner = zipFile([{ name: "a.txt", content: "a" }]);
  for (let level = 0; level < depth; level++) inner = zipFile([{ name: "a.zip", content: inner }]);
  return inner;
}

const swollen = (megabytes: number): Buffer => zipFile([{ name: "a.xml", content: zeros, repeat: megabytes, statedBytes: 10 }]);

/** Sets the last entry's lengths in both headers to a few bytes. */
function understated(bytes: Buffer): Buffer {
  const record = bytes.lastIndexOf("PK\x01\x02", undefined, "latin1");
  const local = bytes.readUInt32LE(record + 42);
  for (const at of [local + 18, local + 22, record + 20, record + 24]) bytes.writeUInt32LE(50, at);
  return bytes;
}

export const packageAttacks: readonly Attack[] = [
  attack(
    "Z1-above",
    "a part that is stored above the folder",
    "a.docx",
    ({ outDir }) => letter({ name: `../../../../../..${outDir}/slip`, content: "x" }),
    "INVALID_INPUT",
    { to: ["pdf", "md"] },
  ),
  attack(
    "Z1-root",
    "a part with an absolute path",
    "a.odt",
    ({ outDir }) => odf("text", "<text:p>a</text:p>", { extra: [{ name: `${outDir}/slip`, content: "x" }] }),
    "INVALID_INPUT",
  ),
  attack(
    "Z1-drive",
    "a part on a drive of another system",
    "a.docx",
    () => letter({ name: "C:\\Windows\\slip", content: "x" }),
    "INVALID_INPUT",
  ),
  attack(
    "Z1-link",
    "a part that is a link to a host's file",
    "a.docx",
    ({ secretFile }) => letter({ name: "word/media/image1.png", content: secretFile, isLink: true }),
    "INVALID_INPUT",
  ),
  attack(
    "Z2-swell",
    "four gigabytes by the directory's own words",
    "a.docx",
    () => letter({ name: "word/a.xml", content: "", statedBytes: 4_000_000_000 }),
    "INPUT_TOO_COMPLEX",
  ),
  attack(
    "Z2-overlap",
    "parts that share their bytes",
    "a.docx",
    () =>
      letter(...Array.from({ length: 50 }, (_, index) => ({ name: `word/a${index}.xml`, content: "", overlaps: true, statedBytes: 1000 }))),
    "INPUT_TOO_COMPLEX",
  ),
  attack(
    "Z2-many",
    "60,000 empty parts",
    "a.docx",
    () => letter(...Array.from({ length: 60_000 }, (_, index) => ({ name: `a${index}`, content: "", isStored: true }))),
    "INPUT_TOO_COMPLEX",
  ),
  attack(
    "Z2-book",
    "an e-book that swells and lies about it",
    "a.epub",
    () =>
      zipFile([
        { name: "mimetype", content: "application/epub+zip", isStored: true },
        { name: "META-INF/container.xml", content: "<container/>" },
        { name: "a.xhtml", content: zeros, repeat: 2000, statedBytes: 10 },
      ]),
    "INPUT_TOO_COMPLEX",
    { engine: "pandoc", to: ["html"] },
  ),
  attack(
    "Z2-nested",
    "archives inside archives inside a document",
    "a.docx",
    () => letter({ name: "word/embeddings/a.zip", content: nestedZip(12) }),
    "INPUT_TOO_COMPLEX",
  ),
  attack(
    "Z2-embedded",
    "a workbook in a letter that swells to gigabytes, by its own words to nothing",
    "a.odt",
    () => odf("text", "<text:p>a</text:p>", { extra: [{ name: "Object 1/a.xlsx", content: swollen(2000) }] }),
    "INPUT_TOO_COMPLEX",
    { to: ["pdf", "docx"] },
  ),
  attack(
    "Z2-cut",
    "a part whose stated length, packed and unpacked, ends before its swelling",
    "a.docx",
    () => understated(letter({ name: "word/a.bin", content: zeros, repeat: 2000 })),
    "INPUT_TOO_COMPLEX",
  ),
  attack(
    "Z3-locked",
    "a part with a password",
    "a.docx",
    () => letter({ name: "word/a.xml", content: "x", isEncrypted: true }),
    "PASSWORD_REQUIRED",
  ),
  attack("Z3-cut", "a document that was cut off", "a.docx", () => letter().subarray(0, -60), "INVALID_INPUT", { query: "from=docx" }),
  attack(
    "PO1-page",
    "a web page named .pdf",
    "a.pdf",
    ({ url }) => `<html><script src="${url}/a.js"></script><p>page</p></html>`,
    "INVALID_INPUT",
    { engine: "poppler", to: ["png"], query: "from=pdf" },
  ),
  attack(
    "PO1-both",
    "a picture that is an archive too",
    "a.png",
    () => Buffer.concat([png({ width: 8, height: 8 }), zipFile([{ name: "a.class", content: "x" }])]),
    "converts",
    { engine: "sharp", to: ["webp"], isEarly: false },
  ),
  attack(
    "PO1-late",
    "a PDF that begins as a program",
    "a.pdf",
    () => Buffer.from("MZ\x90\0%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF", "latin1"),
    "INVALID_INPUT",
    { engine: "poppler", to: ["txt"], query: "from=pdf", isEarly: false },
  ),
];
