import { create, toBinary } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { BlobSchema } from "#gen/filemill/common/v1/blob_pb.ts";
import { sharedCodec } from "#kit/nats/shared-codec.ts";

const blobOf = (id: string) => create(BlobSchema, { id, digest: "d", sizeBytes: 1n });

test("returns the same message if it was encoded recently, and decodes anything else", () => {
  const codec = sharedCodec(BlobSchema);
  const [first, second] = [blobOf("first"), blobOf("other")];
  const bytes = codec.encode(first);
  codec.encode(second);
  expect(codec.decode(Buffer.from(bytes))).toBe(first);
  const foreign = toBinary(BlobSchema, blobOf("elsewhere"));
  expect(codec.decode(foreign)).toEqual(blobOf("elsewhere"));
});

test("decodes a message that was encoded long ago", () => {
  const codec = sharedCodec(BlobSchema);
  const first = blobOf("first");
  const bytes = codec.encode(first);
  for (let count = 0; count < 100; count += 1) codec.encode(blobOf(`later-${count}`));
  expect(codec.decode(bytes)).not.toBe(first);
  expect(codec.decode(bytes)).toEqual(first);
});
