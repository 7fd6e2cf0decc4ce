/** The value is as written; `start` and `end` are the places of both lines. */
export type Pair = { readonly code: string; readonly value: string; readonly start: number; readonly end: number };

/** @see the DXF reference of AutoCAD: lines with a code alternate with lines with its value. */
export function* pairsIn(text: string): Generator<Pair> {
  for (let start = 0; start < text.length; ) {
    const middle = endOfLine(text, start);
    const end = endOfLine(text, middle);
    const code = text.slice(start, middle).trim();
    yield { code, value: text.slice(middle, end).replace(/\r?\n$/, ""), start, end };
    start = end;
  }
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end < 0 ? text.length : end + 1;
}
