/** Which check proves which pair of kinds. */
import { stat } from "node:fs/promises";
import type { Kind } from "#formats/index.ts";
import { checkCells, checkValues } from "./checks/cells.ts";
import { checkComic, checkComicPages } from "./checks/comics.ts";
import { checkCues } from "./checks/cues.ts";
import { checkDrawing } from "./checks/drawings.ts";
import { checkAttachments, checkEntries } from "./checks/entries.ts";
import { checkFilm } from "./checks/film.ts";
import { checkFont } from "./checks/fonts.ts";
import { checkJoined } from "./checks/joined.ts";
import { layoutFiguresOf } from "./checks/layout.ts";
import { checkFilmOfPicture, checkPicture } from "./checks/pictures.ts";
import { checkGraph, checkMapPage, checkModel, checkPlaces } from "./checks/shapes.ts";
import { checkSound } from "./checks/sound.ts";
import { checkPage, checkWords } from "./checks/words.ts";
import type { Case, Check, Evidence } from "./evidence.ts";

/** By the kind of the result; `source>result` if the source's kind matters. */
const checks: Readonly<Partial<Record<Kind | `${Kind}>${Kind}`, Check>>> = {
  image: checkPicture,
  vector: checkDrawing,
  document: checkWords,
  ebook: checkWords,
  presentation: checkWords,
  spreadsheet: checkCells,
  data: checkCells,
  "data>data": checkValues,
  audio: checkSound,
  video: checkFilm,
  archive: checkEntries,
  font: checkFont,
  subtitle: checkCues,
  email: checkWords,
  model: checkModel,
  geo: checkPlaces,
  "geo>document": checkMapPage,
  "geo>data": checkPlaces,
  diagram: checkGraph,
  "email>archive": checkAttachments,
  "image>document": checkPage,
  "vector>document": checkPage,
  "image>video": checkFilmOfPicture,
  "archive>audio": checkJoined,
  "archive>video": checkJoined,
  "archive>image": checkJoined,
  "archive>document": checkJoined,
  "archive>ebook": checkJoined,
  "spreadsheet>document": checkCells,
  "data>document": checkCells,
  "presentation>data": checkWords,
};

const comics = new Set("cbz cb7 cbt cbr".split(" "));

/** Rejects with what is wrong if the result cannot be read, or if there is no check for the pair. */
export async function evidenceOf(given: Case): Promise<Evidence> {
  const likeness = await likenessOf(given);
  const evidence = { ...likeness, figures: { ...likeness.figures, ...(await layoutFiguresOf(given)) } };
  const { input, result } = given;
  if (input.format !== result.format) return evidence;
  const [before, after] = await Promise.all([stat(input.path), stat(result.path)]);
  // A folder has no size of its own.
  if (!before.isFile() || before.size === 0) return evidence;
  return { ...evidence, figures: { ...evidence.figures, weight: after.size / before.size } };
}

async function likenessOf(given: Case): Promise<Evidence> {
  const { sample, input, result } = given;
  const check =
    comics.has(sample.format) && comics.has(result.format)
      ? checkEntries
      : (checks[`${sample.kind}>${result.kind}`] ?? checks[result.kind]);
  if (result.format === "cbz" && input.format === "pdf") return checkComic(given);
  if (comics.has(sample.format) && (result.kind === "image" || result.format === "pdf" || result.format === "pdfa"))
    return checkComicPages(given);
  if (check === undefined) throw new Error(`no check for ${sample.kind} to ${result.kind}`);
  return check(given);
}
