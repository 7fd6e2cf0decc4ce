/** Classes LO1 to LO8: links, fields, macros, entities, type confusion, bombs, slowness and encryption in office documents. */
import { compoundFile } from "#test/harness/compound-file.ts";
import { zipFile } from "#test/harness/zip-file.ts";
import { type Aim, type Attack, attackOnTo, early } from "./attack.ts";
import { docx, field, linkedPicture, odf, odfSpaces, paragraph, relation, xml } from "./office-files.ts";

const framed = (inner: string) =>
  `<text:p><draw:frame svg:width="8cm" svg:height="2cm" text:anchor-type="as-char">${inner}</draw:frame></text:p>`;
const image = (href: string) => framed(`<draw:image xlink:href="${href}" xlink:type="simple" xlink:show="embed" xlink:actuate="onLoad"/>`);
const cell = (formula: string) =>
  `<table:table-row><table:table-cell table:formula="of:${formula}" office:value-type="string"><text:p>?</text:p></table:table-cell></table:table-row>`;

function macro({ outDir }: Aim): Buffer {
  const library = 'xmlns:library="http://openoffice.org/2000/library" xmlns:xlink="http://www.w3.org/1999/xlink"';
  const basic = `Sub Main\nShell("/usr/bin/touch ${outDir}/macro")\nEnd Sub`;
  const listener =
    '<office:event-listeners><script:event-listener script:language="ooo:script" script:event-name="dom:load" xlink:href="vnd.sun.star.script:Standard.M.Main?language=Basic&amp;location=document" xlink:type="simple"/></office:event-listeners>';
  return odf("text", "<text:p>Macro</text:p>", {
    scripts: listener,
    extra: [
      {
        name: "Basic/script-lc.xml",
        content: `${xml}<library:libraries ${library}><library:library library:name="Standard" library:link="false"/></library:libraries>`,
      },
      {
        name: "Basic/Standard/script-lb.xml",
        content: `${xml}<library:library ${library} library:name="Standard" library:readonly="false" library:passwordprotected="false"><library:element library:name="M"/></library:library>`,
      },
      {
        name: "Basic/Standard/M.xml",
        content: `${xml}<script:module xmlns:script="http://openoffice.org/2000/script" script:name="M" script:language="StarBasic">${basic}</script:module>`,
      },
    ],
  });
}

export const linkedDocx = ({ url, secretPicture }: Aim): Buffer =>
  docx(paragraph("Linked") + linkedPicture("rIdA") + linkedPicture("rIdB"), {
    links: relation("rIdA", "image", `${url}/docx.png`, true) + relation("rIdB", "image", `file://${secretPicture}`, true),
  });
export const linkedOdt = ({ url, secretPicture }: Aim): Buffer =>
  odf(
    "text",
    `<text:p>Linked</text:p>${image(`${url}/odt.png`)}${image(`file://${secretPicture}`)}${image(`../../../../../..${secretPicture}`)}`,
  );

const entities = Array.from(
  { length: 10 },
  (_, level) => `<!ENTITY l${level} "${level === 0 ? "lol" : `&l${level - 1};`.repeat(10)}">`,
).join("");
const manyParts = Array.from({ length: 150 }, (_, index) => ({ name: `word/a${index}.xml`, content: `${xml}<a/>` }));
const embedded = (href: string) =>
  framed(`<draw:object xlink:href="${href}" xlink:type="simple"/>`) +
  framed(`<draw:floating-frame xlink:href="${href}" xlink:type="simple"/>`);
const section = (name: string, href: string) =>
  `<text:section text:name="${name}"><text:section-source xlink:href="${href}" xlink:type="simple" text:filter-name="Text"/><text:p>old</text:p></text:section>`;
const nestedTables = (depth: number): string => {
  const open =
    '<table:table><table:table-column table:number-columns-repeated="2"/><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell><table:table-cell>';
  return `${open.repeat(depth)}<text:p>x</text:p>${"</table:table-cell></table:table-row></table:table>".repeat(depth)}`;
};

const attack = attackOnTo("libreoffice", ["pdf"]);

