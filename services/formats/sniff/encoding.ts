/** The encoding of a text. `legacy` is a single- or multi-byte code page that the bytes do not identify. */
export type TextEncoding = "ascii" | "utf-8" | "utf-16le" | "utf-16be" | "legacy";

/** The encoding of a text according to its first bytes; undefined if they are not text. An empty head is ASCII. */
export function encodingOf(head: Uint8Array): TextEncoding | undefined {
  const sixteen = utf16Of(head);
  if (sixteen !== undefined) return isText16(head, sixteen) ? sixteen : undefined;
  let high = 0;
  for (const byte of head) {
    if (byte < 0x20 && !isTextControl(byte)) return undefined;
    if (byte >= 0x80) high++;
  }
  if (high === 0) return "ascii";
  if (isUtf8(head)) return "utf-8";
  return "legacy";
}

/** The text of a head in a known encoding, without its byte order mark. Undecodable bytes become U+FFFD. */
export function decodeText(head: Uint8Array, encoding: TextEncoding): string {
  const label = encoding === "legacy" || encoding === "ascii" ? "windows-1252" : encoding;
  return new TextDecoder(label).decode(head).replace(/^\uFEFF/, "");
}

/** Tab, line breaks, form feed, backspace, the escape of ISO-2022 and terminals, and the end-of-file mark of DOS. */
function isTextControl(byte: number): boolean {
  return (byte >= 0x08 && byte <= 0x0d) || byte === 0x1a || byte === 0x1b;
}

function isUtf8(head: Uint8Array): boolean {
  return decodedWhole(head, "utf-8") !== undefined;
}

/** The text of a head without any undecodable bytes; undefined with some. A replacement character that the author wrote is text. */
function decodedWhole(head: Uint8Array, label: string): string | undefined {
  try {
    // The head may end within a character, which only `stream` tolerates.
    return new TextDecoder(label, { fatal: true }).decode(head, { stream: true });
  } catch {
    return undefined;
  }
}

/** By its byte order mark. Without one, every second byte of the first characters must be zero, as in Western text. */
function utf16Of(head: Uint8Array): "utf-16le" | "utf-16be" | undefined {
  if (head[0] === 0xff && head[1] === 0xfe) return "utf-16le";
  if (head[0] === 0xfe && head[1] === 0xff) return "utf-16be";
  if (head.length < 8) return undefined;
  const start = head.subarray(0, 64);
  const zeros = (parity: number) => start.filter((byte, index) => index % 2 === parity && byte === 0).length;
  const half = Math.floor(start.length / 2);
  if (zeros(1) === half && zeros(0) === 0) return "utf-16le";
  if (zeros(0) >= half && zeros(1) === 0) return "utf-16be";
  return undefined;
}

function isText16(head: Uint8Array, encoding: "utf-16le" | "utf-16be"): boolean {
  const text = decodedWhole(head, encoding);
  if (text === undefined) return false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if ((code < 0x20 && !isTextControl(code)) || code === 0xfffe || code === 0xffff) return false;
  }
  return true;
}

/** Characters that never occur in text. */
const strange = /[^\P{Cc}\s]|[\p{Cn}\p{Co}\ufffd]/u;

/**
 * Whether this may be UTF-16 in any script without a byte order mark: the zero bytes of all its ASCII are on the same side, and few other
 * texts contain any.
 */
export function isUnmarked16(head: Uint8Array): boolean {
  if (head.length < 8) return false;
  let even = 0;
  let odd = 0;
  for (const [index, byte] of head.entries()) {
    if (byte === 0 && index % 2 === 0) even++;
    else if (byte === 0) odd++;
  }
  if (odd <= 3 * even && even <= 3 * odd) return false;
  if (
    even + odd < head.length / 4 &&
    isPlain(
      head.filter((byte) => byte !== 0),
      "utf-8",
    )
  )
    return false;
  return isPlain(head.subarray(0, head.length - (head.length % 2)), odd > even ? "utf-16le" : "utf-16be");
}

/** Whether bytes that may end within a character are text. */
function isPlain(bytes: Uint8Array, label: string): boolean {
  return !strange.test(new TextDecoder(label).decode(bytes, { stream: true }));
}
