/**
 * FBX as other programs read it: each list of nodes inside a node of the binary form ends with an empty record, which assimp 5.2 leaves out,
 * and the unit, which assimp neither reads nor writes, is a metre, as in glTF.
 *
 * @see https://code.blender.org/2013/08/fbx-binary-file-format-specification/
 */

const [signatureBytes, recordBytes, footerIdBytes, zeroBytes, endBytes] = [27, 25, 16, 120, 16];
const maxDepth = 64;

const centimetres = 100;
const unitNames = ["UnitScaleFactor", "OriginalUnitScaleFactor"];
const textUnit = /("(?:Original)?UnitScaleFactor"(?:, {0,4}"[^"]{0,20}"){0,4}, {0,4})([\d.eE+-]{1,30})/g;

/** The unit of a model in metres. FBX's default is the centimetre. */
export function metresIn(bytes: Buffer): number {
  const at = unitAt(bytes, "UnitScaleFactor");
  const stated = at === undefined ? Number(bytes.toString("latin1").matchAll(textUnit).next().value?.[2]) : bytes.readDoubleLE(at);
  return stated > 0 && stated < 1e6 ? stated / centimetres : 1 / centimetres;
}

/** Offset of a property's number in the binary form. It follows strings with their lengths, the first of which is the name. */
function unitAt(bytes: Buffer, name: string): number | undefined {
  const found = bytes.indexOf(Buffer.from(`S${String.fromCharCode(name.length)}\0\0\0${name}`, "latin1"));
  if (found < 0) return undefined;
  let at = found;
  while (at + 5 < bytes.length && bytes[at] === 0x53) at += 5 + bytes.readUInt32LE(at + 1);
  return bytes[at] === 0x44 && at + 9 <= bytes.length ? at + 1 : undefined;
}

export function closedFbx(bytes: Buffer): Buffer {
  if (bytes.toString("latin1", 0, 7) !== "Kaydara")
    return Buffer.from(bytes.toString("latin1").replace(textUnit, `$1${centimetres}`), "latin1");
  const closed = withEnds(bytes);
  for (const at of unitNames.map((name) => unitAt(closed, name))) if (at !== undefined) closed.writeDoubleLE(centimetres, at);
  return closed;
}

/** For version 7.5, whose lengths have 64 bits. */
function withEnds(bytes: Buffer): Buffer {
  const pieces: Buffer[] = [bytes.subarray(0, signatureBytes)];
  let made = signatureBytes;
  const add = (piece: Buffer): void => {
    pieces.push(piece);
    made += piece.length;
  };

  /** The end of the node in the given file; 0 if there is none. */
  function addNode(at: number, depth: number): number {
    const end = Number(bytes.readBigUInt64LE(at));
    if (end === 0) return 0;
    const inside = at + recordBytes + bytes.readUInt8(at + recordBytes - 1) + Number(bytes.readBigUInt64LE(at + 16));
    if (depth > maxDepth || inside > end || end > bytes.length) throw new RangeError("The nodes overlap.");
    const head = Buffer.from(bytes.subarray(at, at + recordBytes));
    add(head);
    add(bytes.subarray(at + recordBytes, inside));
    for (let child = inside; child !== 0 && child < end; ) child = addNode(child, depth + 1);
    if (inside < end) add(Buffer.alloc(recordBytes));
    head.writeBigUInt64LE(BigInt(made), 0);
    return end;
  }

  let at = signatureBytes;
  for (let next = addNode(at, 0); next !== 0; next = addNode(at, 0)) at = next;
  const footerId = at + recordBytes;
  add(bytes.subarray(at, footerId + footerIdBytes));
  add(Buffer.alloc(4 + (16 - ((made + 4) % 16))));
  add(bytes.subarray(signatureBytes - 4, signatureBytes));
  add(Buffer.alloc(zeroBytes));
  add(bytes.subarray(bytes.length - endBytes));
  return Buffer.concat(pieces);
}
