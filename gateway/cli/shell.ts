import type { Readable } from "node:stream";
import type { Library } from "./library.ts";

/** The process, as the commands see it. */
export type Shell = {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The caller's working directory, to which paths are relative. */
  readonly callerFolder: string;
  /** Prints a line to standard output: the command's result. */
  out(line: string): void;
  /** Prints a line to standard error: everything else. */
  err(line: string): void;
  /** True if standard error is a terminal. */
  readonly isInteractive: boolean;
  /** Fires on Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal;
  /** Standard input. */
  readonly input: Readable;
  /** Writes bytes to standard output. Resolves when they are written. */
  outBytes(bytes: Readable): Promise<void>;
  /** `attacksAnyway`: test the sandbox with attacks even if a recorded test shows that it holds. */
  openLibrary(how?: { readonly attacksAnyway: boolean }): Promise<Library>;
};
