/** The questions about every conversion: the upload's format, whether it is harmless, and whether the result is complete. */
import { closeSync, statSync } from "node:fs";
import { FilemillError } from "#contract/errors.ts";
import { recallFile } from "#kit/blobs/fresh-files.ts";
import { mostCountedBytes } from "../domain/counts.ts";
import type { FileRef } from "../domain/engine.ts";
import type { Content, Inspector } from "../domain/inspector.ts";
import type { MetadataPorts } from "../domain/picture-metadata.ts";
import type { Answer } from "../domain/questions.ts";
import { openOutputNow } from "../engines/shared/tool-run.ts";
import { errorOf } from "./converse.ts";

/** Up to this size, one question covers both format and guards, because the round trip takes longer than the guards. */
const smallBytes = 262_144;
/** A verdict is kept until its job starts. */
const mostRemembered = 256;

export type Verdicts = MetadataPorts & {
  /** Detects the format of a file that nobody changes any more. Rejects if it cannot be read. */
  tell(path: string, fileName: string): Promise<Answer<"sniff">>;
  /** Checks a file for harm before any engine sees it. Rejects with INVALID_INPUT, PASSWORD_REQUIRED or INPUT_TOO_COMPLEX. */
  inspect(input: FileRef): Promise<void>;
  /**
   * Rejects with CONVERSION_FAILED unless the file is a regular, non-empty one with a single name that starts and ends as its format must.
   */
  checkResult(path: string, format: string): Promise<void>;
  /** The counts of a file and of its result. Undefined if counting takes too long or fails, which must not fail the conversion. */
  count(source: FileRef, result: Omit<FileRef, "sizeBytes">): Promise<Answer<"counts"> | undefined>;
};

/** Undefined if the question fails, which must not fail the conversion. */
async function ofResult<T>(path: string, ask: (result: Content, sizeBytes: number) => Promise<T>): Promise<T | undefined> {
  const fresh = recallFile(path);
  const opened = fresh === undefined ? openOutputNow(path) : undefined;
  try {
    return await ask(opened ?? fresh ?? Buffer.alloc(0), opened?.sizeBytes ?? fresh?.length ?? 0);
  } catch (error) {
    if (error instanceof FilemillError) return undefined;
    throw error;
  } finally {
    if (opened !== undefined) closeSync(opened.descriptor);
  }
}

export function createVerdicts(inspector: Inspector): Verdicts {
  /** By the path of a blob, which identifies its bytes: no other blob ever has this path. */
  const remembered = new Map<string, Answer<"sniff">>();

  function remember(path: string, verdict: Answer<"sniff">): void {
    remembered.set(path, verdict);
    const [oldest] = remembered.keys();
    if (remembered.size > mostRemembered && oldest !== undefined) remembered.delete(oldest);
  }

  return {
    async tell(path, fileName) {
      const sizeBytes = recallFile(path)?.length ?? statSync(path).size;
      const withGuards = sizeBytes > 0 && sizeBytes <= smallBytes;
      const verdict = await inspector.ask("sniff", [path], { more: { fileName, withGuards } });
      if (withGuards && verdict.format !== undefined) remember(path, verdict);
      return verdict;
    },
    async inspect({ path, format }) {
      const verdict = remembered.get(path);
      remembered.delete(path);
      if (verdict?.format !== format) return void (await inspector.ask("inspect", [path], { more: { format } }));
      if (verdict.refusal !== undefined) throw errorOf(verdict.refusal);
    },
    async checkResult(path, format) {
      const bytes = recallFile(path);
      if (bytes !== undefined && bytes.length > 0) return void (await inspector.ask("check", [bytes], { more: { format } }));
      const opened = openOutputNow(path);
      try {
        await inspector.ask("check", [opened], { more: { format } });
      } finally {
        closeSync(opened.descriptor);
      }
    },
    async count(source, { path, format }) {
      return await ofResult(path, async (result, sizeBytes) => {
        const isLarge = Math.max(source.sizeBytes, sizeBytes) > mostCountedBytes(source.format, format);
        return isLarge ? undefined : await inspector.ask("counts", [source.path, result], { more: { from: source.format, to: format } });
      });
    },
    async metadata({ path, format }, result) {
      const more = { from: format, to: result.format };
      return await ofResult(result.path, (opened) => inspector.ask("pictureMetadata", [path, opened], { more }));
    },
  };
}
