/** A glTF model without what assimp reads but cannot pass on: its writers abort at values inside values among the properties of nodes. */

const glbMark = 0x46546c67;
const headBytes = 20;

/** For `glTF` in either form. Lights are among the extensions of nodes. */
export function plainGltf(bytes: Buffer): Buffer {
  const isGlb = bytes.length >= headBytes && bytes.readUInt32LE(0) === glbMark;
  const jsonEnd = isGlb ? headBytes + bytes.readUInt32LE(12) : bytes.length;
  const model = JSON.parse(bytes.toString("utf8", isGlb ? headBytes : 0, jsonEnd));
  for (const node of [...(model.nodes ?? []), ...(model.scenes ?? [])]) {
    delete node.extensions;
    node.extras = Object.fromEntries(Object.entries(node.extras ?? {}).filter(([, value]) => typeof value !== "object"));
  }
  const text = Buffer.from(JSON.stringify(model));
  if (!isGlb) return text;
  const json = Buffer.concat([text, Buffer.alloc(-text.length & 3, " ")]);
  const head = Buffer.from(bytes.subarray(0, headBytes));
  head.writeUInt32LE(headBytes + json.length + bytes.length - jsonEnd, 8);
  head.writeUInt32LE(json.length, 12);
  return Buffer.concat([head, json, bytes.subarray(jsonEnd)]);
}
