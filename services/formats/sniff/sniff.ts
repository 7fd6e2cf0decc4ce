import type { FileHandle } from "node:fs/promises";
import { fileTypeFromBuffer } from "file-type";
import { formatsOfFileName, parseFormatId } from "#formats/table/lookup.ts";
import { encodingOf } from "./encoding.ts";
import { withSource } from "./source.ts";

/** What a file is. */
export type Sniffed = {
  /** A format id; undefined when neither content nor name tells, or the content is not what the name claims and nothing we know. */
  readonly format: string | undefined;
  readonly toldBy: "content" | "name";
  /** The name stands for another format than the content. */
  readonly nameDisagrees: boolean;
  readonly sizeBytes: number;
};

/**
 * Tells a file's format by its content, and by its name only where the content leaves it open.
 * Reads a bounded part of the file. Rejects only when the file cannot be read.
 */
export function sniff(file: string | FileHandle, fileName: string): Promise<Sniffed> {
  return withSource(file, async ({ head, sizeBytes }) => {
    const named = formatsOfFileName(fileName);
    const isText = encodingOf(head) !== undefined;
    const found = isText ? undefined : await fileTypeFromBuffer(head);
    const content = found === undefined ? undefined : parseFormatId(found.ext);
    if (content !== undefined) {
      const nameDisagrees = named.length > 0 && !named.some((row) => row.id === content.id);
      return { format: content.id, toldBy: "content", nameDisagrees, sizeBytes };
    }
    return { format: named[0]?.id ?? (isText ? "txt" : undefined), toldBy: "name", nameDisagrees: false, sizeBytes };
  });
}
