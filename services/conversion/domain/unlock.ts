/** Opens a protected input with the password that came with it. */
import { FilemillError } from "#contract/errors.ts";
import type { FileRef, HopTask } from "./engine.ts";

export type UnlockTask = Pick<HopTask, "input" | "outputPath" | "timeoutMs" | "signal"> & { readonly password: string };

export type UnlockPorts = {
  /** Refuses a hostile or damaged file before any engine sees it. Rejects with INVALID_INPUT, PASSWORD_REQUIRED or INPUT_TOO_COMPLEX. */
  inspect(input: FileRef): Promise<void>;
  unlock(task: UnlockTask): Promise<void>;
  /** A new path for an intermediate file. */
  intermediatePath(format: string): string;
  sizeOf(path: string): Promise<number>;
};

/** The inspection does not reveal whether a PDF is protected. Only a program that reads the whole PDF can tell. */
const isSeen = (format: string): boolean => format !== "pdf" && format !== "pdfa";

/**
 * Inspects the input, and opens it if it is protected and a password came with it. Resolves with the file to convert: the input itself, or
 * a new file that the caller removes.
 */
export async function openInput(
  { input, password, timeoutMs, signal }: Omit<UnlockTask, "password" | "outputPath"> & { readonly password?: string | undefined },
  ports: UnlockPorts,
): Promise<FileRef> {
  try {
    await ports.inspect(input);
    if (password === undefined || isSeen(input.format)) return input;
  } catch (error) {
    const isLocked = error instanceof FilemillError && error.code === "PASSWORD_REQUIRED";
    if (password === undefined || !isLocked) throw error;
  }
  const outputPath = ports.intermediatePath(input.format);
  await ports.unlock({ input, outputPath, password, timeoutMs, signal });
  const opened = { path: outputPath, format: input.format, sizeBytes: await ports.sizeOf(outputPath) };
  await ports.inspect(opened);
  return opened;
}
