/** A workbook, converted to data. */
export type Book = readonly { readonly name: string; readonly rows: readonly (readonly string[])[] }[];

/** Parses records with members `column1`, `column2` and so on: a list of them for one sheet, or an object with one list per sheet name. */
export function bookOf(text: string): Book {
  const data: unknown = JSON.parse(text);
  if (Array.isArray(data)) return [{ name: "", rows: data.map(rowOf) }];
  return Object.entries(data ?? {}).map(([name, records]) => ({ name, rows: Array.isArray(records) ? records.map(rowOf) : [] }));
}

function rowOf(record: unknown): readonly string[] {
  const cells: string[] = [];
  for (const [name, value] of Object.entries(record ?? {}))
    cells[Number(name.slice("column".length)) - 1] = value === null ? "" : String(value);
  return Array.from(cells, (cell) => cell ?? "");
}
