/** Minimal Word documents, part by part. */
import { strFromU8, strToU8, unzipSync, zipSync } from "fflate";

const names = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const packageNames = "http://schemas.openxmlformats.org/package/2006";
const wordTypes = "application/vnd.openxmlformats-officedocument.wordprocessingml";

export function docx(body: string, styles = "", comments = ""): Buffer {
  const parts = { document: `<w:body>${body}</w:body>`, styles, comments };
  const files = Object.entries(parts).map(([name, xml]) => [
    `word/${name}.xml`,
    strToU8(`<?xml version="1.0" encoding="UTF-8"?><w:${name} ${names}>${xml}</w:${name}>`),
  ]);
  const types = Object.keys(parts).map(
    (name) => `<Override PartName="/word/${name}.xml" ContentType="${wordTypes}.${name === "document" ? "document.main" : name}+xml"/>`,
  );
  const relations = ["styles", "comments"].map((name) => `<Relationship Id="${name}" Type="${office}/${name}" Target="${name}.xml"/>`);
  return Buffer.from(
    zipSync({
      ...Object.fromEntries(files),
      "[Content_Types].xml": strToU8(
        `<Types xmlns="${packageNames}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>${types.join("")}</Types>`,
      ),
      "_rels/.rels": strToU8(
        `<Relationships xmlns="${packageNames}/relationships"><Relationship Id="a" Type="${office}/officeDocument" Target="word/document.xml"/></Relationships>`,
      ),
      "word/_rels/document.xml.rels": strToU8(`<Relationships xmlns="${packageNames}/relationships">${relations.join("")}</Relationships>`),
    }),
  );
}

export const text = (content: string) => `<w:t xml:space="preserve">${content}</w:t>`;
export const line = (content: string, properties = "") => `<w:p>${properties}<w:r>${text(content)}</w:r></w:p>`;
/** An insertion, a deletion, and a comment. */
export const revised = docx(
  `<w:p><w:r>${text("kept ")}</w:r><w:ins w:id="1" w:author="Ada" w:date="2024-01-01T00:00:00Z"><w:r>${text("new")}</w:r></w:ins>` +
    `<w:del w:id="2" w:author="Ada" w:date="2024-01-01T00:00:00Z"><w:r><w:delText>old</w:delText></w:r></w:del>` +
    `<w:commentRangeStart w:id="0"/><w:r>${text(" end")}</w:r><w:commentRangeEnd w:id="0"/><w:r><w:commentReference w:id="0"/></w:r></w:p>`,
  "",
  `<w:comment w:id="0" w:author="Ada" w:date="2024-01-01T00:00:00Z" w:initials="A">${line("Why?")}</w:comment>`,
);

/** The same document with other names for its parts, which the standard allows. Only the relationships lead to them. */
export function renamed(document: Uint8Array): Buffer {
  const made = Object.entries(unzipSync(document)).map(([name, content]) => {
    const isTold = name.endsWith(".rels") || name.startsWith("[");
    const told = strFromU8(content).replace(/\b(document|styles|comments|footnotes)\.xml/g, "$1Of7.xml");
    return [name.replace(/\b(document|styles|comments|footnotes)\.xml/, "$1Of7.xml"), isTold ? strToU8(told) : content] as const;
  });
  return Buffer.from(zipSync(Object.fromEntries(made)));
}
