/** Outlook's envelope for bodies and attachments, which other programs show as `winmail.dat`, or a file of its own. @see [MS-OXTNEF] */
import { decoderLabelOf } from "./decoding.ts";

const signature = 0x223e9f78;
/** Attributes of the message and of its attachments. */
const [kindOfItem, plainBody, messageProperties, codePage] = [0x78008, 0x2800c, 0x69003, 0x69007] as const;
const [headline, receivers] = [0x18004, 0x69004] as const;
const [newAttachment, attachedData, title, attachmentProperties] = [0x69002, 0x6800f, 0x18010, 0x69005] as const;
const [isText, isUnicode, isBinary, isObject, hasSeveral] = [0x1e, 0x1f, 0x102, 0x0d, 0x1000] as const;
const sizes: Readonly<Record<number, number>> = { 2: 4, 3: 4, 4: 4, 5: 8, 6: 8, 7: 8, 10: 4, 11: 4, 20: 8, 64: 8, 72: 16 };
const [pageBody, richBody, pageEncoding, sent, receiverKind] = [0x1013, 0x1009, 0x3fde, 0x39, 0xc15] as const;
const keptNumbers: ReadonlySet<number> = new Set([pageEncoding, sent, receiverKind]);
const maxNesting = 10;
const maxReceivers = 100_000;

type Properties = ReadonlyMap<number, string | Buffer>;

export type Wrapped = {
  readonly kind: string;
  readonly subject: string;
  readonly sender: Person;
  readonly receivers: readonly Person[];
  readonly sent: Date | undefined;
  readonly body: string | undefined;
  readonly bodyHtml: string | undefined;
  readonly html: Buffer | undefined;
  readonly compressedRtf: Buffer | undefined;
  readonly internetCodepage: number | undefined;
  readonly files: readonly WrappedFile[];
};

export type Person = { readonly name: string; readonly address: string; readonly kind: "to" | "cc" | "bcc" };

export type WrappedFile = {
  readonly name: string;
  readonly mime: string | undefined;
  readonly contentId: string | undefined;
  readonly bytes: Uint8Array;
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
  let [subject, people] = ["", [] as readonly Properties[]];
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
    else if (id === headline) subject = textOf(data);
    else if (id === receivers) people = listsIn(data.subarray(4), page, data.readUInt32LE(0));
    else if (id === messageProperties) of = propertiesIn(data, page);
    else if (file !== undefined && id === title) file.name = textOf(data);
    else if (file !== undefined && id === attachedData) file.data = data;
    else if (file !== undefined && id === attachmentProperties) file.of = propertiesIn(data, page);
  }
  const [html, rich, encoding] = [of.get(pageBody), of.get(richBody), of.get(pageEncoding)];
  return {
    kind,
    subject: textAt(of, 0x37) ?? subject,
    sender: { name: textAt(of, 0xc1a) ?? "", address: textAt(of, 0x5d01) ?? textAt(of, 0xc1f) ?? "", kind: "to" },
    receivers: people.map(personIn),
    sent: timeAt(of.get(sent)),
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

function personIn(of: Properties): Person {
  const kind = of.get(receiverKind);
  const number = typeof kind === "object" ? kind.readUInt32LE(0) : 1;
  const address = textAt(of, 0x39fe) ?? textAt(of, 0x3003) ?? "";
  return { name: textAt(of, 0x3001) ?? "", address, kind: number === 3 ? "bcc" : number === 2 ? "cc" : "to" };
}

/** Tenths of microseconds since 1601. */
function timeAt(value: string | Buffer | undefined): Date | undefined {
  const time = typeof value === "object" ? new Date(Number(value.readBigUInt64LE(0) / 10_000n) - 11_644_473_600_000) : undefined;
  return time === undefined || Number.isNaN(time.getTime()) ? undefined : time;
}

const propertiesIn = (data: Buffer, page: number | undefined): Properties => listsIn(data, page, 1)[0] ?? new Map();

/** Texts and bytes by the ids of their properties; of the others, only those with a meaning here. */
function listsIn(data: Buffer, page: number | undefined, count: number): readonly Properties[] {
  if (count > maxReceivers) throw new RangeError("The envelope has too many receivers.");
  const all: Properties[] = [];
  let at = 0;
  const next = (): number => {
    at += 4;
    return data.readUInt32LE(at - 4);
  };
  const padded = (length: number): Buffer => {
    const from = at;
    at += Math.ceil(length / 4) * 4;
    return data.subarray(from, from + length);
  };
  for (let lists = count; lists > 0; lists -= 1) {
    const found = new Map<number, string | Buffer>();
    for (let left = next(); left > 0; left -= 1) {
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
      for (let values = isSized || (told & hasSeveral) !== 0 ? next() : 1; values > 0; values -= 1) {
        const value = padded(size ?? next());
        if (at > data.length + 3) throw new RangeError("A property is cut off.");
        if (type === isText) found.set(id, textIn(value, page));
        else if (type === isUnicode) found.set(id, value.toString("utf16le").replace(/\0$/, ""));
        else if (isSized || keptNumbers.has(id)) found.set(id, value);
      }
    }
    all.push(found);
  }
  return all;
}

/** By encoding: a file can name any number of code pages. */
const decoders = new Map<string, InstanceType<typeof TextDecoder>>();

function textIn(bytes: Buffer, page = 1252): string {
  const label = decoderLabelOf(`windows-${page}`) ?? "windows-1252";
  const decoder = decoders.get(label) ?? new TextDecoder(label);
  decoders.set(label, decoder);
  return decoder.decode(bytes).replace(/\0.*$/s, "");
}
