/** The port to the sandboxed inspectors: whatever of a stranger's bytes is to be understood, one of them is asked. */
import type { Answer, QuestionKind } from "./questions.ts";

/** What an inspector may look at: a file that nobody changes, by its path; an opened one, which the caller closes; or bytes. */
export type Content = string | OpenedFile | Buffer;
export type OpenedFile = { readonly descriptor: number; readonly sizeBytes: number };

export type Asked = {
  /** Goes along with the question. */
  readonly more?: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
  /** Takes what the inspector writes, piece by piece; without it, it may write nothing. */
  write?(bytes: Buffer): Promise<void> | void;
};

export type Inspector = {
  /**
   * Asks about the contents. Rejects with a refusal (INVALID_INPUT, PASSWORD_REQUIRED, INPUT_TOO_COMPLEX, CONVERSION_FAILED),
   * with CONVERSION_TIMEOUT when the answer took too long, with UNAVAILABLE or INTERNAL when the fault is ours.
   */
  ask<K extends QuestionKind>(kind: K, contents: readonly Content[], asked?: Asked): Promise<Answer<K>>;
};
