import { createWriteStream } from "node:fs";
import { stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { ZipFile } from "yazl";

/** A fixed time, so that the same files make the same archive. */
const mtime = new Date(Date.UTC(1980, 0, 1));

/** Packs files under these names into a new ZIP archive, one after another and never completely in memory. */
export async function packFiles(
  files: readonly { readonly name: string; readonly path: string }[],
  outputPath: string,
  signal: AbortSignal,
): Promise<void> {
  const archive = new ZipFile();
  const failed = new AbortController();
  archive.on("error", (error: Error) => failed.abort(error));
  const written = pipeline(archive.outputStream, createWriteStream(outputPath, { flags: "wx" }), {
    signal: AbortSignal.any([signal, failed.signal]),
  });
  for (const { name, path } of files) {
    const { size } = await stat(path);
    archive.addFile(path, name, { mtime, mode: 0o100644, compress: size > 0, forceDosTimestamp: true });
  }
  archive.end();
  await written.catch((error: unknown) => {
    throw failed.signal.aborted ? failed.signal.reason : error;
  });
}
