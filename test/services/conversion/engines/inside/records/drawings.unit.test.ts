import * as workbooks from "@e965/xlsx";
import { expect, it } from "vitest";
import type { Notes } from "#services/conversion/engines/inside/exchange.ts";
import { parseSheet } from "#services/conversion/engines/inside/records/sheets.ts";

const told = (bytes: Uint8Array): readonly string[] => {
  const notes: Notes = new Map();
  parseSheet(bytes, {}, notes);
  return [...notes.keys()];
};

const written = (bookType: workbooks.BookType): Buffer => {
  const sheet = workbooks.utils.aoa_to_sheet([["a"], [1]]);
  return Buffer.from(workbooks.write({ SheetNames: ["S"], Sheets: { S: sheet } }, { type: "buffer", bookType }));
};

const withPart = (path: string, content: string): Buffer => {
  const parts = workbooks.CFB.read(written("xlsx"), { type: "buffer" });
  workbooks.CFB.utils.cfb_add(parts, path, Buffer.from(content));
  return Buffer.from(workbooks.CFB.write(parts, { fileType: "zip", type: "buffer" }));
};

it("notes drawings of workbooks, but no empty drawing and no comment", () => {
  const anchor = "<xdr:wsDr><xdr:twoCellAnchor/></xdr:wsDr>";
  expect(told(withPart("/xl/drawings/drawing1.xml", anchor))).toEqual(["DRAWINGS_LEFT_OUT"]);
  expect(told(withPart("/xl/media/image1.png", "x"))).toEqual(["DRAWINGS_LEFT_OUT"]);
  expect(told(withPart("/xl/drawings/drawing1.xml", "<xdr:wsDr/>"))).toEqual([]);
  expect(told(withPart("/xl/drawings/vmlDrawing1.vml", "<x:Anchor/>"))).toEqual([]);
});

const names = ["office", "text", "table"].map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`).join(" ");
const openBook = (cells: string): Buffer =>
  Buffer.from(
    `<?xml version="1.0"?><office:document ${names} office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:styles><draw:marker/></office:styles><office:body><office:spreadsheet><table:table table:name="S"><table:table-row>${cells}</table:table-row></table:table></office:spreadsheet></office:body></office:document>`,
  );
const typed = (type: string, content: string): string => `<table:table-cell office:value-type="${type}">${content}</table:table-cell>`;

it("notes drawings of OpenDocument", () => {
  expect(told(openBook(typed("string", "<text:p>a</text:p><draw:frame/>")))).toEqual(["DRAWINGS_LEFT_OUT"]);
  expect(told(openBook(typed("string", "<text:p>a</text:p>")))).toEqual([]);
});

it("keeps the text and the day of a cell beside a picture, and takes no text of a shape for its own", () => {
  const picture = '<draw:frame draw:name="P"><draw:image><text:p/></draw:image></draw:frame>';
  const shape = "<draw:custom-shape><text:p>Shape</text:p><draw:enhanced-geometry/></draw:custom-shape>";
  const dated = `<table:table-cell office:value-type="date" office:date-value="2020-01-02"><text:p>x</text:p>${picture}</table:table-cell>`;
  const cells = typed("string", `<text:p>a</text:p>${picture}`) + typed("string", `${picture}<text:p>b</text:p>`) + dated;
  const { rows } = parseSheet(
    openBook(`${cells}<table:table-cell>${shape}</table:table-cell>${typed("string", "<text:p>z</text:p>")}`),
    { header: false },
    new Map(),
  );
  expect(rows).toEqual([["a", "b", expect.objectContaining({ text: "2020-01-02" }), null, "z"]]);
});

it.each([
  { what: "a picture", kind: 8, notes: ["DRAWINGS_LEFT_OUT"] },
  { what: "the arrow of a filter", kind: 0x14, notes: [] },
  { what: "a comment", kind: 0x19, notes: [] },
])("tells $what of an old workbook from its other objects", ({ kind, notes }) => {
  const file = workbooks.CFB.read(written("biff8"), { type: "buffer" });
  const stream = workbooks.CFB.find(file, "/Workbook");
  const object = Buffer.from([0x5d, 0, 8, 0, 0x15, 0, 4, 0, kind, 0, 1, 0]);
  if (stream) workbooks.CFB.utils.cfb_add(file, "/Workbook", Buffer.concat([Buffer.from(stream.content), object]));
  expect(told(Buffer.from(workbooks.CFB.write(file, { type: "buffer" })))).toEqual(notes);
});
