import type { Readable } from "node:stream";
import type { Library } from "./library.ts";

/** What the commands see of the process they run in. */
export type Shell = {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where the caller is: relative paths are meant from there. */
  readonly callerFolder: string;
  /** A line on standard output: the command's result. */
  out(line: string): void;
  /** A line on standard error: everything else. */
  err(line: string): void;
  /** Standard error is a terminal that a person looks at. */
  readonly isInteractive: boolean;
  /** Fires when the caller wants no more (Ctrl-C). */
  readonly signal: AbortSignal;
  /** The bytes that the command is fed. */
  readonly input: Readable;
  /** Takes bytes for standard output; resolves when they are written. */
  outBytes(bytes: Readable): Promise<void>;
  /** `attacksAnyway`: the sandbox, also where it is remembered to have held. */
  openLibrary(how?: { readonly attacksAnyway: boolean }): Promise<Library>;
};
