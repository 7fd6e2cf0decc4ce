/** Conversions replace punctuation, symbols and marks. Letters stay. */
export function lettersIn(text: string): number {
  let letters = 0;
  for (let at = 0; at < text.length; at += 1) if (isLetter(text.charCodeAt(at))) letters += 1;
  return letters;
}

export function isLetter(code: number): boolean {
  if (code < 0x80) return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x39);
  // Raised and lowered digits and letters, as plain text has them instead of those in a style: ², H₂O.
  if (code === 0xb2 || code === 0xb3 || code === 0xb9) return true;
  if (code >= 0x2070 && code <= 0x209c) return (code & 0xf) < 0xa || (code & 0xf) === 0xf || code >= 0x2090;
  // Excludes operators, combining marks, the blocks from general punctuation to symbols, and code units without a meaning of their own.
  if (code >= 0x300 && code < 0x370) return false;
  return (
    code >= 0xc0 &&
    code !== 0xd7 &&
    code !== 0xf7 &&
    !(code >= 0x2000 && code < 0x2c00) &&
    !(code >= 0x3000 && code < 0x3040) &&
    code < 0xd800
  );
}
