/** Without trailing zeros. A regular expression would retry at each position. */
export function withoutZeros(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === "0") end -= 1;
  return text.slice(0, end);
}
