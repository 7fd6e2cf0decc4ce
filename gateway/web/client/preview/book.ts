/** A workbook as its conversion to data tells it. */
export type Book = readonly { readonly name: string; readonly rows: readonly (readonly string[])[] }[];

/** Of records whose names are `column1` and so on: a list of them where there is one sheet, else one for each sheet's name. */
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
