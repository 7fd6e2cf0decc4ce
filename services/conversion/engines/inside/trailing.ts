/** Without a sign that stands once or more at the end; a pattern would look at each place where it might begin to. */
export function withoutTrailing(text: string, sign: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === sign) end -= 1;
  return text.slice(0, end);
}
