/** A HEIC as phones write it: stored in sensor orientation, with a property for its rotation. */

type Box = { readonly type: string; readonly start: number; readonly end: number };

/** @see ISO/IEC 14496-12, 4.2 */
function boxesIn(bytes: Buffer, start: number, end: number): Box[] {
  const found: Box[] = [];
  for (let at = start; at + 8 <= end; at = found.at(-1)?.end ?? end) {
    found.push({ type: bytes.toString("latin1", at + 4, at + 8), start: at, end: at + bytes.readUInt32BE(at) });
  }
  return found;
}

function boxIn(bytes: Buffer, type: string, start: number, end: number): Box {
  const found = boxesIn(bytes, start, end).find((box) => box.type === type);
  if (found === undefined) throw new Error(`no ${type}`);
  return found;
}

/** @param quarters - Counterclockwise. @see ISO/IEC 23008-12, 6.5.10 */
export function withRotation(heic: Buffer, quarters: number): Buffer {
  return withProperty(heic, Buffer.from([0, 0, 0, 9, ...Buffer.from("irot"), quarters]));
}

/** @see ISO/IEC 14496-12, 12.1.5, and ITU-T H.273 for the numbers */
export function withColourNumbers(heic: Buffer, primaries: number, transfer: number): Buffer {
  return withProperty(heic, Buffer.from([0, 0, 0, 19, ...Buffer.from("colrnclx"), 0, primaries, 0, transfer, 0, 6, 0x80]));
}

/** Adds a property to the last item, which is heif-enc's primary one. */
function withProperty(heic: Buffer, property: Buffer): Buffer {
  const addedBytes = property.length + 1;
  const bytes = Buffer.from(heic);
  const meta = boxIn(bytes, "meta", 0, bytes.length);
  const [iprp, iloc] = ["iprp", "iloc"].map((type) => boxIn(bytes, type, meta.start + 12, meta.end)) as [Box, Box];
  const [ipco, ipma] = ["ipco", "ipma"].map((type) => boxIn(bytes, type, iprp.start + 8, iprp.end)) as [Box, Box];
  const number = boxesIn(bytes, ipco.start + 8, ipco.end).length + 1;
  let [last, at] = [0, ipma.start + 16];
  for (let left = bytes.readUInt32BE(ipma.start + 12); left > 0; left--) {
    last = at;
    at += 3 + bytes.readUInt8(at + 2);
  }
  bytes.writeUInt8(bytes.readUInt8(last + 2) + 1, last + 2);
  for (const [{ start }, more] of [
    [meta, addedBytes],
    [iprp, addedBytes],
    [ipco, property.length],
    [ipma, 1],
  ] as const) {
    bytes.writeUInt32BE(bytes.readUInt32BE(start) + more, start);
  }
  moveData(bytes, iloc, addedBytes);
  return Buffer.concat([
    bytes.subarray(0, ipco.end),
    property,
    bytes.subarray(ipco.end, ipma.end),
    Buffer.from([0x80 | number]),
    bytes.subarray(ipma.end),
  ]);
}

/** Version 1 with four-byte offsets, lengths and bases, as heif-enc writes it. @see ISO/IEC 14496-12, 8.11.3 */
function moveData(bytes: Buffer, iloc: Box, addedBytes: number): void {
  if (bytes[iloc.start + 8] !== 1 || bytes.readUInt16BE(iloc.start + 12) !== 0x4440) throw new Error("another kind of iloc");
  let at = iloc.start + 16;
  for (let items = bytes.readUInt16BE(iloc.start + 14); items > 0; items--) {
    const isInFile = (bytes.readUInt16BE(at + 2) & 15) === 0;
    const extents = bytes.readUInt16BE(at + 10);
    at += 12;
    for (let index = 0; index < extents; index++, at += 8) {
      if (isInFile) bytes.writeUInt32BE(bytes.readUInt32BE(at) + addedBytes, at);
    }
  }
}
