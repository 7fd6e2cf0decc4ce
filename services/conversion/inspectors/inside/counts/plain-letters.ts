/** Conversions replace punctuation, symbols and marks. Letters stay. */
export function lettersIn(text: string): number {
  let letters = 0;
  for (let at = 0; at < text.length; at += 1) if (isLetter(text.charCodeAt(at))) letters += 1;
  return letters;
}

export function isLetter(code: number): boolean {
  if (code < 0x80) return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x39);
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
