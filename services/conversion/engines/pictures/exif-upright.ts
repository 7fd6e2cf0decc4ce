/** Resets the orientation tag of a JPEG or PNG with upright pixels: decoders rotate the pixels but may leave the EXIF unchanged. */
import { open } from "node:fs/promises";
import type { Inspector } from "#services/conversion/domain/inspector.ts";

/** The file must be our own, and out of reach of every sandbox. */
export async function standUpright(inspector: Inspector, path: string): Promise<void> {
  const { patches } = await inspector.ask("uprightPatches", [path]);
  if (patches.length === 0) return;
  await using file = await open(path, "r+");
  const { size } = await file.stat();
  for (const { at, hex } of patches) {
    const bytes = Buffer.from(hex, "hex");
    if (at + bytes.length <= size) await file.write(bytes, 0, bytes.length, at);
  }
}
