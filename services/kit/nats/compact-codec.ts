import { deflateRawSync, inflateRawSync } from "node:zlib";
import { type DescMessage, fromBinary, type MessageShape, toBinary } from "@bufbuild/protobuf";

/** Larger than any record we write: what a client of the broker makes up must not fill the memory. */
const maxMessageBytes = 64 * 1024 * 1024;

/** A bucket's codec for a message that repeats itself and would not fit the broker's limit of 1 MiB: Protobuf, deflated. */
export function compactCodec<S extends DescMessage>(schema: S) {
  return {
    encode: (message: MessageShape<S>): Uint8Array => deflateRawSync(toBinary(schema, message), { level: 1 }),
    decode: (bytes: Uint8Array): MessageShape<S> => fromBinary(schema, inflateRawSync(bytes, { maxOutputLength: maxMessageBytes })),
  };
}