export const officeAttacks: readonly Attack[] = [
  attack("LO1-docx", "linked pictures of the host and the network in a DOCX", "a.docx", linkedDocx, "converts", {
    to: ["pdf", "odt", "html"],
  }),
  attack("LO1-odt", "linked pictures in an ODT", "a.odt", linkedOdt, "converts", { to: ["pdf", "docx"] }),
  attack(
    "LO1-objects",
    "linked objects and frames in an ODT",
    "a.odt",
    ({ url, secretFile }) => odf("text", `<text:p>Objects</text:p>${embedded(`${url}/a.odt`)}${embedded(`file://${secretFile}`)}`),
    "converts",
  ),
  attack(
    "LO1-flat",
    "linked pictures in a flat XML document",
    "a.fodt",
    ({ url, secretPicture }) =>
      `${xml}<office:document ${odfSpaces} office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.text"><office:body><office:text><text:p>Flat</text:p>${image(`${url}/fodt.png`)}${image(`file://${secretPicture}`)}</office:text></office:body></office:document>`,
    "converts",
  ),
  attack(
    "LO1-html",
    "frames and pictures in HTML on its way to Word",
    "a.html",
    ({ url, secretPicture, secretFile }) =>
      `<html><body><p>Page</p><img src="${url}/lo.png"><img src="file://${secretPicture}"><iframe src="file://${secretFile}"></iframe><link rel=stylesheet href="${url}/lo.css"></body></html>`,
    "converts",
    { to: ["doc"] },
  ),
  attack(
    "LO2-template",
    "a template that is kept at an address",
    "a.docx",
    ({ url }) => docx(paragraph("Template"), { template: `${url}/a.dotm` }),
    "converts",
  ),
  attack(
    "LO2-fields",
    "fields that include files and start programs",
    "a.docx",
    ({ url, secretFile, secretPicture }) =>
      docx(
        field(`INCLUDETEXT "${secretFile}"`) +
          field(`INCLUDEPICTURE "${secretPicture}"`) +
          field(`INCLUDEPICTURE "${url}/a.png" \\d`) +
          field(`DDEAUTO soffice "${secretFile}" "a"`),
      ),
    "converts",
    { to: ["pdf", "txt"] },
  ),
  attack(
    "LO2-section",
    "sections that are other files",
    "a.odt",
    ({ url, secretFile }) =>
      odf("text", `<text:p>Sections</text:p>${section("s1", `file://${secretFile}`)}${section("s2", `${url}/a.txt`)}`),
    "converts",
    { to: ["pdf", "docx"] },
  ),
  attack(
    "LO2-formulas",
    "formulas that fetch (CVE-2018-6871)",
    "a.ods",
    ({ url, secretFile }) =>
      odf(
        "spreadsheet",
        `<table:table table:name="S">${[`=WEBSERVICE(&quot;${url}/ws&quot;)`, `=WEBSERVICE(&quot;file://${secretFile}&quot;)`, `='file://${secretFile}'#$Sheet1.A1`, `=COM.MICROSOFT.WEBSERVICE(&quot;${url}/ws2&quot;)`, `=DDE(&quot;soffice&quot;;&quot;${secretFile}&quot;;&quot;A1&quot;)`].map(cell).join("")}</table:table>`,
      ),
    "converts",
    { to: ["pdf", "csv", "xlsx"] },
  ),
  attack(
    "LO2-source",
    "a sheet that is kept at an address",
    "a.ods",
    ({ url }) =>
      odf(
        "spreadsheet",
        `<table:table table:name="S"><table:table-source xlink:type="simple" xlink:href="${url}/a.csv" table:filter-name="Text - txt - csv (StarCalc)" table:filter-options="44,34,0,1" table:table-name="x" table:mode="copy-all"/><table:table-row><table:table-cell office:value-type="string"><text:p>a</text:p></table:table-cell></table:table-row></table:table>`,
      ),
    "converts",
    { to: ["xlsx"] },
  ),
  attack(
    "LO2-rtf",
    "an RTF with fields and a template",
    "a.rtf",
    ({ url, secretFile }) =>
      `{\\rtf1 A {\\field{\\*\\fldinst INCLUDEPICTURE "${url}/rtf.png" \\\\d}{\\fldrslt x}} {\\field{\\*\\fldinst INCLUDETEXT "${secretFile}"}{\\fldrslt y}}{\\*\\template ${url}/rtf.dot}}`,
    "converts",
    { to: ["pdf", "txt"] },
  ),
  attack(
    "LO2-csv",
    "formulas in a table of text",
    "a.csv",
    ({ url }) => `a,b\n"=WEBSERVICE(""${url}/csv"")",x\n=1+1,"=HYPERLINK(""${url}"")"\n`,
    "converts",
    { to: ["xlsx", "pdf"] },
  ),
  attack("LO3-macro", "a macro on opening", "a.odt", macro, "converts"),
  attack(
    "LO4-external",
    "an entity that is a file of the host",
    "a.docx",
    ({ secretFile }) =>
      docx("<w:p><w:r><w:t>&x;</w:t></w:r></w:p>", {
        before: `<?xml version="1.0"?><!DOCTYPE d [<!ENTITY x SYSTEM "file://${secretFile}">]>`,
      }),
    "INVALID_INPUT",
    { ...early, to: ["pdf", "html"] },
  ),
  attack(
    "LO4-entities",
    "entities that expand to a billion",
    "a.docx",
    () => docx("<w:p><w:r><w:t>&l9;</w:t></w:r></w:p>", { before: `<?xml version="1.0"?><!DOCTYPE d [${entities}]>` }),
    "INPUT_TOO_COMPLEX",
    early,
  ),
  attack(
    "LO4-hidden",
    "such entities in the hundred and fiftieth part",
    "a.docx",
    () =>
      docx(paragraph("a"), {
        extra: [...manyParts, { name: "word/footnotes.xml", content: `<?xml version="1.0"?><!DOCTYPE d [${entities}]><a>&l9;</a>` }],
      }),
    "INPUT_TOO_COMPLEX",
    early,
  ),
  attack(
    "LO4-late",
    "such entities behind a long comment",
    "a.docx",
    () =>
      docx("<w:p><w:r><w:t>&l9;</w:t></w:r></w:p>", {
        before: `<?xml version="1.0"?><!--${letters(400_000)}--><!DOCTYPE d [${entities}]>`,
      }),
    "INPUT_TOO_COMPLEX",
    early,
  ),
  attack("LO5-text", "plain text claimed to be a DOCX", "a.docx", () => "plain text", "INVALID_INPUT", { ...early, query: "from=docx" }),
  attack(
    "LO5-film",
    "a film claimed to be a DOCX",
    "a.docx",
    () => Buffer.from("\0\0\0\x18ftypisom\0\0\0\0isommp41", "latin1"),
    "INVALID_INPUT",
    { ...early, query: "from=docx" },
  ),
  attack(
    "LO5-sheet",
    "a spreadsheet claimed to be a letter",
    "a.docx",
    () =>
      zipFile([
        { name: "[Content_Types].xml", content: "<Types/>" },
        { name: "xl/workbook.xml", content: "<workbook/>" },
      ]),
    "INVALID_INPUT",
    { query: "from=docx" },
  ),
  attack(
    "LO6-bomb",
    "a gigabyte of paragraphs in 1 MB",
    "a.docx",
    () => docx("", { extra: [{ name: "word/big.xml", content: Buffer.alloc(1_000_000, "A"), repeat: 1000 }] }),
    "INPUT_TOO_COMPLEX",
    early,
  ),
  attack(
    "LO6-lie",
    "a gigabyte that claims to be a kilobyte",
    "a.docx",
    () =>
      docx(paragraph("a"), { extra: [{ name: "word/big.xml", content: Buffer.alloc(1_000_000, "A"), repeat: 1000, statedBytes: 1000 }] }),
    "INPUT_TOO_COMPLEX",
    early,
  ),
  attack("LO7-tables", "tables inside tables, 300 deep", "a.odt", () => odf("text", nestedTables(300)), "is bounded"),
  attack(
    "LO7-cells",
    "a billion equal cells",
    "a.ods",
    () =>
      odf(
        "spreadsheet",
        '<table:table table:name="S"><table:table-row table:number-rows-repeated="1000000"><table:table-cell table:number-columns-repeated="1000" office:value-type="string"><text:p>aaaaaaaa</text:p></table:table-cell></table:table-row></table:table>',
      ),
    "is bounded",
    { to: ["xlsx"] },
  ),
  attack(
    "LO8-ooxml",
    "a DOCX with a password",
    "a.docx",
    () => compoundFile({ EncryptionInfo: new Uint8Array(200), EncryptedPackage: new Uint8Array(9000) }),
    "PASSWORD_REQUIRED",
    { ...early, query: "from=docx" },
  ),
  attack(
    "LO8-odf",
    "an ODT with a password",
    "a.odt",
    () =>
      odf("text", "", {
        manifest:
          '<manifest:file-entry manifest:full-path="x.xml" manifest:media-type="text/xml"><manifest:encryption-data/></manifest:file-entry>',
      }),
    "PASSWORD_REQUIRED",
    early,
  ),
];

/** Incompressible text. */
function letters(count: number): string {
  let state = 7;
  let text = "";
  while (text.length < count) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    text += (state >>> 4).toString(36);
  }
  return text;
}
