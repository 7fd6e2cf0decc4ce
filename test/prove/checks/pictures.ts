/**
 * Pictures: size, frames, similarity and colour compared with the source; for a page or drawing, with another program's rendering of it.
 */
import { stat } from "node:fs/promises";
import sharp from "sharp";
import { type Case, type Evidence, shareOf } from "#test/prove/evidence.ts";
import { colourDifferenceOf, inkOf, ssimOf } from "#test/prove/readers/likeness.ts";
import { framesOf, type Pixels, readingsOf, rgbOf, writerAmongReaders } from "#test/prove/readers/pixels.ts";
import { textFrom } from "#test/prove/readers/program.ts";
import { recallOf } from "#test/prove/readers/words.ts";
import type { KnownFile } from "#test/prove/samples.ts";
import { filmTruthOf } from "./film.ts";

/** Pixels on the longer side at which two pictures are compared. */
const longSide = 240;
/** Below this, a picture may still be a bilevel one. */
const bilevelSsim = 0.4;

export async function checkPicture(given: Case): Promise<Evidence> {
  const { sample, input, result, writer } = given;
  if (sample.kind === "video") return stillOfFilm(given);
  if (sample.kind === "image") {
    const evidence = await likenessTo(sample, result, writer);
    const frames = await framesOf(sample);
    return frames === 1 ? evidence : { ...evidence, figures: { ...evidence.figures, frames: shareOf(await framesOf(result), frames) } };
  }
  // The engine chooses the pixel size of a vector source, but not its look.
  const evidence = await likenessTo(input, result, writer).catch(() => wordsInPicture(given));
  const { size: _, ...figures } = evidence.figures;
  return { ...evidence, figures };
}

/** The best result of independent readers; the first that clearly passes ends the search. */
export async function likenessTo(source: KnownFile, result: KnownFile, writer: string): Promise<Evidence> {
  const references = await renderingsOf(source, writer);
  if ((await references.at(0)) === undefined) throw new Error(`no reader for ${source.format}`);
  let best: Evidence | undefined;
  for await (const found of readingsOf(result, writer)) {
    if (best !== undefined && found.reader === "self") break;
    for (let index = 0; index < maxRenderings; index++) {
      const reference = await references.at(index);
      if (reference === undefined) break;
      const evidence = { reader: found.reader, figures: await compared(reference, found) };
      if (best === undefined || (evidence.figures.ssim ?? 0) > (best.figures.ssim ?? 0)) best = evidence;
      if ((evidence.figures.ssim ?? 0) > 0.85) return best;
    }
  }
  if (best === undefined) throw new Error(`no reader for ${result.format}`);
  return best;
}

/** Programs interpret rare formats differently. */
const maxRenderings = 2;

type Renderings = { at(index: number): Promise<Pixels | undefined> };

/** Renderings of a source, which is compared with many results in a row; created on demand. */
const rendered = new Map<string, Renderings>();
const maxRendered = 8;

/** Keyed by modification time too: a hop's output paths are used once, sample paths stay. */
async function renderingsOf({ path, format, kind }: KnownFile, writer: string): Promise<Renderings> {
  const { mtimeNs, size } = await stat(path, { bigint: true });
  const key = [path, format, mtimeNs, size, writerAmongReaders(writer, format)].join(" ");
  const known = rendered.get(key) ?? renderingsBy(readingsOf({ path, format, kind }, writer));
  rendered.delete(key);
  rendered.set(key, known);
  for (const old of [...rendered.keys()].slice(0, -maxRendered)) rendered.delete(old);
  return known;
}

function renderingsBy(readings: AsyncGenerator<Pixels>): Renderings {
  const found: Pixels[] = [];
  return {
    async at(index) {
      while (found.length <= index && found.length < maxRenderings) {
        const { value, done } = await readings.next();
        if (done === true) break;
        found.push(value);
      }
      return found[index];
    },
  };
}

