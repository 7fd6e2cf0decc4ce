/** Measures a source and its result with programs that did not write the result. */
import { rm } from "node:fs/promises";
import type { OwnFigure } from "#gateway/docs/own-figures.ts";
import { checkEntries } from "#test/prove/checks/entries.ts";
import { checkFilm } from "#test/prove/checks/film.ts";
import type { Case, Evidence } from "#test/prove/evidence.ts";
import { fontOf } from "#test/prove/readers/fonts.ts";
import { ssimOf } from "#test/prove/readers/likeness.ts";
import { type Sound, soundOf } from "#test/prove/readers/media.ts";
import { signalToNoise } from "#test/prove/readers/noise.ts";
import { framesOf, type Pixels, readingsOf, rgbOf } from "#test/prove/readers/pixels.ts";
import { pagesOf, recallOf, textOf } from "#test/prove/readers/words.ts";
import type { KnownFile } from "#test/prove/samples.ts";
import { leavesOf } from "#test/services/conversion/engines/data/foreign-data.ts";
import type { Source } from "./sources.ts";
import type { Studio } from "./studio.ts";

export type Comparison = {
  readonly source: Source;
  readonly result: KnownFile;
  readonly options: OwnFigure["options"];
  /** The engine that wrote the result. */
  readonly writer: string;
  readonly studio: Studio;
};

export type Measured = Pick<OwnFigure, "figures" | "reader">;

/** The reader is `self` if nothing but its writer reads the result. */
export async function measure(comparison: Comparison): Promise<Measured> {
  const way = ways[comparison.source.kind];
  if (way === undefined) throw new Error(`nobody measures ${comparison.source.kind}`);
  return await way(comparison);
}

const ways: Readonly<Partial<Record<KnownFile["kind"], (comparison: Comparison) => Promise<Measured>>>> = {
  image: measurePicture,
  vector: measureDrawing,
  document: measurePages,
  spreadsheet: measurePages,
  presentation: measurePages,
  video: (comparison) => checked(checkFilm, comparison),
  archive: (comparison) => checked(checkEntries, comparison),
  audio: measureSound,
  data: measureData,
  font: measureFont,
};

/** With the figures of a proof. */
async function checked(check: (given: Case) => Promise<Evidence>, { source, result, writer }: Comparison): Promise<Measured> {
  const readAs = () => Promise.reject(new Error("nobody else reads this"));
  return await check({ sample: { ...source, name: "own", contents: [] }, input: source, result, writer, readAs });
}

async function firstOf(readings: AsyncGenerator<Pixels>): Promise<Pixels> {
  for await (const pixels of readings) return pixels;
  throw new Error("nobody reads these pixels");
}

/** Over all pixels, at the second picture's size. */
async function likenessOf(before: Pixels, { width, height, ...after }: Pixels): Promise<number> {
  const [wanted, found] = [await rgbOf(before, width, height), await rgbOf({ width, height, ...after }, width, height)];
  return ssimOf(wanted, found, width, height);
}

async function measurePicture({ source, result, writer }: Comparison): Promise<Measured> {
  const [before, after] = [await firstOf(readingsOf(source, writer)), await firstOf(readingsOf(result, writer))];
  const frames = [await framesOf(source), await framesOf(result)] as const;
  const shown = frames[0] > 1 ? { frames } : {};
  return { reader: after.reader, figures: { width: [before.width, after.width], ...shown, ssim: await likenessOf(before, after) } };
}

async function measureDrawing({ source, result, writer }: Comparison): Promise<Measured> {
  const [before, after] = [await firstOf(readingsOf(source, writer)), await firstOf(readingsOf(result, writer))];
  return { reader: after.reader, figures: { ssim: await likenessOf(before, after) } };
}

/** As pages: an office document through LibreOffice, which has no part in changing it. */
async function measurePages({ source, result, writer, studio }: Comparison): Promise<Measured> {
  const [before, after] = [await printed(source, "before", studio), await printed(result, "after", studio)];
  try {
    const [textBefore, { text, reader }] = [(await textOf(before)).text, await textOf(after)];
    const words = source.words ?? [...new Set(textBefore.split(/\s+/).filter((word) => word !== ""))];
    const ssim = await likenessOf(await firstOf(readingsOf(before, writer)), await firstOf(readingsOf(after, writer)));
    const pages = [await pagesOf(before.path), await pagesOf(after.path)] as const;
    const recall = [recallOf(words, textBefore), recallOf(words, text)] as const;
    return { reader: source.format === "pdf" ? reader : `libreoffice, ${reader}`, figures: { pages, recall, ssim } };
  } finally {
    for (const { path } of [before, after]) if (path !== source.path && path !== result.path) await rm(path, { force: true });
  }
}

async function printed(file: KnownFile, name: string, { folder, convert }: Studio): Promise<KnownFile> {
  if (file.format === "pdf") return file;
  const page: KnownFile = { path: `${folder}/printed-${name}.pdf`, format: "pdf", kind: "document" };
  await convert("libreoffice", file, page);
  return page;
}

const secondsOf = ({ samples, channels, rate }: Sound): number => samples.length / channels / rate;

async function measureSound({ source, result, options, writer }: Comparison): Promise<Measured> {
  const [before, after] = [await soundOf(source), await soundOf(result, writer)];
  const frames = (seconds: number) => Math.round(seconds * before.rate) * before.channels;
  const [start, length] = [frames(Number(options.start ?? 0)), frames(Number(options.duration ?? secondsOf(before)))];
  const wanted = { ...before, samples: before.samples.slice(start, start + length) };
  const figures = {
    seconds: [secondsOf(before), secondsOf(after)],
    channels: [before.channels, after.channels],
    snr: signalToNoise(wanted, after),
  } as const;
  return { reader: after.reader, figures };
}

async function measureData({ source, result }: Comparison): Promise<Measured> {
  const [before, after] = [await leavesOf(source.path, source.format), await leavesOf(result.path, result.format)];
  if (before === undefined || after === undefined) throw new Error(`nobody else reads ${source.format}`);
  const left = new Map<string, number>();
  for (const each of after) left.set(each, (left.get(each) ?? 0) + 1);
  const same = before.filter((each) => {
    const count = left.get(each) ?? 0;
    left.set(each, count - 1);
    return count > 0;
  });
  if (after.length > before.length) throw new Error("there are more values than before");
  return { reader: source.format === "yaml" ? "js-yaml" : "python", figures: { values: [before.length, same.length] } };
}

async function measureFont({ source, result }: Comparison): Promise<Measured> {
  const [before, after] = [await fontOf(source), await fontOf(result)];
  return { reader: after.reader, figures: { glyphs: [before.characters, after.characters] } };
}
