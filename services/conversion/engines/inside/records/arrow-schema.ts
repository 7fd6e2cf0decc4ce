/** What only the schema of Apache Arrow says that many programs store in Parquet files beside Parquet's own. */

/** Enough for any table; a damaged schema may claim more. */
const mostFields = 10_000;
const deepest = 30;
/** @see Arrow format/Schema.fbs: the position of Duration in the union Type, and of its units. */
const duration = 18;
const units = ["s", "ms", "us", "ns"];

/**
 * Paths and units of durations, which Parquet stores as plain numbers. Empty if the schema cannot be read.
 *
 * @param stored Base64 of a message, as in the metadata `ARROW:schema`.
 * @see https://arrow.apache.org/docs/format/Columnar.html#encapsulated-message-format and https://flatbuffers.dev/internals/
 */
export function durationsIn(stored: string): readonly (readonly [string, string])[] {
  const bytes = Buffer.from(stored, "base64");
  // A mark, and the length of the message; older versions have only the length.
  const start = bytes.length > 4 && bytes.readInt32LE(0) === -1 ? 8 : 4;
  const placeOf = (table: number, field: number): number => {
    const layout = table - bytes.readInt32LE(table);
    const entry = 4 + field * 2;
    const offset = entry < bytes.readUInt16LE(layout) ? bytes.readUInt16LE(layout + entry) : 0;
    return offset === 0 ? 0 : table + offset;
  };
  const followed = (place: number): number => (place === 0 ? 0 : place + bytes.readUInt32LE(place));
  const found: (readonly [string, string])[] = [];
  let seen = 0;
  const visit = (list: number, before: string, depth: number): void => {
    for (let index = 0; list !== 0 && index < bytes.readUInt32LE(list) && depth < deepest; index++) {
      if (++seen > mostFields) throw new RangeError("The schema has too many fields.");
      const field = followed(list + 4 + index * 4);
      const name = followed(placeOf(field, 0));
      const own = name === 0 ? "" : bytes.toString("utf8", name + 4, name + 4 + bytes.readUInt32LE(name));
      const path = before === "" ? own : `${before}.${own}`;
      const kind = placeOf(field, 2);
      const unit = followed(placeOf(field, 3));
      if (kind !== 0 && bytes[kind] === duration && unit !== 0) {
        const place = placeOf(unit, 0);
        found.push([path, units[place === 0 ? 1 : bytes.readInt16LE(place)] ?? ""]);
      }
      visit(followed(placeOf(field, 5)), path, depth + 1);
    }
  };
  try {
    const message = start + bytes.readUInt32LE(start);
    const schema = followed(placeOf(message, 2));
    if (schema !== 0) visit(followed(placeOf(schema, 1)), "", 0);
  } catch {
    return [];
  }
  return found;
}
