/** Both lists without duplicates. The first list wins. */
export function mergedById<Row extends { readonly id: string }>(first: readonly Row[], second: readonly Row[]): readonly Row[] {
  const known = new Set(first.map(({ id }) => id));
  return [...first, ...second.filter(({ id }) => !known.has(id))];
}
