/** The size in the first bits of a JPEG XL picture. */
import type { PictureSize } from "./picture-size.ts";

const ratios: readonly (readonly [number, number])[] = [
  [1, 1],
  [12, 10],
  [4, 3],
  [3, 2],
  [16, 9],
  [5, 4],
  [2, 1],
];
/** Number of bits by selector. */
const lengths = [9, 13, 18, 30] as const;
const boxHeaderBytes = 8;

/**
 * The size header of a bare codestream, or of one in boxes.
 *
 * @see ISO/IEC 18181-1, D.2 (SizeHeader)
 */
export function jxlSizeOf(head: Buffer): PictureSize | undefined {
  const start = streamAt(head);
  if (start === undefined || head[start] !== 0xff || head[start + 1] !== 0x0a) return undefined;
  let position = (start + 2) * 8;
  const bits = (count: number): number => {
    let value = 0;
    for (let index = 0; index < count; index++, position++) value += ((head.readUInt8(position >> 3) >> (position & 7)) & 1) * 2 ** index;
    return value;
  };
  const isSmall = bits(1) === 1;
  const side = () => (isSmall ? (bits(5) + 1) * 8 : bits(lengths[bits(2)] ?? 30) + 1);
  const height = side();
  const ratio = ratios[bits(3) - 1];
  return { height, width: ratio === undefined ? side() : Math.floor((height * ratio[0]) / ratio[1]) };
}

/** After the header of the box `jxlc`, or after the first `jxlp` and its number. */
function streamAt(head: Buffer): number | undefined {
  if (head[0] === 0xff) return 0;
  for (let at = 0; at + boxHeaderBytes <= head.length; ) {
    const type = head.toString("latin1", at + 4, at + 8);
    if (type === "jxlc") return at + boxHeaderBytes;
    if (type === "jxlp") return at + boxHeaderBytes + 4;
    const length = head.readUInt32BE(at);
    if (length < boxHeaderBytes) return undefined;
    at += length;
  }
  return undefined;
}
