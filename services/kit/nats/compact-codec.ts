import { deflateRawSync, inflateRawSync } from "node:zlib";
import { type DescMessage, fromBinary, type MessageShape, toBinary } from "@bufbuild/protobuf";

/** Larger than any record that Filemill writes. Data made up by another broker client must not fill the memory. */
const maxMessageBytes = 64 * 1024 * 1024;

/** Enough for the different messages that recur. */
const rememberedMessages = 16;

/** The last messages of each kind that this process wrote. A watcher in the same process need not decode them. */
const own = new Map<DescMessage, { readonly bytes: Uint8Array; readonly message: object }[]>();
const rememberedOwn = 4;

/**
 * A bucket's codec for a message that repeats itself and would exceed the broker's limit of 1 MiB: deflated Protobuf. A message that was
 * encoded or decoded before costs almost nothing. So nobody may change a message after passing it in or getting it out.
 *
 * @param tidy - Makes a freshly decoded message smaller before anyone else sees it.
 */
export function compactCodec<S extends DescMessage>(schema: S, tidy?: (message: MessageShape<S>) => void) {
  const encoded = new WeakMap<MessageShape<S>, Uint8Array>();
  const decoded: { readonly bytes: Buffer; readonly message: MessageShape<S> }[] = [];
  return {
    encode(message: MessageShape<S>): Uint8Array {
      const known = encoded.get(message);
      if (known !== undefined) return known;
      const bytes = deflateRawSync(toBinary(schema, message), { level: 1 });
      encoded.set(message, bytes);
      own.set(schema, [{ bytes, message }, ...(own.get(schema) ?? [])].slice(0, rememberedOwn));
      return bytes;
    },
    decode(bytes: Uint8Array): MessageShape<S> {
      const mine = own.get(schema)?.find((one) => Buffer.compare(one.bytes, bytes) === 0);
      if (mine !== undefined) return mine.message as MessageShape<S>;
      const known = decoded.find((one) => one.bytes.equals(bytes));
      if (known !== undefined) return known.message;
      const message = fromBinary(schema, inflateRawSync(bytes, { maxOutputLength: maxMessageBytes }));
      tidy?.(message);
      decoded.unshift({ bytes: Buffer.from(bytes), message });
      decoded.length = Math.min(decoded.length, rememberedMessages);
      return message;
    },
  };
}
