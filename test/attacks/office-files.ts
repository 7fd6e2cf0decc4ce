/** Builds small office documents with arbitrary content. */
import { type ZipPart, zipFile } from "#test/harness/zip-file.ts";

export const xml = '<?xml version="1.0" encoding="UTF-8"?>';
const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const packageRelations = "http://schemas.openxmlformats.org/package/2006/relationships";
const wordSpaces = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="${office}" xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"`;
const relations = (...rows: string[]) => `${xml}<Relationships xmlns="${packageRelations}">${rows.join("")}</Relationships>`;
export const relation = (id: string, type: string, target: string, isExternal = false) =>
  `<Relationship Id="${id}" Type="${office}/${type}" Target="${target}"${isExternal ? ' TargetMode="External"' : ""}/>`;

type Docx = { links?: string; template?: string; before?: string; extra?: readonly ZipPart[] };

export function docx(body: string, { links = "", template = "", before = xml, extra = [] }: Docx = {}): Buffer {
  const type = (part: string, kind: string) =>
    `<Override PartName="/word/${part}.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.${kind}+xml"/>`;
  const types = `${xml}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${type("document", "document.main")}${type("settings", "settings")}</Types>`;
  const attached = template === "" ? "" : '<w:attachedTemplate r:id="rIdT"/>';
  return zipFile([
    { name: "[Content_Types].xml", content: types },
    { name: "_rels/.rels", content: relations(relation("rId1", "officeDocument", "word/document.xml")) },
    { name: "word/_rels/document.xml.rels", content: relations(relation("rIdS", "settings", "settings.xml"), links) },
    { name: "word/settings.xml", content: `${xml}<w:settings ${wordSpaces}>${attached}</w:settings>` },
    ...(template === ""
      ? []
      : [{ name: "word/_rels/settings.xml.rels", content: relations(relation("rIdT", "attachedTemplate", template, true)) }]),
    { name: "word/document.xml", content: `${before}<w:document ${wordSpaces}><w:body>${body}</w:body></w:document>` },
    ...extra,
  ]);
}

export const paragraph = (text: string) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;
export const field = (code: string) =>
  `<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText xml:space="preserve"> ${code} </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>field</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>`;
export const linkedPicture = (id: string) =>
  `<w:p><w:r><w:drawing><wp:inline><wp:extent cx="2857500" cy="571500"/><wp:docPr id="1" name="p"/><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:pic><pic:nvPicPr><pic:cNvPr id="0" name="p"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip r:link="${id}"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="2857500" cy="571500"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`;

const openSpaces = ["office", "text", "table", "script"]
  .map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`)
  .join(" ");
export const odfSpaces = `${openSpaces} xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" xmlns:of="urn:oasis:names:tc:opendocument:xmlns:of:1.2" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dom="http://www.w3.org/2001/xml-events"`;

type Odf = { scripts?: string; extra?: readonly ZipPart[]; manifest?: string };

export function odf(kind: "text" | "spreadsheet", body: string, { scripts = "", extra = [], manifest = "" }: Odf = {}): Buffer {
  const type = `application/vnd.oasis.opendocument.${kind}`;
  const entry = (path: string, media: string) => `<manifest:file-entry manifest:full-path="${path}" manifest:media-type="${media}"/>`;
  const entries =
    entry("/", type) +
    entry("content.xml", "text/xml") +
    entry("styles.xml", "text/xml") +
    extra.map(({ name }) => entry(String(name), "text/xml")).join("") +
    manifest;
  return zipFile([
    { name: "mimetype", content: type, isStored: true },
    {
      name: "META-INF/manifest.xml",
      content: `${xml}<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0" manifest:version="1.2">${entries}</manifest:manifest>`,
    },
    {
      name: "content.xml",
      content: `${xml}<office:document-content ${odfSpaces} office:version="1.2"><office:scripts>${scripts}</office:scripts><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document-content>`,
    },
    { name: "styles.xml", content: `${xml}<office:document-styles ${odfSpaces} office:version="1.2"/>` },
    ...extra,
  ]);
}
