/** What can be changed of a file that stays what it is, in the words of somebody who looks for it. */
import type { Route } from "#client/server/wire.ts";

/** By the options that do it, in the order in which they are told. */
const words: readonly (readonly [word: string, options: string])[] = [
  ["smaller", "optimise quality maxKb maxMb crf audioBitrate imageQuality level colours"],
  ["resized", "width height scale"],
  ["cropped", "crop"],
  ["turned", "rotate flip"],
  ["cut", "start duration end"],
  ["pages chosen", "pages"],
  ["faster or slower", "speed"],
  ["made louder or even", "volume normalise"],
  ["text recognised", "ocr"],
  ["stamped", "stamp watermark"],
  ["protected", "protect permissions"],
  ["cleaned", "metadata strip"],
  ["repaired", "repair"],
];

/** From a format to itself. */
export function isOwn({ from, to }: Pick<Route, "from" | "to">): boolean {
  return from === to;
}

export function changesOf({ options }: Pick<Route, "options">): readonly string[] {
  const names = new Set(options.map(({ name }) => name));
  return words.flatMap(([word, some]) => (some.split(" ").some((name) => names.has(name)) ? [word] : []));
}

/** For example "PDF, changed: smaller, turned, protected". */
export function ownTitleOf(route: Pick<Route, "from" | "options">): string {
  const changes = changesOf(route);
  return `${route.from.toUpperCase()}, changed${changes.length === 0 ? "" : `: ${changes.join(", ")}`}`;
}
