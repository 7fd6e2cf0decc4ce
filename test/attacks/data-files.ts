/** Builds data files with arbitrary content. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { zipFile } from "#test/harness/zip-file.ts";

const latin = (text: string): Buffer => Buffer.from(text, "latin1");

/** Avro's encoding of an integer. @see Apache Avro 1.11, Binary encoding */
export function avroLong(value: bigint): Buffer {
  let rest = value << 1n;
  const bytes: number[] = [];
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return Buffer.from([...bytes, Number(rest)]);
}

export function avro(schema: string, rows: bigint, block: Buffer): Buffer {
  const name = Buffer.from("avro.schema");
  const mark = Buffer.alloc(16, 7);
  const head = [
    avroLong(1n),
    avroLong(BigInt(name.length)),
    name,
    avroLong(BigInt(schema.length)),
    Buffer.from(schema),
    avroLong(0n),
    mark,
  ];
  return Buffer.concat([latin("Obj\x01"), ...head, avroLong(rows), avroLong(BigInt(block.length)), block, mark]);
}

/** A file around metadata in compact Thrift. @see Apache Parquet, File format */
export function parquet(description: Buffer, statedBytes = description.length): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(statedBytes);
  return Buffer.concat([latin("PAR1"), description, length, latin("PAR1")]);
}

export function nestedBson(depth: number): Buffer {
  // Each level: length, type 3, name "a", the nested document, and its end.
  const size = 5 + depth * 8;
  const heads = Array.from({ length: depth }, (_, level) => {
    const head = Buffer.alloc(7);
    head.writeInt32LE(size - level * 8);
    head.set([3, 0x61, 0], 4);
    return head;
  });
  const innermost = Buffer.from([5, 0, 0, 0, 0]);
  return Buffer.concat([...heads, innermost, Buffer.alloc(depth)]);
}

/** A database created by these statements. */
export function database(...statements: readonly string[]): Buffer {
  const folder = mkdtempSync(join(tmpdir(), "filemill-sqlite-"));
  try {
    const made = new DatabaseSync(join(folder, "a.db"));
    for (const statement of statements) made.exec(statement);
    made.close();
    return readFileSync(join(folder, "a.db"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export const relations = (inner: string) =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${inner}</Relationships>`;
export const officeRelations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

export function workbook(sheet: string, extra: Parameters<typeof zipFile>[0] = [], links = ""): Buffer {
  const main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
  const types = "application/vnd.openxmlformats-officedocument.spreadsheetml";
  return zipFile([
    {
      name: "[Content_Types].xml",
      content: `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${types}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${types}.worksheet+xml"/></Types>`,
    },
    {
      name: "_rels/.rels",
      content: relations(`<Relationship Id="r1" Type="${officeRelations}/officeDocument" Target="xl/workbook.xml"/>`),
    },
    {
      name: "xl/workbook.xml",
      content: `<workbook xmlns="${main}" xmlns:r="${officeRelations}"><sheets><sheet name="a" sheetId="1" r:id="r1"/></sheets>${links === "" ? "" : '<externalReferences><externalReference r:id="r2"/></externalReferences>'}</workbook>`,
    },
    {
      name: "xl/_rels/workbook.xml.rels",
      content: relations(`<Relationship Id="r1" Type="${officeRelations}/worksheet" Target="worksheets/sheet1.xml"/>${links}`),
    },
    { name: "xl/worksheets/sheet1.xml", content: `<worksheet xmlns="${main}">${sheet}</worksheet>` },
    ...extra,
  ]);
}
