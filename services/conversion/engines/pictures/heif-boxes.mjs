// Runs inside the sandbox, beside sharp-child.mjs: the boxes of AVIF and HEIC. @see ISO/IEC 14496-12 and 23008-12

function metaOf(bytes) {
  const meta = boxesOf(bytes).find(({ kind }) => kind === "meta");
  return meta === undefined ? [] : boxesOf(meta.content.subarray(4));
}

/**
 * How many pictures are only tiles of others without being hidden, so that libheif counts them as pictures.
 *
 * @see ISO/IEC 14496-12, 8.11.6 and 8.11.12
 */
export function countTiles(bytes) {
  const meta = metaOf(bytes);
  const [items, references] = ["iinf", "iref"].map((sought) => meta.find(({ kind }) => kind === sought)?.content);
  if (items === undefined || references === undefined) return 0;
  const idBytes = references[0] === 0 ? 2 : 4;
  const tiles = new Set();
  for (const { kind, content } of boxesOf(references.subarray(4))) {
    for (let at = idBytes + 2; kind === "dimg" && at + idBytes <= content.length; at += idBytes) tiles.add(content.readUIntBE(at, idBytes));
  }
  const entries = boxesOf(items.subarray(items[0] === 0 ? 6 : 8)).filter(({ content }) => content.length >= 12 && (content[3] & 1) === 0);
  return entries.filter(({ content }) => tiles.has(content.readUIntBE(4, content[0] === 2 ? 2 : 4))).length;
}

/** Of all items. */
export function heifProperties(bytes) {
  const properties = metaOf(bytes).find(({ kind }) => kind === "iprp");
  const held = properties && boxesOf(properties.content).find(({ kind }) => kind === "ipco");
  return held === undefined ? [] : boxesOf(held.content);
}

/** Whether an AVIF is grey and of the range of films, which libheif does not widen. @see AV1 ISOBMFF, 2.3.3: monochrome */
export function isNarrowGrey(bytes) {
  const held = heifProperties(bytes);
  const [coded, colours] = ["av1C", "colr"].map((sought) => held.find(({ kind }) => kind === sought)?.content);
  const isGrey = ((coded?.[2] ?? 0) & 0x10) !== 0;
  return isGrey && colours?.length === 11 && colours.toString("latin1", 0, 4) === "nclx" && colours[10] < 0x80;
}

function boxesOf(bytes) {
  const boxes = [];
  for (let at = 0; at + 8 <= bytes.length; ) {
    const told = bytes.readUInt32BE(at);
    const head = told === 1 ? 16 : 8;
    if (at + head > bytes.length) break;
    const size = told === 1 ? Number(bytes.readBigUInt64BE(at + 8)) : told === 0 ? bytes.length - at : told;
    if (size < head) break;
    boxes.push({ kind: bytes.toString("latin1", at + 4, at + 8), content: bytes.subarray(at + head, at + size) });
    at += size;
  }
  return boxes;
}
