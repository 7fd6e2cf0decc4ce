import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import type { Job } from "#gen/filemill/job/v1/job_pb.ts";
import { book } from "#test/contract/notes/document-occurrences.ts";
import { opened } from "#test/harness/opened.ts";
import { zipFile } from "#test/harness/zip-file.ts";
import { openMill } from "./mill.ts";

const office = "http://schemas.openxmlformats.org";

/** A Word document: a sentence, and a text box. */
function boxed(sentences: number): Buffer {
  const paragraph = (text: string) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;
  const inside = Array.from({ length: sentences }, (_, index) => paragraph(`Boxed sentence ${index} of the quokka.`)).join("");
  const shape = `<v:shape style="width:300pt;height:200pt"><v:textbox><w:txbxContent>${inside}</w:txbxContent></v:textbox></v:shape>`;
  const body = `${paragraph("Outside of the box stands one sentence.")}<w:p><w:r><w:pict>${shape}</w:pict></w:r></w:p>`;
  const names = `xmlns:w="${office}/wordprocessingml/2006/main" xmlns:v="urn:schemas-microsoft-com:vml"`;
  const main = "application/vnd.ms-word.document.macroEnabled.main+xml";
  return zipFile([
    {
      name: "[Content_Types].xml",
      content: `<?xml version="1.0"?><Types xmlns="${office}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="${main}"/></Types>`,
    },
    {
      name: "_rels/.rels",
      content: `<?xml version="1.0"?><Relationships xmlns="${office}/package/2006/relationships"><Relationship Id="r1" Type="${office}/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`,
    },
    { name: "word/document.xml", content: `<?xml version="1.0"?><w:document ${names}><w:body>${body}</w:body></w:document>` },
  ]);
}

describe("an engine that silently leaves something out", () => {
  const mill = opened(() => openMill({ DOCUMENT_SLOTS: 1, OFFICE_SLOTS: 1 }));

  const textOf = ({ result }: Job) => readFile(mill.blobs.pathOf(result?.id ?? ""), "utf8");

  it("is replaced: LibreOffice omits text boxes of a Word document from plain text", async () => {
    const { plan } = await mill.catalogue.planRoute({ from: "docm", to: "txt" });
    expect(plan?.hops.map(({ engine }) => engine)).toEqual(["libreoffice"]);
    const job = await mill.watch(await mill.submit(boxed(20), { from: "docm", to: "txt" }));
    expect(job.error).toBeUndefined();
    expect(job.notes.map(({ code }) => code)).toContain("ALTERNATE_ROUTE");
    const text = await textOf(job);
    expect(Array.from({ length: 20 }, (_, index) => text.includes(`Boxed sentence ${index} of the quokka.`))).not.toContain(false);
  });

  it("is not replaced if a note says what is left out", async () => {
    const job = await mill.watch(await mill.submit(book, { from: "fods", to: "csv" }));
    expect(job.notes.map(({ code }) => code)).toEqual(["SHEETS_LEFT_OUT"]);
    expect((await textOf(job)).trim()).toBe("One");
  });
});
