import type { Choices } from "./items.ts";

/** An upload, in one piece or resumable. */
export type Upload = {
  readonly file: File;
  readonly to: string;
  /** Set only if it should override the server's detection. */
  readonly from: string | undefined;
  readonly options: Choices;
  /** Password of a protected file. */
  readonly password?: string | undefined;
  readonly outputPassword?: string | undefined;
  /** The same for every attempt, so that a lost answer does not convert the file twice. */
  readonly idempotencyKey: string;
  readonly signal: AbortSignal;
  /** URL of a resumable upload that has started; undefined if none has. */
  readonly begun: string | undefined;
  onBegun(address: string): void;
  /** @param fraction - 0 to 1. */
  onProgress(fraction: number): void;
};
