/** Avro's compressions, of which its library knows only deflate. @see https://avro.apache.org/docs/1.12.0/specification/#required-codecs */
import { inflateRaw, zstdDecompress } from "node:zlib";
import { compressors } from "hyparquet-compressors";

type Done = (error: Error | null, data?: Uint8Array) => void;

export const avroCodecs = {
  null: (data: Uint8Array, done: Done) => done(null, data),
  deflate: inflateRaw,
  snappy: (data: Uint8Array, done: Done) => {
    try {
      done(null, Buffer.from(withoutSnappy(data)));
    } catch (error) {
      done(error instanceof Error ? error : new Error("damaged"));
    }
  },
  zstandard: zstdDecompress,
};

/** A checksum of four bytes follows the data, which begins with its length. */
function withoutSnappy(data: Uint8Array): Uint8Array {
  let length = 0;
  for (const [place, byte] of data.subarray(0, 5).entries()) {
    length += (byte & 127) * 2 ** (7 * place);
    if (byte < 128) break;
  }
  // Snappy never makes data more than about twenty times smaller.
  if (compressors.SNAPPY === undefined || length > data.length * 64) throw new Error("damaged");
  return compressors.SNAPPY(data.subarray(0, -4), length);
}
