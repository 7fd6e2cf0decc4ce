/** Guesses the code page of a text from its characters. */
import chardet from "chardet";

const sampleBytes = 64 * 1024;

/** Words in a non-Latin script; languages in Latin script have only single such letters between ASCII ones. */
const foreignRun = /[\x80-\xff]{3,}/g;
/** DOS has the Cyrillic letters in two ranges around the box-drawing characters; no detector knows it. */
const dosCyrillic = /[\x80-\xaf\xe0-\xf1]/g;
/** Of Windows-1251: words of small letters, unlike three Western capitals with accents. */
const smallCyrillic = /[\xe0-\xff]/g;
const dosOnly = /[\xa0-\xaf]/g;

/** The label of the best guess that a decoder exists for. Only for text that is not Unicode; the guess may be wrong. */
export function guessEncoding(bytes: Uint8Array): string {
  const sampled = sampleOf(bytes);
  const sample = Buffer.from(sampled).toString("latin1");
  const high = countOf(sample, /[\x80-\xff]/g);
  const isForeign = foreignLettersOf(sample) > high / 2;
  if (isForeign && countOf(sample, dosCyrillic) > high * 0.98 && countOf(sample, dosOnly) > high / 5) return "ibm866";
  const found = chardet.analyse(sampled).map(({ name, confidence }) => ({ label: name.toLowerCase(), confidence }));
  const sure = found.filter(({ confidence }) => confidence >= (isForeign ? 5 : 20));
  const isWestern = (label: string): boolean => label === "iso-8859-1" || label === "windows-1252";
  // Unsure guesses count only if the usual one cannot be right; for a few letters among ASCII ones, no multi-byte encoding counts.
  const isDense = high > Math.max(8, sample.length / 5);
  const guesses = [
    ...sure.filter(({ label }) => !isForeign || !isWestern(label)),
    ...(isForeign && countOf(sample, smallCyrillic) > high / 2 ? [{ label: "windows-1251" }] : []),
    { label: "windows-1252" },
    ...found.filter(({ label }) => isForeign || isDense || /^(windows|iso)-/.test(label)),
    { label: "windows-1250" },
  ];
  for (const { label } of guesses) {
    if (label.startsWith("utf-") || label === "ascii") continue;
    if (!fits(bytes, label)) continue;
    if (!isWestern(label)) return label;
    // Text with the letters of ISO 8859-1 is Windows-1252 if it has curly quotation marks.
    return isSouthSlavic(sample) && fits(bytes, "windows-1250") ? "windows-1250" : "windows-1252";
  }
  return "windows-1252";
}

/** Č, which would be È in Windows-1252, and š or ž, without the other letters with accents of languages that have è, such as à and é. */
const isSouthSlavic = (sample: string): boolean =>
  /[\xc8\xe8]/.test(sample) && /[\x8a\x8e\x9a\x9e]/.test(sample) && !/[\xc0\xc9\xcc\xd2\xd9\xe0\xe9\xec\xf2\xf9]/.test(sample);

/** A byte that the code page does not define decodes to a control character, which no text contains; nor does one of KOI8 contain boxes. */
function fits(bytes: Uint8Array, label: string): boolean {
  try {
    const strange = label.startsWith("koi8") ? /[\u0080-\u009f\u2500-\u259f]/ : /[\u0080-\u009f]/;
    return !strange.test(new TextDecoder(label, { fatal: true }).decode(bytes));
  } catch {
    // No decoder of that name, or the bytes do not fit.
    return false;
  }
}

/** Starts at the line with the first non-ASCII byte: long tables may start without any. */
function sampleOf(bytes: Uint8Array): Uint8Array {
  const first = bytes.findIndex((byte) => byte >= 0x80);
  const start = first < sampleBytes / 2 ? 0 : bytes.lastIndexOf(0x0a, first) + 1;
  return bytes.subarray(start, start + sampleBytes);
}

function countOf(text: string, letters: RegExp): number {
  let count = 0;
  for (const _ of text.matchAll(letters)) count += 1;
  return count;
}

/** Counts the letters in foreign words; a ruler made of one repeated character is not a word. */
function foreignLettersOf(text: string): number {
  let count = 0;
  for (const [run] of text.matchAll(foreignRun)) if (run !== run.charAt(0).repeat(run.length)) count += run.length;
  return count;
}
