/** `-` on the command line. Piped data is stored in temporary files, because engines and uploads need files. */
import { createReadStream, createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { FilePair } from "./input-files.ts";
import type { Shell } from "./shell.ts";

export const pipeSign = "-";

/**
 * Runs `convert` with files in place of the pipes. Passes the result on once it is complete.
 *
 * @param extension - Extension of the result file.
 */
export async function withPipedFiles<T>(
  { inputPath, outputPath }: FilePair,
  extension: string | undefined,
  { input, outBytes, signal }: Pick<Shell, "input" | "outBytes" | "signal">,
  convert: (pair: FilePair) => Promise<T>,
): Promise<T> {
  if (inputPath !== pipeSign && outputPath !== pipeSign) return convert({ inputPath, outputPath });
  const folder = await mkdtemp(join(tmpdir(), "filemill-pipe-"));
  try {
    const source = inputPath === pipeSign ? join(folder, "input") : inputPath;
    if (inputPath === pipeSign) await pipeline(input, createWriteStream(source), { signal });
    const result = outputPath === pipeSign ? join(folder, `result.${extension ?? "bin"}`) : outputPath;
    const said = await convert({ inputPath: source, outputPath: result });
    if (outputPath === pipeSign) await outBytes(createReadStream(result));
    return said;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
