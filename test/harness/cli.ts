import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { servingEnvironment } from "#gateway/setup/node.mjs";
import type { TestServer } from "./server.ts";

/** Runs the `filemill` command against a running server and resolves with its output. */
export async function runCli(server: TestServer, words: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<string> {
  const env = { ...servingEnvironment, PATH: process.env.PATH, DATA_DIR: server.dataDir, ...more };
  const { stdout } = await promisify(execFile)(process.execPath, ["gateway/cli/main.ts", ...words], { env });
  return stdout;
}
