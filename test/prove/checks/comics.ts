/** Comics made from pages and pages made from comics: one picture per page, each resembling its page. */
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Case, type Evidence, shareOf } from "#test/prove/evidence.ts";
import { python } from "#test/prove/readers/program.ts";
import { pagesOf } from "#test/prove/readers/words.ts";
import type { KnownFile } from "#test/prove/samples.ts";
import { unpack } from "./entries.ts";
import { likenessTo } from "./pictures.ts";

/** Extracts the first picture by name and returns how many there are. */
const first =
  "import sys, zipfile\nz = zipfile.ZipFile(sys.argv[1])\nassert z.testzip() is None\nn = sorted(n for n in z.namelist() if not n.endswith('/'))\n" +
  "open(sys.argv[2], 'wb').write(z.read(n[0]))\nprint(len(n))";

export async function checkComic({ input, result, writer }: Case): Promise<Evidence> {
  const folder = await mkdtemp(join(tmpdir(), "filemill-comic-"));
  try {
    const path = join(folder, "first.png");
    const count = Number(await python(first, result.path, path));
    const { reader, figures } = await likenessTo(input, { path, format: "png", kind: "image" }, writer);
    const { size: _, ...alike } = figures;
    return { reader, figures: { ...alike, pages: shareOf(count, await pagesOf(input.path)) } };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The first page, or its picture, resembles the first picture; a document has as many pages as there were pictures. */
export async function checkComicPages({ sample, result, writer }: Case): Promise<Evidence> {
  const folder = await mkdtemp(join(tmpdir(), "filemill-comic-"));
  try {
    await unpack(sample, folder, undefined);
    const pictures = (await readdir(folder, { recursive: true })).filter((name) => /\.(jpg|png)$/.test(name)).sort();
    const [name] = pictures;
    if (name === undefined) throw new Error("the sample has no pictures");
    const picture: KnownFile = { path: join(folder, name), format: name.slice(-3), kind: "image" };
    const { reader, figures } = await likenessTo(picture, result, writer);
    const { size: _, ...alike } = figures;
    return { reader, figures: result.kind === "image" ? alike : { ...alike, pages: shareOf(await pagesOf(result.path), pictures.length) } };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
