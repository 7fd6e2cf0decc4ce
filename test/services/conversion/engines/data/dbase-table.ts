/** A dBase III table with one text column. @see dBASE table file format (DBF), header and field descriptors */
export function dbaseTable(codePage: number, name: string, cells: readonly Buffer[]): Buffer {
  const width = 24;
  const header = Buffer.alloc(32);
  header.set([3, 124, 1, 1]);
  header.writeUInt32LE(cells.length, 4);
  header.writeUInt16LE(32 + 32 + 1, 8);
  header.writeUInt16LE(1 + width, 10);
  header[29] = codePage;
  const field = Buffer.alloc(32);
  field.write(name, "latin1");
  field.write("C", 11, "latin1");
  field[16] = width;
  const rows = cells.map((cell) => Buffer.concat([Buffer.from(" "), cell, Buffer.alloc(width - cell.length, " ")]));
  return Buffer.concat([header, field, Buffer.from("\r"), ...rows, Buffer.from("\x1a")]);
}
