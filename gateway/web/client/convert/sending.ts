import type { Choices } from "./items.ts";

/** A file on its way to the server, in whichever way it goes. */
export type Upload = {
  readonly file: File;
  readonly to: string;
  /** Only where it shall override what the server sees. */
  readonly from: string | undefined;
  readonly options: Choices;
  /** Of a protected file. */
  readonly password?: string | undefined;
  readonly outputPassword?: string | undefined;
  /** The same for each try, so that a lost answer does not convert the file twice. */
  readonly idempotencyKey: string;
  readonly signal: AbortSignal;
  /** Address of what has come of a file that is sent in pieces; undefined where nothing has. */
  readonly begun: string | undefined;
  onBegun(address: string): void;
  /** @param fraction - 0 to 1. */
  onProgress(fraction: number): void;
};
