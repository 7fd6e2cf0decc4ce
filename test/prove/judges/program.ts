/** Judges that are separate programs. */

import type { ExecFileException } from "node:child_process";
import { execFile } from "node:child_process";

const timeoutMs = 60_000;

export type Ended = { readonly code: number; readonly out: string; readonly said: string };

/** Resolves with any exit code. Rejects if the program is missing, is killed or takes too long. */
export function ended(program: string, ...args: readonly string[]): Promise<Ended> {
  const options = { encoding: "utf8", maxBuffer: 64 * 2 ** 20, timeout: timeoutMs, env: { ...process.env, LC_ALL: "C.UTF-8" } } as const;
  return new Promise((resolve, reject) => {
    execFile(program, [...args], options, (error: ExecFileException | null, out, errors) => {
      if (error !== null && typeof error.code !== "number") reject(error);
      else resolve({ code: Number(error?.code ?? 0), out, said: `${out}\n${errors}` });
    });
  });
}

/** Distinct non-empty lines, without the file's own path. */
export function linesOf(text: string, path = ""): readonly string[] {
  const lines = text.split("\n").map((line) => (path === "" ? line : line.replaceAll(path, "FILE")).replaceAll(/\s+/g, " ").trim());
  return [...new Set(lines.filter((line) => line !== ""))];
}

/** The first thing that looks like a version number in a program's output. */
export async function versionOf(program: string, ...args: readonly string[]): Promise<string | undefined> {
  const { said } = await ended(program, ...args).catch(() => ({ said: "" }));
  return /\d+\.\d+(?:\.\d+)*/.exec(said)?.[0];
}
