/** Outlook's envelope for bodies and attachments, which other programs show as `winmail.dat`. @see [MS-OXTNEF] */
import { decoderLabelOf } from "./decoding.ts";

const signature = 0x223e9f78;
/** Attributes of the message and of its attachments. */
const [kindOfItem, plainBody, messageProperties, codePage] = [0x78008, 0x2800c, 0x69003, 0x69007] as const;
const [newAttachment, attachedData, title, attachmentProperties] = [0x69002, 0x6800f, 0x18010, 0x69005] as const;
const [isText, isUnicode, isBinary, isObject, hasSeveral] = [0x1e, 0x1f, 0x102, 0x0d, 0x1000] as const;
const sizes: Readonly<Record<number, number>> = { 2: 4, 3: 4, 4: 4, 5: 8, 6: 8, 7: 8, 10: 4, 11: 4, 20: 8, 64: 8, 72: 16 };
const [pageBody, richBody, pageEncoding] = [0x1013, 0x1009, 0x3fde] as const;
const maxNesting = 10;

type Properties = ReadonlyMap<number, string | Buffer>;

export type Wrapped = {
  readonly kind: string;
  readonly body: string | undefined;
  readonly bodyHtml: string | undefined;
  readonly html: Buffer | undefined;
  readonly compressedRtf: Buffer | undefined;
  readonly internetCodepage: number | undefined;
  readonly files: readonly WrappedFile[];
};

export type WrappedFile = {
  readonly name: string;
  readonly mime: string | undefined;
  readonly contentId: string | undefined;
  readonly bytes: Buffer;
  /** An attached message, which is another envelope. */
  readonly message: Wrapped | undefined;
};

/** Undefined if the bytes are no such envelope, or a damaged one. */
export function unwrapped(bytes: Uint8Array, depth = 0): Wrapped | undefined {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.length < 6 || view.readUInt32LE(0) !== signature || depth > maxNesting) return undefined;
  try {
    return wrappedIn(view, depth);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function wrappedIn(view: Buffer, depth: number): Wrapped {
  let [kind, plain, page, of] = ["", undefined as Buffer | undefined, undefined as number | undefined, new Map() as Properties];
  const files: { name: string; data?: Buffer; of?: Properties }[] = [];
  const textOf = (data: Buffer): string => textIn(data, page);
  for (let at = 6; at + 9 <= view.length; ) {
    const [id, length] = [view.readUInt32LE(at + 1), view.readUInt32LE(at + 5)];
    const data = view.subarray(at + 9, at + 9 + length);
    if (data.length < length) throw new RangeError("The envelope is cut off.");
    at += 11 + length;
    const file = files.at(-1);
    if (id === newAttachment) files.push({ name: "" });
    else if (id === codePage) page = data.readUInt32LE(0);
    else if (id === kindOfItem) kind = textOf(data);
    else if (id === plainBody) plain = data;
    else if (id === messageProperties) of = propertiesIn(data, page);
    else if (file !== undefined && id === title) file.name = textOf(data);
    else if (file !== undefined && id === attachedData) file.data = data;
    else if (file !== undefined && id === attachmentProperties) file.of = propertiesIn(data, page);
  }
  const [html, rich, encoding] = [of.get(pageBody), of.get(richBody), of.get(pageEncoding)];
  return {
    kind,
    body: textAt(of, 0x1000) ?? (plain === undefined ? undefined : textOf(plain)),
    bodyHtml: typeof html === "string" ? html : undefined,
    html: typeof html === "string" ? undefined : html,
    compressedRtf: typeof rich === "string" ? undefined : rich,
    internetCodepage: typeof encoding === "object" ? encoding.readUInt32LE(0) : page,
    files: files.map((file) => fileFrom(file, depth)),
  };
}

function fileFrom({ name, data, of = new Map() }: { name: string; data?: Buffer; of?: Properties }, depth: number): WrappedFile {
  const stored = of.get(0x3701);
  const bytes = data ?? (typeof stored === "object" ? stored : Buffer.alloc(0));
  return {
    name: textAt(of, 0x3707) ?? textAt(of, 0x3704) ?? (name || textAt(of, 0x3001)) ?? "",
    mime: textAt(of, 0x370e),
    contentId: textAt(of, 0x3712),
    bytes,
    // Behind the id of its kind.
    message: typeof stored === "object" ? unwrapped(stored.subarray(16), depth + 1) : undefined,
  };
}

function textAt(of: Properties, id: number): string | undefined {
  const value = of.get(id);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Texts and bytes by the ids of their properties; of the others, only the encoding of the page. */
function propertiesIn(data: Buffer, page: number | undefined): Properties {
  const found = new Map<number, string | Buffer>();
  let at = 4;
  const next = (): number => {
    at += 4;
    return data.readUInt32LE(at - 4);
  };
  const padded = (length: number): Buffer => {
    const from = at;
    at += Math.ceil(length / 4) * 4;
    return data.subarray(from, from + length);
  };
  for (let left = data.readUInt32LE(0); left > 0; left -= 1) {
    const told = next();
    const [type, id] = [told & 0xffff & ~hasSeveral, told >>> 16];
    if (id >= 0x8000) {
      at += 16;
      if (next() === 0) at += 4;
      else padded(next());
    }
    const size = sizes[type];
    const isSized = size === undefined;
    if (isSized && type !== isText && type !== isUnicode && type !== isBinary && type !== isObject)
      throw new RangeError("A property has an unknown type.");
    for (let count = isSized || (told & hasSeveral) !== 0 ? next() : 1; count > 0; count -= 1) {
      const value = padded(size ?? next());
      if (at > data.length + 3) throw new RangeError("A property is cut off.");
      if (type === isText) found.set(id, textIn(value, page));
      else if (type === isUnicode) found.set(id, value.toString("utf16le").replace(/\0$/, ""));
      else if (isSized || id === pageEncoding) found.set(id, value);
    }
  }
  return found;
}

/** By encoding: a file can name any number of code pages. */
const decoders = new Map<string, InstanceType<typeof TextDecoder>>();

function textIn(bytes: Buffer, page = 1252): string {
  const label = decoderLabelOf(`windows-${page}`) ?? "windows-1252";
  const decoder = decoders.get(label) ?? new TextDecoder(label);
  decoders.set(label, decoder);
  return decoder.decode(bytes).replace(/\0.*$/s, "");
}
