/** Complete parts of a ZIP package. */
import { isUtf8 } from "node:buffer";
import { type ByteSource, windowOf } from "#services/conversion/domain/guards/byte-source.ts";
import { openEntry, readZipDirectory, type ZipEntry } from "#services/conversion/domain/guards/zip-directory.ts";
import { contentOf } from "../remote-file.ts";
import { Uncountable } from "./uncountable.ts";

/** Unpacking this much for counting costs less than what an engine does with it. */
const maxUnpackedBytes = 32 * 2 ** 20;

export type Package = {
  readonly names: readonly string[];
  /** @throws Uncountable for a missing part, or for too much in total. */
  bytes(name: string): Promise<Buffer>;
  text(name: string): Promise<string>;
};

export async function openPackage(source: ByteSource): Promise<Package> {
  const file = windowOf(source);
  const entries = new Map((await readZipDirectory(file)).map((entry): [string, ZipEntry] => [entry.name, entry]));
  let unpackedBytes = 0;
  const bytes = async (name: string): Promise<Buffer> => {
    const entry = entries.get(name);
    unpackedBytes += entry?.sizeBytes ?? 0;
    const part = entry === undefined || unpackedBytes > maxUnpackedBytes ? undefined : await openEntry(file, entry);
    if (part === undefined) throw new Uncountable();
    return await contentOf(part);
  };
  return { names: [...entries.keys()], bytes, text: async (name) => wholeText(await bytes(name)) };
}

/** @throws Uncountable for text that is not UTF-8. */
export function wholeText(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new Uncountable();
  return new TextDecoder().decode(bytes);
}
