import { type FileHandle, open } from "node:fs/promises";

const copyBytes = 2 ** 20;

/** Writes pieces of a file, each an offset and a length, to a new file. Ranges past the end add nothing. */
export async function copyPieces(source: FileHandle, to: string, pieces: readonly (readonly number[])[]): Promise<void> {
  await using target = await open(to, "wx");
  const buffer = Buffer.allocUnsafe(copyBytes);
  for (const [offset = 0, length = 0] of pieces) {
    for (let done = 0; done < length; ) {
      const { bytesRead } = await source.read(buffer, 0, Math.min(copyBytes, length - done), offset + done);
      if (bytesRead === 0) break;
      await target.write(buffer, 0, bytesRead);
      done += bytesRead;
    }
  }
}
