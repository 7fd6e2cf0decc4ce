/** Archives whose files were joined: the total of pages, pictures and seconds, and the words of their texts. */
import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { type Case, type Evidence, shareOf } from "#test/prove/evidence.ts";
import { filmOf, soundOf } from "#test/prove/readers/media.ts";
import { python } from "#test/prove/readers/program.ts";
import { pagesOf, recallOf, textOf } from "#test/prove/readers/words.ts";
import type { KnownFile } from "#test/prove/samples.ts";
import { unpack } from "./entries.ts";

type Inside = { readonly count: number; readonly pictures: number; readonly words: readonly string[]; readonly seconds: number };

export async function checkJoined({ sample, result, writer }: Case): Promise<Evidence> {
  const inside = await insideOf(sample);
  if (result.kind === "audio") return joinedSound(result, inside, writer);
  if (result.format === "mp4") {
    const { reader, frames, framesPerSecond } = await filmOf(result, writer);
    return { reader, figures: { time: Math.abs(frames.length / framesPerSecond - 3 * inside.count) } };
  }
  if (result.format === "cbz")
    return { reader: "python", figures: { pages: shareOf(await samePictures(sample, result), inside.pictures) } };
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

const isPicture = (name: string): boolean => /\.(jpg|png|gif|webp)$/.test(name);
const digests =
  "import sys, zipfile, hashlib\nz = zipfile.ZipFile(sys.argv[1])\nfor n in z.namelist(): print(hashlib.sha256(z.read(n)).hexdigest())";

/** How many of the archive's pictures are in the result byte for byte. */
async function samePictures(sample: KnownFile, result: KnownFile): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "filemill-joined-"));
  try {
    await unpack(sample, folder, undefined);
    const held = new Set((await python(digests, result.path)).trim().split("\n"));
    const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter(
      (entry) => entry.isFile() && isPicture(entry.name),
    );
    const wanted = await Promise.all(files.map(async ({ parentPath, name }) => readFile(join(parentPath, name))));
    return wanted.filter((bytes) => held.has(createHash("sha256").update(bytes).digest("hex"))).length;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
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
    return { count: files.length, pictures: files.filter(({ name }) => isPicture(name)).length, words, seconds };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
