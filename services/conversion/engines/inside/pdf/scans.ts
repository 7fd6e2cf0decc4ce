/** Tells pages that are pictures, with at most a stamp or a signature of their own, from pages with text. */
import type { Run } from "./content.ts";

export type Cover = {
  readonly letters: number;
  /** Shares of the page's area. */
  readonly pictures: number;
  readonly text: number;
};

/** Share of the page's area. */
export const partOfScan = 0.5;
/** Of any size. */
const fewLetters = 20;
/** The header of a court, or the line of a signature; a paragraph and the title of a slide cover more. */
const partOfStamp = 0.015;

export const isScan = ({ letters, pictures, text }: Cover): boolean =>
  pictures >= partOfScan && (letters < fewLetters || text < partOfStamp);

export const lettersIn = (runs: readonly Run[]): number =>
  runs.reduce((sum, { text, mark }) => sum + (mark === "artifact" ? 0 : text.replace(/[^\p{L}\p{N}]/gu, "").length), 0);

/** In square points. */
export const inkOf = (runs: readonly Run[]): number =>
  runs.reduce((sum, { mark, width, turn, size }) => sum + (mark === "artifact" ? 0 : (turn?.length ?? width) * size), 0);
