/**
 * The objects of an iWork document since 2013: Protobuf messages in Snappy blocks in the `.iwa` parts of a ZIP. Apple does not publish the
 * format; field numbers are those that the community found (https://github.com/obriensp/iWorkFileFormat).
 */
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { CFB } from "@e965/xlsx";
import { Failure, inexpressible, invalid } from "../failure.ts";
import { compressors } from "./columns.ts";

/** A message whose schema is known to its reader. Fields of fixed width are not kept. */
export class Message {
  readonly #fields = new Map<number, (number | Uint8Array)[]>();

  constructor(bytes: Uint8Array) {
    const reader = new BinaryReader(bytes);
    while (reader.pos < reader.len) {
      const [field, wire] = reader.tag();
      const value = wire === WireType.Varint ? Number(reader.uint64()) : wire === WireType.LengthDelimited ? reader.bytes() : undefined;
      if (value === undefined) reader.skip(wire, field);
      else {
        const known = this.#fields.get(field);
        if (known === undefined) this.#fields.set(field, [value]);
        else known.push(value);
      }
    }
  }

  number(field: number): number | undefined {
    const value = this.#fields.get(field)?.[0];
    return typeof value === "number" ? value : undefined;
  }

  every(field: number): readonly Uint8Array[] {
    return (this.#fields.get(field) ?? []).filter((value) => typeof value !== "number");
  }

  bytes(field: number): Uint8Array | undefined {
    return this.every(field)[0];
  }

  text(field: number): string | undefined {
    const bytes = this.bytes(field);
    return bytes === undefined ? undefined : Buffer.from(bytes).toString();
  }

  messages(field: number): readonly Message[] {
    return this.every(field).map((bytes) => new Message(bytes));
  }

  message(field: number): Message | undefined {
    const bytes = this.bytes(field);
    return bytes === undefined ? undefined : new Message(bytes);
  }

  /** Identifiers of the objects that the field refers to. */
  references(field: number): readonly number[] {
    return this.messages(field).flatMap((reference) => reference.number(1) ?? []);
  }
}

export type ArchivedObject = { readonly type: number; readonly message: Message };

/** Finds an object by its identifier. */
export type FindObject = (identifier: number | undefined) => ArchivedObject | undefined;

/** Undefined for any other file. */
export function openIWork(bytes: Uint8Array): FindObject | undefined {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (whole.toString("latin1", 0, 2) !== "PK" || !marks.some((mark) => whole.includes(mark))) return undefined;
  const parts = partsOf(bytes);
  if (parts.has(".iwpv2"))
    throw new Failure("PASSWORD_REQUIRED", "The file is protected by a password; remove the password and try again.");
  const stored = new Map<number, { readonly type: number; readonly bytes: Uint8Array }>();
  for (const [name, content] of parts)
    if (name.endsWith(".iwa")) for (const [id, object] of objectsIn(blocksOf(content))) stored.set(id, object);
  if (stored.size === 0) throw new Failure("CONVERSION_FAILED", "The document was made by a version of Numbers before 2013.", true);
  return (identifier) => {
    const found = stored.get(identifier ?? -1);
    return found && { type: found.type, message: new Message(found.bytes) };
  };
}

/** Names of parts: of documents since 2013, of those that were folders once, and of older ones. */
const marks = [".iwa", "/Index.zip", "buildVersionHistory.plist"];

type Packages = { read(bytes: Buffer, options: { type: "buffer" }): { FullPaths: string[]; FileIndex: { content?: Uint8Array }[] } };

/** Content by name. Packages that were folders once have their parts in a ZIP of their own. */
function partsOf(bytes: Uint8Array): ReadonlyMap<string, Uint8Array> {
  const { FullPaths, FileIndex } = (CFB as Packages).read(Buffer.from(bytes), { type: "buffer" });
  const parts = new Map<string, Uint8Array>();
  for (const [place, path] of FullPaths.entries()) {
    const content = FileIndex[place]?.content;
    if (content === undefined) continue;
    if (path.endsWith("/Index.zip")) for (const [name, part] of partsOf(content)) parts.set(name, part);
    else parts.set(path.slice(path.lastIndexOf("/") + 1), content);
  }
  return parts;
}

/** Snappy blocks without checksums, each after four bytes: a zero and its length. Empty for another kind of part. */
function blocksOf(content: Uint8Array): Uint8Array {
  const blocks: Uint8Array[] = [];
  if (content[0] !== 0) return Buffer.alloc(0);
  for (let at = 0; at + 4 <= content.length; ) {
    const length = Buffer.from(content.subarray(at + 1, at + 4)).readUIntLE(0, 3);
    const block = content.subarray(at + 4, at + 4 + length);
    const size = new BinaryReader(block).uint32();
    // Snappy never makes data more than about twenty times smaller.
    if (content[at] !== 0 || block.length < length || size > length * 64 || compressors.SNAPPY === undefined)
      throw invalid("The file is damaged.");
    blocks.push(compressors.SNAPPY(block, size));
    at += 4 + length;
  }
  return Buffer.concat(blocks);
}

/** Each object's header tells its identifier, and the types and lengths of its messages, of which the first is the object itself. */
function* objectsIn(bytes: Uint8Array): Generator<readonly [number, { readonly type: number; readonly bytes: Uint8Array }]> {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const header = new Message(reader.bytes());
    const id = header.number(1);
    for (const [place, each] of header.messages(2).entries()) {
      const start = reader.pos;
      reader.pos += each.number(3) ?? 0;
      if (reader.pos > reader.len) throw invalid("The file is damaged.");
      if (place === 0 && id !== undefined) yield [id, { type: each.number(1) ?? 0, bytes: bytes.subarray(start, reader.pos) }];
    }
  }
}

/** For a reference that leads nowhere. */
export const incomplete = () => inexpressible("The document lacks a part that it refers to.");
