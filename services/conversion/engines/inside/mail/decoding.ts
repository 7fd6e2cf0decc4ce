/** Decodes texts of mail and contacts that name their encoding, or do not. */
import { type Notes, noteAlso } from "../exchange.ts";
import { guessEncoding } from "../guess-encoding.ts";

/** Labels that stand for no encoding in particular. */
const vague = /^(us-ascii|ascii|x-unknown|unknown-8bit|unknown|x-user-defined|)$/i;

/** As declared, unless that is unknown or wrong: then as guessed, with a note. */
export function decodeDeclared(bytes: Uint8Array, declared: string | undefined, notes: Notes): string {
  const label = (declared ?? "").trim().replace(/^["']|["']$/g, "");
  const told = vague.test(label) ? "utf-8" : decoderLabelOf(label);
  if (told !== undefined) {
    const text = new TextDecoder(told).decode(/^iso-2022-jp$/i.test(told) ? withoutEmptyRuns(bytes) : bytes);
    if (!text.includes("\ufffd")) return text;
    // Some characters are right, so the encoding is: a few bytes are damaged.
    if (/[^\0-\x7f\ufffd]/.test(text)) {
      noteAlso(notes, "CHARACTERS_REPLACED", `Bytes that are no characters in ${told.toUpperCase()} were replaced.`);
      return text;
    }
  }
  const guess = guessEncoding(bytes);
  const reason = told === undefined ? `The encoding ${label.slice(0, 40)} is not supported; the` : "The";
  noteAlso(notes, "ENCODING_GUESSED", `${reason} text's encoding was guessed to be ${guess}.`);
  return new TextDecoder(guess).decode(bytes);
}

/** The platform's decoder replaces a change of the character set that another one follows at once, as in joined words. */
function withoutEmptyRuns(bytes: Uint8Array): Buffer {
  const text = Buffer.from(bytes).toString("latin1");
  return Buffer.from(text.replaceAll("\x1b(B\x1b", "\x1b").replaceAll("\x1b(J\x1b", "\x1b"), "latin1");
}

/** As the platform's decoders know it; undefined if none does. */
export function decoderLabelOf(label: string): string | undefined {
  const spellings = [label, label.replace(/^(x-ms-|x-|cs)/i, ""), label.replace(/^(cp|ms|ibm|windows)-?_?/i, "")];
  const candidates = [...spellings, codePages[spellings[2] ?? ""] ?? "", label.replaceAll("_", "-")];
  return candidates.find((each) => {
    try {
      return new TextDecoder(each).encoding !== "replacement";
    } catch {
      return false;
    }
  });
}

const codePages: Readonly<Record<string, string>> = {
  ...{ 932: "shift_jis", "31j": "shift_jis", 936: "gb18030", 949: "euc-kr", 950: "big5", 874: "windows-874", 65001: "utf-8" },
  ...{ 20866: "koi8-r", 28591: "iso-8859-1", 28592: "iso-8859-2", 28605: "iso-8859-15" },
  ...{ 50220: "iso-2022-jp", 50221: "iso-2022-jp", 50222: "iso-2022-jp", 51932: "euc-jp" },
};

/** Of quoted-printable text, in which other programs leave letters as they are. */
export function bytesOfQuoted(text: string): Buffer {
  const bytes = Buffer.from(text).toString("latin1");
  return Buffer.from(
    bytes.replace(/=([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  );
}
