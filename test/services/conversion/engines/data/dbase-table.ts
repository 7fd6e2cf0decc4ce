type Field = {
  readonly name: string;
  readonly type: string;
  readonly width: number;
  readonly decimals?: number;
  /** 1: system, 2: may be null. */
  readonly flags?: number;
};
type Shape = { readonly version?: number; readonly codePage?: number; readonly count?: number };

/** A table of dBase; each row starts with its mark: a blank, or an asterisk if it is deleted. @see dBASE table file format (DBF) */
export function dbaseOf(fields: readonly Field[], rows: readonly (string | Buffer)[], shape: Shape = {}): Buffer {
  const { version = 3, codePage = 0, count = rows.length } = shape;
  const header = Buffer.alloc(32);
  header.set([version, 124, 1, 1]);
  header.writeUInt32LE(count, 4);
  header.writeUInt16LE(32 + 32 * fields.length + 1, 8);
  header.writeUInt16LE(
    fields.reduce((sum, { width }) => sum + width, 1),
    10,
  );
  header[29] = codePage;
  const described = fields.map(({ name, type, width, decimals = 0, flags = 0 }) => {
    const field = Buffer.alloc(32);
    field.write(name + "\0".repeat(11 - name.length) + type, "latin1");
    field.set([width & 255, width > 255 ? width >> 8 : decimals, flags], 16);
    return field;
  });
  const stored = rows.map((row) => Buffer.from(row as string, "latin1"));
  return Buffer.concat([header, ...described, Buffer.from("\r"), ...stored, Buffer.from("\x1a")]);
}

/** A dBase III table with one text column. */
export function dbaseTable(codePage: number, name: string, cells: readonly Buffer[]): Buffer {
  const width = 24;
  const rows = cells.map((cell) => Buffer.concat([Buffer.from(" "), cell, Buffer.alloc(width - cell.length, " ")]));
  return dbaseOf([{ name, type: "C", width }], rows, { codePage });
}
