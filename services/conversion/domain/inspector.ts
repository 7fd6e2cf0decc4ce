/** The port to the sandboxed inspectors. Only they interpret a stranger's bytes. */
import type { Answer, QuestionKind } from "./questions.ts";

/** What an inspector may read: a file that nobody changes, as a path; an open file, which the caller closes; or bytes. */
export type Content = string | OpenedFile | Buffer;
export type OpenedFile = { readonly descriptor: number; readonly sizeBytes: number };

export type Asked = {
  /** Sent along with the question. */
  readonly more?: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
  /** Receives what the inspector writes, piece by piece. Without it, the inspector may write nothing. */
  write?(bytes: Buffer): Promise<void> | void;
};

export type Inspector = {
  /**
   * Asks a question about the contents. Rejects with a refusal (INVALID_INPUT, PASSWORD_REQUIRED, INPUT_TOO_COMPLEX, CONVERSION_FAILED),
   * with CONVERSION_TIMEOUT if the answer took too long, and with UNAVAILABLE or INTERNAL if the fault is Filemill's.
   */
  ask<K extends QuestionKind>(kind: K, contents: readonly Content[], asked?: Asked): Promise<Answer<K>>;
};
