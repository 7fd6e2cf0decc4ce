import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** The simplest value a bucket can hold. */
export const textCodec = {
  encode: (value: string): Uint8Array => Buffer.from(value),
  decode: (bytes: Uint8Array): string => Buffer.from(bytes).toString(),
};

export async function serverPidOf(dataDir: string): Promise<number> {
  return Number(await readFile(join(dataDir, "nats", "server.pid"), "utf8"));
}

export async function killServer(dataDir: string): Promise<void> {
  process.kill(await serverPidOf(dataDir), "SIGKILL");
}
