import { type FileHandle, open } from "node:fs/promises";

const copyBytes = 2 ** 20;

/** Makes a new file of pieces of another, each an offset and a length; of what is not there it gets nothing. */
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
