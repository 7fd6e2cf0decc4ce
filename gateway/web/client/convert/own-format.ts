/** What can be changed of a file that stays what it is, in the words of somebody who looks for it. */
import type { Route } from "#client/server/wire.ts";

/** By the options that do it, in the order in which they are told. */
export const changeWords: readonly (readonly [word: string, options: string])[] = [
  ["smaller", "optimise quality maxKb maxMb crf videoBitrate audioBitrate level colours compression precision"],
  ["resized", "width height"],
  ["cropped", "crop"],
  ["turned", "rotate flip"],
  ["cut", "start duration"],
  ["pages chosen", "pages remove"],
  ["several pages on a sheet", "nUp"],
  ["faster or slower", "speed"],
  ["made louder or even", "volume normalise"],
  ["without sound", "mute"],
  ["text recognised", "ocr"],
  ["stamped", "stamp"],
  ["without colour", "grayscale"],
  ["flattened", "flatten"],
  ["protected", "protect permissions"],
  ["cleaned", "metadata comments scripts external"],
  ["with fewer letters", "text unicodes"],
  ["laid out anew", "indent outputDelimiter lineEnds"],
  ["in order", "sortKeys"],
  ["in another encoding", "outputEncoding"],
  ["ready for the web", "linearise"],
];

/** From a format to itself. */
export function isOwn({ from, to }: Pick<Route, "from" | "to">): boolean {
  return from === to;
}

export function changesOf({ options }: Pick<Route, "options">): readonly string[] {
  const names = new Set(options.map(({ name }) => name));
  return changeWords.flatMap(([word, some]) => (some.split(" ").some((name) => names.has(name)) ? [word] : []));
}

/** For example "Stays PDF. Choose below what to change. Possible: smaller, turned, protected." */
export function ownHintOf(route: Pick<Route, "from" | "options">): string {
  const changes = changesOf(route);
  const possible = changes.length === 0 ? "" : ` Possible: ${changes.join(", ")}.`;
  return `Stays ${route.from.toUpperCase()}. Choose below what to change.${possible}`;
}

/** For example "PDF, changed: smaller, turned, protected". */
export function ownTitleOf(route: Pick<Route, "from" | "options">): string {
  const changes = changesOf(route);
  return `${route.from.toUpperCase()}, changed${changes.length === 0 ? "" : `: ${changes.join(", ")}`}`;
}
