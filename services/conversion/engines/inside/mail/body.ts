/** Parses a MIME message and decides the encodings of its texts itself: the library reads those that it does not know as Windows-1252. */
import PostalMime from "postal-mime";
import type { Notes } from "../exchange.ts";
import { decodeDeclared } from "./decoding.ts";
import { joinedWords } from "./headers.ts";

/** A part of the message. The library's published types omit it and the method below. */
export type Part = {
  content: ArrayBufferLike | null;
  readonly headers: readonly { readonly key: string; readonly value: string }[];
  readonly contentType: { readonly parsed: Header };
  readonly contentDisposition: { readonly parsed: Header };
};
type Header = { readonly value: string; readonly params: Record<string, string> };
type Line = Uint8Array<ArrayBuffer>;
type Internals = { isInlineTextNode(part: Part): boolean; processLine(line: Line, isFinal: boolean): Promise<void> };
const internals = PostalMime.prototype as unknown as Internals;

/** How many lines of a body are put together at once. */
const block = 4096;

export class MessageParser extends PostalMime {
  readonly #notes: Notes;
  #lines = 0;
  /** The part that lines are added to: the library keeps each line and each line end, which is slow for very many. */
  declare private readonly currentNode: { readonly contentDecoder: { readonly chunks: (Uint8Array | ArrayBuffer | string)[] } | null };

  constructor(maxNestingDepth: number, notes: Notes) {
    // Attached messages are parsed by us, so that their texts are decoded in the same way.
    super({ maxNestingDepth, forceRfc822Attachments: true });
    this.#notes = notes;
  }

  /** The library calls this for every line. */
  processLine(line: Line, isFinal: boolean): Promise<void> {
    const chunks = this.currentNode.contentDecoder?.chunks;
    if (++this.#lines % block === 0 && chunks !== undefined)
      chunks.push(Buffer.concat(chunks.splice(-2 * block).map((chunk) => Buffer.from(chunk as string))));
    return internals.processLine.call(this, line, isFinal);
  }

  /** The library asks this once for each part, before it decodes the part's text and name. */
  isInlineTextNode(part: Part): boolean {
    for (const { params } of [part.contentType.parsed, part.contentDisposition.parsed])
      for (const name of ["name", "filename"]) if (params[name] !== undefined) params[name] = joinedWords(params[name], this.#notes);
    const isText = internals.isInlineTextNode.call(this, part);
    if (!isText || part.content === null) return isText;
    const { value, params } = part.contentType.parsed;
    const bytes = new Uint8Array(part.content);
    const declared = params["charset"] ?? (value === "text/html" ? metaOf(bytes) : undefined);
    const text = decodeDeclared(bytes, declared, this.#notes);
    const isFlowed = /^flowed$/i.test(params["format"] ?? "");
    const utf8 = new Uint8Array(Buffer.from(isFlowed ? unflowed(text, /^yes$/i.test(params["delsp"] ?? "")) : text));
    delete params["format"];
    part.content = utf8.buffer;
    params["charset"] = "utf-8";
    return isText;
  }
}

/** Joins lines that end in a blank to the next of the same depth of quotation (RFC 3676); the library keeps the signs of quotation. */
function unflowed(text: string, dropsBlank: boolean): string {
  const lines: string[] = [];
  let open: number | undefined;
  for (const line of text.split(/\r?\n/)) {
    const [quotes = ""] = /^>*/.exec(line) ?? [];
    const body = line.slice(quotes.length).replace(/^ /, "");
    // What follows this line is a signature.
    const isSign = body === "-- ";
    const flows = body.endsWith(" ") && !isSign;
    const kept = flows && dropsBlank ? body.slice(0, -1) : body;
    if (open === quotes.length && !isSign) lines[lines.length - 1] += kept;
    else lines.push(quotes === "" ? kept : `${quotes} ${kept}`);
    open = flows ? quotes.length : undefined;
  }
  return lines.join("\n");
}

/** The encoding that a page declares itself. */
export function metaOf(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 4096)).toString("latin1");
  return /<meta\b[^<>]*\bcharset\s*=\s*["']?([\w:.-]+)/i.exec(head)?.[1];
}
