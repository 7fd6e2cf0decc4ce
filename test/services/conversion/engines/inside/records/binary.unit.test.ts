import { describe, expect, it } from "vitest";
import { parseCbor } from "#services/conversion/engines/inside/records/binary.ts";

describe("CBOR", () => {
  it.each([1000, 5000, 100_000])("that is nested %i deep was called damaged, and is too complex", (depth) => {
    const bytes = Buffer.concat([Buffer.alloc(depth, 0x81), Buffer.from([1])]);
    expect(() => parseCbor(bytes)).toThrow(expect.objectContaining({ code: "INPUT_TOO_COMPLEX" }));
  });

  it("that is nested less deep than the bound is read", () => {
    expect(() => parseCbor(Buffer.concat([Buffer.alloc(190, 0x81), Buffer.from([1])]))).not.toThrow();
  });

  it("that ends in the middle is damaged", () => {
    expect(() => parseCbor(Buffer.from([0x82, 1]))).toThrow(expect.objectContaining({ code: "INVALID_INPUT" }));
  });
});
