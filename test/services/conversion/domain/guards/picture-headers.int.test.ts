import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pictureHeaders } from "#services/conversion/domain/guards/picture-headers.ts";
import { rasterSample } from "#test/services/conversion/engines/pictures/raster-samples.ts";
import { refusalOf, sourceOf } from "./refused.ts";

describe("the size in a picture header", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "filemill-headers-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function sample(format: string): Promise<Buffer> {
    if (format !== "jxl") return readFile(await rasterSample(format, folder));
    await promisify(execFile)("cjxl", [await rasterSample("png", folder), join(folder, "raster.jxl")]);
    return readFile(join(folder, "raster.jxl"));
  }

  it.each(Object.keys(pictureHeaders))("is read correctly: %s", async (format) => {
    const bytes = await sample(format);
    expect(await pictureHeaders[format]?.(sourceOf(bytes))).toEqual({ width: 64, height: 48 });
    expect(await refusalOf(bytes, format)).toBe("accepted");
    // However short the input, only our own errors are thrown.
    for (const length of [1, 5, 23, 100])
      expect(["accepted", "INVALID_INPUT"]).toContain(await refusalOf(bytes.subarray(0, length), format));
  });

  const giant = Buffer.from([0, 0, 0xc3, 0x50]);
  const little = Buffer.from([0x50, 0xc3, 0, 0]);
  it.each([
    ["ico", [38, 42], giant],
    ["cur", [38, 42], giant],
    ["psd", [14, 18], giant],
    ["psb", [14, 18], giant],
    ["dds", [12, 16], little],
    ["qoi", [4, 8], giant],
    ["tga", [12, 14], little.subarray(0, 2)],
    ["ras", [4, 8], giant],
    ["dpx", [772, 776], giant],
    ["xwd", [16, 20], giant],
    ["avs", [0, 4], giant],
    ["j2k", [8, 12], giant],
    ["sgi", [6, 8], giant.subarray(2)],
  ] as const)("is rejected at 50,000 × 50,000 pixels: %s", async (format, places, value) => {
    const bytes = await sample(format);
    for (const at of places) value.copy(bytes, at);
    expect(await refusalOf(bytes, format)).toBe("INPUT_TOO_COMPLEX");
  });

  it.each(["ppm", "pgm", "pbm", "pam", "hdr", "xpm", "xbm", "miff", "vicar", "mtv", "fits"])(
    "is rejected at 50,000 × 50,000 pixels in a text header: %s",
    async (format) => {
      const text = (await sample(format)).toString("latin1");
      const lied = text
        .replace(/\b64\b/, "50000")
        .replace(/\b48\b/, "50000")
        .replace(/\b64\b/, format === "vicar" ? "64" : "50000");
      const bytes = Buffer.from(format === "vicar" ? text.replace(/NL=\s*48/, "NL=50000").replace(/NS=\s*64/, "NS=50000") : lied, "latin1");
      expect(await refusalOf(bytes, format)).toBe("INPUT_TOO_COMPLEX");
    },
  );

  it("is rejected at 50,000 × 50,000 pixels in EXR and JPEG XL", async () => {
    const exr = await sample("exr");
    const at = exr.indexOf("dataWindow\0box2i\0", 0, "latin1") + 21;
    exr.writeInt32LE(49_999, at + 8);
    exr.writeInt32LE(49_999, at + 12);
    expect(await refusalOf(exr, "exr")).toBe("INPUT_TOO_COMPLEX");
    // "small" unset, the height 49,999 in 18 bits, the same width.
    const bits = 0 + 2 * (2 + 4 * (49_999 + 2 ** 18 * 1));
    const jxl = Buffer.alloc(16);
    jxl.writeUInt16BE(0xff0a);
    jxl.writeUIntLE(bits, 2, 6);
    expect(await refusalOf(jxl, "jxl")).toBe("INPUT_TOO_COMPLEX");
  });
});
