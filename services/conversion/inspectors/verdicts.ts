/** What inspectors are asked about every conversion: what the upload is, whether it is harmless, whether the result is whole. */
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

/** Up to here a file is asked about once for both: a trip to an inspector takes longer than its guards then. */
const smallBytes = 262_144;
/** A verdict waits for its job to begin. */
const mostRemembered = 256;

export type Verdicts = MetadataPorts & {
  /** Tells what a file is that nobody changes any more. Rejects when it cannot be read. */
  tell(path: string, fileName: string): Promise<Answer<"sniff">>;
  /** Looks for harm in a file before any engine sees it. Rejects with INVALID_INPUT, PASSWORD_REQUIRED or INPUT_TOO_COMPLEX. */
  inspect(input: FileRef): Promise<void>;
  /** Rejects with CONVERSION_FAILED unless there is a regular, non-empty file with one name that begins and ends as its format must. */
  checkResult(path: string, format: string): Promise<void>;
  /** What is in a file and in what was made of it. Undefined where counting takes too long, or fails: it is nobody's fault then. */
  count(source: FileRef, result: Omit<FileRef, "sizeBytes">): Promise<Answer<"counts"> | undefined>;
};

/** Undefined where the question fails, which is nobody's fault. */
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
  /** By the path of a blob, which stands for its bytes: no other blob is ever there. */
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
