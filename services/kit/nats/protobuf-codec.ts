import { type DescMessage, fromBinary, type MessageShape, toBinary } from "@bufbuild/protobuf";

export const protobufCodec = <D extends DescMessage>(schema: D) => ({
  encode: (message: MessageShape<D>) => toBinary(schema, message),
  decode: (bytes: Uint8Array) => fromBinary(schema, bytes),
});
