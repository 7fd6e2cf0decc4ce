/**
 * Binary FBX as other programs read it: each list of nodes inside a node ends with an empty record, which assimp 5.2 leaves out.
 *
 * @see https://code.blender.org/2013/08/fbx-binary-file-format-specification/
 */

const [signatureBytes, recordBytes, footerIdBytes, zeroBytes, endBytes] = [27, 25, 16, 120, 16];
const maxDepth = 64;

/** For version 7.5, whose lengths have 64 bits. */
export function closedFbx(bytes: Buffer): Buffer {
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
