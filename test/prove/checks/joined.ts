/** Archives whose files became one: as many pages, pictures and seconds as they have together, and the words of their texts. */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { type Case, type Evidence, shareOf } from "#test/prove/evidence.ts";
import { filmOf, soundOf } from "#test/prove/readers/media.ts";
import { pagesOf, recallOf, textOf } from "#test/prove/readers/words.ts";
import type { KnownFile } from "#test/prove/samples.ts";
import { unpack } from "./entries.ts";

type Inside = { readonly count: number; readonly words: readonly string[]; readonly seconds: number };

export async function checkJoined({ sample, result, writer }: Case): Promise<Evidence> {
  const inside = await insideOf(sample);
  if (result.kind === "audio") return joinedSound(result, inside, writer);
  if (result.format === "mp4") {
    const { reader, frames, framesPerSecond } = await filmOf(result, writer);
    return { reader, figures: { time: Math.abs(frames.length / framesPerSecond - 3 * inside.count) } };
  }
  if (result.format === "gif" || result.format === "tiff") {
    const { pages = 1 } = await sharp(result.path).metadata();
    return {
      reader: "sharp",
      figures: result.format === "gif" ? { frames: shareOf(pages, inside.count) } : { pages: shareOf(pages, inside.count) },
    };
  }
  const { reader, text } = await textOf(result, writer);
  const figures = { recall: recallOf(inside.words, text) };
  return { reader, figures: result.format === "pdf" ? { ...figures, pages: shareOf(await pagesOf(result.path), inside.count) } : figures };
}

async function joinedSound(result: KnownFile, { seconds }: Inside, writer: string): Promise<Evidence> {
  const { reader, samples, rate, channels } = await soundOf(result, writer);
  if (seconds === 0) throw new Error("the sample has no sounds");
  return { reader, figures: { time: Math.abs(samples.length / channels / rate - seconds) } };
}

async function insideOf(sample: KnownFile): Promise<Inside> {
  const folder = await mkdtemp(join(tmpdir(), "filemill-joined-"));
  try {
    await unpack(sample, folder, undefined);
    const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
    let [words, seconds]: [string[], number] = [[], 0];
    for (const { parentPath, name } of files) {
      const path = join(parentPath, name);
      if (name.endsWith(".txt"))
        words = [...words, ...(await readFile(path, "utf8")).split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 2)];
      if (!name.endsWith(".wav")) continue;
      const { samples, rate, channels } = await soundOf({ path, format: "wav", kind: "audio" });
      seconds += samples.length / channels / rate;
    }
    return { count: files.length, words, seconds };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
