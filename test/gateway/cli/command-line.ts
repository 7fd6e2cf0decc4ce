import { Readable } from "node:stream";
import type { Library } from "#gateway/cli/library.ts";
import { runCommandLine } from "#gateway/cli/program.ts";

export type Said = { readonly code: number; readonly out: string; readonly err: string };

type Surroundings = {
  readonly env?: Readonly<Record<string, string>>;
  readonly callerFolder?: string;
  openLibrary?(): Promise<Library>;
  readonly signal?: AbortSignal;
};

/** Runs one command line in this process. */
export async function filemill(
  args: readonly string[],
  { env = {}, callerFolder = "/", openLibrary, signal = new AbortController().signal }: Surroundings = {},
): Promise<Said> {
  const out: string[] = [];
  const err: string[] = [];
  const code = await runCommandLine(args, {
    env,
    callerFolder,
    out: (line) => void out.push(line),
    err: (line) => void err.push(line),
    isInteractive: false,
    signal,
    input: Readable.from([]),
    outBytes: async (bytes) => void out.push(Buffer.concat(await bytes.toArray()).toString()),
    openLibrary: openLibrary ?? (() => Promise.reject(new Error("this command needs no library"))),
  });
  return { code, out: out.join("\n"), err: err.join("\n") };
}
