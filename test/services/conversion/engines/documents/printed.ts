/** A printed page as read by independent programs: positions of words, colours, structure. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import sharp from "sharp";

const run = promisify(execFile);
const said = async (program: string, ...args: readonly string[]): Promise<string> =>
  (await run(program, [...args], { maxBuffer: 2 ** 26 })).stdout;

/** In points from the top left corner. */
export type Word = {
  readonly page: number;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly text: string;
};

export type Printed = {
  /** The first match, on a given page if any. */
  word(text: string, page?: number): Word;
  count(text: string): number;
  readonly text: string;
  readonly words: readonly Word[];
  readonly sizes: readonly (readonly [width: number, height: number])[];
  /** Red, green and blue at a position in points, on a page counted from 1. */
  pixel(x: number, y: number, page?: number): Promise<readonly number[]>;
  readonly fonts: string;
  readonly structure: string;
};

/** Pixels of a rendered page per point. */
const scale = 2;

export async function printedOf(path: string): Promise<Printed> {
  const [boxes, text, fonts, structure] = await Promise.all([
    said("pdftotext", "-bbox", path, "-"),
    said("pdftotext", path, "-"),
    said("pdffonts", path),
    said("pdfinfo", "-struct-text", path),
  ]);
  const pages = boxes.split("<page ").slice(1);
  const words = pages.flatMap((page, index) => [...page.matchAll(boxed)].map((found) => wordOf(found, index + 1)));
  const sizes = pages.map((page) => {
    const found = /^width="([\d.]+)" height="([\d.]+)"/.exec(page);
    return [Number(found?.[1]), Number(found?.[2])] as const;
  });
  return {
    ...{ text, words, fonts, structure, sizes },
    word(wanted, page) {
      const found = words.find((each) => each.text === wanted && (page === undefined || each.page === page));
      if (found === undefined) throw new Error(`There is no ${wanted}${page === undefined ? "" : ` on page ${page}`}.`);
      return found;
    },
    count: (wanted) => words.filter((each) => each.text === wanted).length,
    async pixel(x, y, page = 1) {
      const at = [Math.round(x * scale), Math.round(y * scale)];
      const args = ["-r", String(72 * scale), "-f", String(page), "-l", String(page), "-x", String(at[0]), "-y", String(at[1])];
      const { stdout } = await run("pdftoppm", [...args, "-W", "1", "-H", "1", "-png", path], { encoding: "buffer" });
      return [...(await sharp(stdout).removeAlpha().raw().toBuffer())];
    },
  };
}

const boxed = /<word xMin="([-\d.]+)" yMin="([-\d.]+)" xMax="([-\d.]+)" yMax="([-\d.]+)">([^<]*)<\/word>/g;

function wordOf([, left, top, right, bottom, text = ""]: readonly (string | undefined)[], page: number): Word {
  return { page, left: Number(left), top: Number(top), right: Number(right), bottom: Number(bottom), text };
}
