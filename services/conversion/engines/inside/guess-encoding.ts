/** Which code page a text is in, by its letters. */
import chardet from "chardet";

const sampleBytes = 64 * 1024;

/** The label of the best guess that a decoder exists for. Of text that is not Unicode; the guess may be wrong. */
export function guessEncoding(bytes: Uint8Array): string {
  for (const { name, confidence } of chardet.analyse(bytes.subarray(0, sampleBytes))) {
    const label = name.toLowerCase();
    if (confidence < 20 || label.startsWith("utf-") || label === "ascii") continue;
    try {
      new TextDecoder(label, { fatal: true }).decode(bytes);
      // What is ISO 8859-1 by its letters is Windows-1252 by its quotation marks.
      return label === "iso-8859-1" ? "windows-1252" : label;
    } catch {
      // No decoder of that name, or it does not fit.
    }
  }
  return "windows-1252";
}
