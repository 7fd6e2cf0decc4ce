import { type DescMessage, fromBinary, type MessageShape, toBinary } from "@bufbuild/protobuf";

/** Messages in transit from writers to watchers. */
const rememberedMessages = 16;

/**
 * A bucket's codec for a message that is written and watched in one process, by whichever services. It does not decode again what was just
 * encoded. Nobody may change a message after passing it in or getting it out.
 */
export function sharedCodec<S extends DescMessage>(schema: S) {
  const recent: { readonly bytes: Uint8Array; readonly message: MessageShape<S> }[] = [];
  let next = 0;
  return {
    encode(message: MessageShape<S>): Uint8Array {
      const bytes = toBinary(schema, message);
      recent[next] = { bytes, message };
      next = (next + 1) % rememberedMessages;
      return bytes;
    },
    decode(bytes: Uint8Array): MessageShape<S> {
      const known = recent.find((each) => each.bytes.length === bytes.length && Buffer.compare(each.bytes, bytes) === 0);
      return known?.message ?? fromBinary(schema, bytes);
    },
  };
}
