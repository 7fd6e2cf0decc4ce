/** How engines ask about what tools have made, and for files that an inspector writes. */
import { closeSync } from "node:fs";
import { open } from "node:fs/promises";
import { FilemillError } from "#contract/errors.ts";
import type { Asked, Inspector } from "#services/conversion/domain/inspector.ts";
import type { Answer, QuestionKind } from "#services/conversion/domain/questions.ts";
import { openOutputNow } from "./tool-run.ts";

/**
 * Asks about files that a sandboxed program left, which may be anything.
 *
 * @throws FilemillError CONVERSION_FAILED unless each is a regular, non-empty file with one name.
 */
export async function askMade<K extends QuestionKind>(
  inspector: Inspector,
  kind: K,
  paths: readonly string[],
  asked: Asked,
): Promise<Answer<K>> {
  using stack = new DisposableStack();
  const opened = paths.map((path) => {
    const file = openOutputNow(path);
    stack.defer(() => closeSync(file.descriptor));
    return file;
  });
  return await inspector.ask(kind, opened, asked);
}

/** What the inspector writes becomes a new file at `made`, which everybody may read. */
export async function askForFile<K extends QuestionKind>(
  inspector: Inspector,
  kind: K,
  paths: readonly string[],
  made: string,
  { maxBytes, ...asked }: Omit<Asked, "write"> & { readonly maxBytes: number },
): Promise<Answer<K>> {
  await using file = await open(made, "wx", 0o644);
  let length = 0;
  return await inspector.ask(kind, paths, {
    ...asked,
    async write(bytes) {
      length += bytes.length;
      if (length > maxBytes) throw new FilemillError("INPUT_TOO_COMPLEX", "The file becomes too large when its text is decoded.");
      await file.appendFile(bytes);
    },
  });
}

/** What is said of a text where a tool wrote none. Rejects with every other failure. */
export function noLetters(error: unknown): Answer<"letters"> {
  if (error instanceof FilemillError && error.code === "CONVERSION_FAILED") return { all: 0, unknown: 0 };
  throw error;
}
