/** Comic books made of pages: one picture a page, each like its page. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Case, type Evidence, shareOf } from "#test/prove/evidence.ts";
import { python } from "#test/prove/readers/program.ts";
import { pagesOf } from "#test/prove/readers/words.ts";
import { likenessTo } from "./pictures.ts";

/** Extracts the first picture by name and says how many there are. */
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
