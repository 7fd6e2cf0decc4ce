import { constants, crc32, deflateRawSync } from "node:zlib";

export type ZipPart = {
  /** A Buffer for a name in a code page, as old programs write it. */
  readonly name: string | Buffer;
  readonly content: string | Uint8Array;
  readonly isEncrypted?: boolean;
  /** A false size for the headers. */
  readonly statedBytes?: number;
  /** Points at the first part's data instead of having its own. */
  readonly overlaps?: boolean;
  /** Not compressed, as a `mimetype` must be. */
  readonly isStored?: boolean;
  /** A symbolic link, as Unix archivers mark it. */
  readonly isLink?: boolean;
  /** Repeats the content this often without holding it in memory. */
  readonly repeat?: number;
};

/** A zip file, possibly one that no honest program would write. */
export function zipFile(parts: readonly ZipPart[], prefix = Buffer.alloc(0)): Buffer {
  const locals: Buffer[] = [];
  const records: Buffer[] = [];
  let offset = 0;
  for (const part of parts) {
    const content = Buffer.from(part.content);
    const packed = part.overlaps === true ? Buffer.alloc(0) : packedOf(part, content);
    const sizeBytes = content.length * (part.repeat ?? 1);
    const name = typeof part.name === "string" ? Buffer.from(part.name) : part.name;
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(part.isEncrypted === true ? 1 : 0, 2);
    fields.writeUInt16LE(part.isStored === true ? 0 : 8, 4);
    fields.writeUInt32LE(crc32(content), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(part.statedBytes ?? sizeBytes, 18);
    fields.writeUInt16LE(name.length, 22);
    const record = Buffer.alloc(46);
    record.writeUInt32LE(0x02014b50, 0);
    record.writeUInt16LE(part.isLink === true ? 0x0314 : 20, 4);
    if (part.isLink === true) record.writeUInt32LE((0o120777 << 16) >>> 0, 38);
    fields.copy(record, 6);
    record.writeUInt32LE(part.overlaps === true ? 0 : offset, 42);
    records.push(record, name);
    if (part.overlaps === true) continue;
    const local = Buffer.concat([Buffer.from("PK\x03\x04", "latin1"), fields, name, packed]);
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(records);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([prefix, ...locals, directory, end]);
}

function packedOf({ isStored = false, repeat = 1 }: ZipPart, content: Buffer): Buffer {
  if (isStored) return content;
  if (repeat === 1) return deflateRawSync(content, { level: 9 });
  // Blocks after a full flush are independent, so one can be written many times.
  const block = deflateRawSync(content, { level: 9, finishFlush: constants.Z_FULL_FLUSH });
  return Buffer.concat([...Array<Buffer>(repeat - 1).fill(block), deflateRawSync(content, { level: 9 })]);
}

/** The minimum that LibreOffice and pandoc accept as a DOCX. */
export function docxFile(body: string, { before = "", extra = [] }: { before?: string; extra?: readonly ZipPart[] } = {}): Buffer {
  const relationships = "http://schemas.openxmlformats.org/package/2006/relationships";
  const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument";
  const word = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
  const declaration = '<?xml version="1.0" encoding="UTF-8"?>';
  return zipFile([
    {
      name: "[Content_Types].xml",
      content: `${declaration}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
    },
    {
      name: "_rels/.rels",
      content: `${declaration}<Relationships xmlns="${relationships}"><Relationship Id="rId1" Type="${office}" Target="word/document.xml"/></Relationships>`,
    },
    { name: "word/document.xml", content: `${declaration}${before}<w:document xmlns:w="${word}"><w:body>${body}</w:body></w:document>` },
    ...extra,
  ]);
}
