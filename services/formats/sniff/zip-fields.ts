/** Extra fields of ZIP entries, for the sniffer and the guards (APPNOTE 4.5). */

/** The extra fields by their ids. Of several with one id, unpackers take the first. */
export function extraFieldsOf(extra: Buffer): ReadonlyMap<number, Buffer> {
  const fields = new Map<number, Buffer>();
  for (let at = 0; at + 4 <= extra.length; ) {
    const [id, start] = [extra.readUInt16LE(at), at + 4];
    at = start + extra.readUInt16LE(at + 2);
    if (!fields.has(id)) fields.set(id, extra.subarray(start, at));
  }
  return fields;
}

/** Sizes and offset of an entry of the central directory. What does not fit in 32 bits is in the ZIP64 field, in this order. */
export function sizesOf(record: Buffer, zip64: Buffer = Buffer.alloc(0)): { sizeBytes: number; compressedBytes: number; offset: number } {
  const wide = Array.from({ length: Math.floor(zip64.length / 8) }, (_, at) => Number(zip64.readBigUInt64LE(8 * at)));
  const field = (at: number): number => {
    const value = record.readUInt32LE(at);
    return value === 0xffff_ffff ? (wide.shift() ?? value) : value;
  };
  return { sizeBytes: field(24), compressedBytes: field(20), offset: field(42) };
}
