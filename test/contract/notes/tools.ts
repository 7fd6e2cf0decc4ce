/** Programs by which files are made. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";

const execute = promisify(execFile);

export async function run(program: string, args: readonly string[]): Promise<void> {
  await execute(program, [...args]);
}

export async function ffmpeg(...args: readonly string[]): Promise<void> {
  await run("ffmpeg", ["-nostdin", "-v", "error", "-y", ...args]);
}

export async function magick(...args: readonly string[]): Promise<void> {
  await run("convert-im6.q16", args);
}
