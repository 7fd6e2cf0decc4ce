/** Programs that read what an engine wrote. */
import { execFile } from "node:child_process";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const environment = {
  PATH: "/usr/bin:/bin",
  LANG: "C.UTF-8",
  HOME: tmpdir(),
  // Outside the temporary folder, which may change each time: building the registry takes seconds.
  GST_REGISTRY: join(userInfo().homedir, ".cache/filemill-gst.registry"),
};
const timeoutMs = 40_000;

/** Standard output. Rejects if the program fails or takes too long. */
export async function bytesFrom(program: string, ...args: readonly string[]): Promise<Buffer> {
  return (await run(program, [...args], { encoding: "buffer", maxBuffer: 256 * 2 ** 20, env: environment, timeout: timeoutMs })).stdout;
}

export async function textFrom(program: string, ...args: readonly string[]): Promise<string> {
  return (await bytesFrom(program, ...args)).toString("utf8");
}

export function python(script: string, ...args: readonly string[]): Promise<string> {
  return textFrom("/usr/bin/python3", "-I", "-c", script, ...args);
}

/** Output of git. */
export async function gitText(folder: string, ...args: readonly string[]): Promise<string> {
  return (await run("git", ["-C", folder, ...args], { timeout: timeoutMs, maxBuffer: 16 * 2 ** 20 })).stdout;
}
