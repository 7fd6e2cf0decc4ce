/** Video: similarity of frames at the same times, duration, streams. */
import { type Case, type Evidence, shareOf } from "#test/prove/evidence.ts";
import { ssimOf } from "#test/prove/readers/likeness.ts";
import { type Film, filmOf, soundOf } from "#test/prove/readers/media.ts";
import type { KnownFile } from "#test/prove/samples.ts";
import { truthOf as soundTruthOf } from "./sound.ts";

const truths = new Map<string, Promise<Film>>();

/** The sample's own frames, decoded once. */
export function filmTruthOf(sample: KnownFile): Promise<Film> {
  const known = truths.get(sample.path) ?? filmOf(sample);
  truths.set(sample.path, known);
  return known;
}

const moments = 5;
const secondsOf = (film: Film): number => film.frames.length / film.framesPerSecond;

export async function checkFilm({ sample, result, writer }: Case): Promise<Evidence> {
  const wanted = await filmTruthOf(sample);
  const found = await filmOf(result, writer);
  const hadSound = await soundTruthOf(sample).then(
    () => true,
    () => false,
  );
  const hasSound =
    hadSound &&
    (await soundOf(result, writer).then(
      ({ samples }) => samples.some((each) => each !== 0),
      () => false,
    ));
  return {
    reader: found.reader,
    figures: {
      fssim: likenessOf(wanted, found),
      time: Math.abs(secondsOf(found) - secondsOf(wanted)),
      size: Math.min(shareOf(found.width, wanted.width), shareOf(found.height, wanted.height)),
      streams: shareOf(1 + Number(hasSound), 1 + Number(hadSound)),
    },
  };
}

/** Mean over a few moments; frames may be up to two earlier or later because rates differ. */
function likenessOf(wanted: Film, found: Film): number {
  const lengthS = Math.min(secondsOf(wanted), secondsOf(found));
  const likenesses = Array.from({ length: moments }, (_, index) => {
    const atS = (lengthS * (index + 0.5)) / moments;
    const reference = wanted.frames[Math.floor(atS * wanted.framesPerSecond)];
    const middle = Math.floor(atS * found.framesPerSecond);
    const around = [middle - 2, middle - 1, middle, middle + 1, middle + 2].flatMap((at) => found.frames[at] ?? []);
    if (reference === undefined || around.length === 0) return 0;
    return Math.max(...around.map((frame) => likeness(reference, wanted, frame, found)));
  });
  return likenesses.reduce((sum, each) => sum + each, 0) / moments;
}

/** Of two luma frames, at the smaller of the two sizes. */
export function likeness(a: Buffer, sizeA: Pick<Film, "width" | "height">, b: Buffer, sizeB: Pick<Film, "width" | "height">): number {
  const [width, height] = [Math.min(sizeA.width, sizeB.width), Math.min(sizeA.height, sizeB.height)];
  return ssimOf(grey(a, sizeA, width, height), grey(b, sizeB, width, height), width, height);
}

/** As three equal channels, each pixel the mean of those that it covers. */
function grey(frame: Buffer, from: Pick<Film, "width" | "height">, width: number, height: number): Buffer {
  const rgb = Buffer.alloc(width * height * 3);
  for (let y = 0; y < height; y++) {
    const [top, bottom] = [Math.floor((y * from.height) / height), Math.max(1, Math.floor(((y + 1) * from.height) / height))];
    for (let x = 0; x < width; x++) {
      const [left, right] = [Math.floor((x * from.width) / width), Math.max(1, Math.floor(((x + 1) * from.width) / width))];
      let [sum, count] = [0, 0];
      for (let row = top; row < bottom; row++) {
        for (let column = left; column < right; column++) {
          sum += frame[row * from.width + column] ?? 0;
          count += 1;
        }
      }
      rgb.fill(Math.round(sum / Math.max(1, count)), (y * width + x) * 3, (y * width + x) * 3 + 3);
    }
  }
  return rgb;
}
