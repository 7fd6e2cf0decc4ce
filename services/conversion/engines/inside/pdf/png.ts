/** Writes pictures as pdf.js decodes them as PNG (W3C PNG, third edition), which every document reader shows. */
import { crc32, deflateSync } from "node:zlib";

/** By pdf.js's pixel kind: 1-bit grey, RGB, RGBA. */
const layouts: Readonly<Record<number, { readonly depth: number; readonly colour: number; readonly bits: number }>> = {
  1: { depth: 1, colour: 0, bits: 1 },
  2: { depth: 8, colour: 2, bits: 24 },
  3: { depth: 8, colour: 6, bits: 32 },
};

export type Pixels = {
  readonly width: number;
  readonly height: number;
  readonly kind: number;
  readonly data: Uint8Array | Uint8ClampedArray;
};

/** Undefined for other kinds. */
export function bytesOfRow(width: number, kind: number): number | undefined {
  const layout = layouts[kind];
  return layout === undefined ? undefined : Math.ceil((width * layout.bits) / 8);
}

/** Undefined if there is less pixel data than declared. */
export function pngOf({ width, height, kind, data }: Pixels): Uint8Array | undefined {
  const [layout, row] = [layouts[kind], bytesOfRow(width, kind)];
  if (layout === undefined || row === undefined) return undefined;
  if (width < 1 || height < 1 || data.length < row * height) return undefined;
  const lines = Buffer.alloc((row + 1) * height);
  for (let y = 0; y < height; y++) lines.set(data.subarray(y * row, (y + 1) * row), y * (row + 1) + 1);
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([layout.depth, layout.colour, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk("IHDR", head), chunk("IDAT", deflateSync(lines)), chunk("IEND", Buffer.alloc(0))]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
