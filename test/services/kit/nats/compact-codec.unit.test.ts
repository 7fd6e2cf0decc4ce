import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { type Manifest, ManifestSchema } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import { compactCodec } from "#kit/nats/compact-codec.ts";

const manifestOf = (node: string): Manifest =>
  create(ManifestSchema, { node, engines: [{ id: "sharp", hops: [{ from: "png", to: "webp" }] }] });

describe("compactCodec", () => {
  it("returns the written message within the process and decodes any other", () => {
    const [writer, reader] = [compactCodec(ManifestSchema), compactCodec(ManifestSchema)];
    const message = manifestOf("here");
    const bytes = writer.encode(message);
    expect(reader.decode(Uint8Array.from(bytes))).toBe(message);
    for (let more = 0; more < 4; more += 1) writer.encode(manifestOf(`later ${more}`));
    const read = reader.decode(bytes);
    expect(read).not.toBe(message);
    expect(read).toEqual(message);
    expect(reader.decode(bytes)).toBe(read);
  });

  it("normalizes decoded messages", () => {
    const codec = compactCodec(ManifestSchema, (manifest) => {
      manifest.sandbox = "tidied";
    });
    const bytes = compactCodec(ManifestSchema).encode(manifestOf("elsewhere"));
    for (let more = 0; more < 4; more += 1) codec.encode(manifestOf(`later ${more}`));
    expect(codec.decode(bytes)).toMatchObject({ node: "elsewhere", sandbox: "tidied" });
  });

  it("rejects invalid data", () => {
    expect(() => compactCodec(ManifestSchema).decode(Buffer.from("no deflate"))).toThrow();
  });
});
