import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { expect, it } from "vitest";
import { srgbProfile } from "#services/conversion/engines/pictures/icc-profile.mjs";

it("writes an sRGB profile that libvips reads as sRGB", async () => {
  const folder = await mkdtemp(join(tmpdir(), "filemill-profile-"));
  try {
    await writeFile(join(folder, "srgb.icc"), srgbProfile());
    for (const colour of [
      [255, 0, 0],
      [12, 200, 99],
      [3, 3, 3],
    ] as const) {
      const picture = await sharp(Buffer.from(colour), { raw: { width: 1, height: 1, channels: 3 } })
        .withIccProfile(join(folder, "srgb.icc"))
        .png()
        .toBuffer();
      expect((await sharp(picture).metadata()).hasProfile).toBe(true);
      const seen = await sharp(picture).toColourspace("srgb").raw().toBuffer();
      for (const [channel, value] of colour.entries()) expect(Math.abs((seen[channel] ?? -9) - value)).toBeLessThanOrEqual(2);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