async function compared(wanted: Pixels, found: Pixels): Promise<Evidence["figures"]> {
  const [longest, shown] = [Math.max(wanted.width, wanted.height), Math.max(found.width, found.height)];
  const near = await likenessAt(wanted, found, Math.min(1, longSide / longest, shown / longest));
  const size = Math.min(shareOf(found.width, wanted.width), shareOf(found.height, wanted.height));
  if (near.ssim >= bilevelSsim) return { ...near, size };
  // A dithered bilevel picture resembles the original only from a distance.
  const far = await likenessAt(wanted, found, 48 / longest);
  return far.ssim > near.ssim ? { far: far.ssim, de: far.de, size } : { ...near, size };
}

async function likenessAt(wanted: Pixels, found: Pixels, scale: number): Promise<{ readonly ssim: number; readonly de: number }> {
  const [width, height] = [Math.max(8, Math.round(wanted.width * scale)), Math.max(8, Math.round(wanted.height * scale))];
  const [a, b] = [await rgbOf(wanted, width, height), await rgbOf(found, width, height)];
  return { ssim: ssimOf(a, b, width, height), de: colourDifferenceOf(a, b) };
}

/** If nothing else renders the source: those of its words that use only characters known to the OCR program. */
async function wordsInPicture({ sample, input, result, writer }: Case): Promise<Evidence> {
  const words = sample.contents.filter((word) => /^[!-~ ]+$/.test(word));
  if (!pages.has(input.format) || words.length === 0) return await inkOfPicture(result, writer);
  return { reader: "tesseract", figures: { recall: recallOf(words, await textFrom("tesseract", result.path, "-", "--psm", "4")) } };
}

const pages = new Set(["html", "xhtml", "mhtml", "htmlz"]);

export async function inkOfPicture(result: KnownFile, writer: string): Promise<Evidence> {
  for await (const found of readingsOf(result, writer)) {
    const ink = inkOf(await rgbOf(found, longSide, Math.max(8, Math.round((longSide * found.height) / found.width))));
    return { reader: found.reader, figures: { ink: Number(ink > 0.0002 && ink < 0.98) } };
  }
  throw new Error(`no reader for ${result.format}`);
}

/** The most similar frame counts: the engine chooses which one it shows. */
async function stillOfFilm({ sample, result, writer }: Case): Promise<Evidence> {
  const film = await filmTruthOf(sample);
  for await (const found of readingsOf(result, writer)) {
    const still = await rgbOf(found, film.width, film.height);
    const likenesses = film.frames
      .filter((_, index) => index % 2 === 0)
      .map((frame) => ssimOf(spread(frame), still, film.width, film.height));
    const size = Math.min(shareOf(found.width, film.width), shareOf(found.height, film.height));
    const frames = shareOf(await framesOf(result), film.frames.length);
    return { reader: found.reader, figures: { ssim: Math.max(...likenesses), size, frames } };
  }
  throw new Error(`no reader for ${result.format}`);
}

function spread(frame: Buffer): Buffer {
  const rgb = Buffer.alloc(frame.length * 3);
  for (const [at, value] of frame.entries()) rgb.fill(value, at * 3, at * 3 + 3);
  return rgb;
}

/** A video made from a picture: its middle frame looks like the picture. */
export async function checkFilmOfPicture({ sample, result, writer }: Case): Promise<Evidence> {
  const film = await filmTruthOf({ ...result, path: result.path });
  const rgb = spread(film.frames[Math.floor(film.frames.length / 2)] ?? Buffer.alloc(0));
  const picture = await sharp(rgb, { raw: { width: film.width, height: film.height, channels: 3 } })
    .png()
    .toBuffer();
  const found: Pixels = { reader: film.reader, width: film.width, height: film.height, picture };
  const wanted = await (await renderingsOf(sample, writer)).at(0);
  if (wanted === undefined) throw new Error(`no reader for ${sample.format}`);
  const { ssim, far, size = 0 } = await compared(wanted, found);
  return { reader: film.reader === "gstreamer" ? film.reader : "self", figures: { fssim: ssim ?? far ?? 0, size, streams: 1 } };
}
