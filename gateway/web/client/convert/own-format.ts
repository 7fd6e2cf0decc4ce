/** Describes what a conversion to the same format can change. */
import { t } from "#client/parts/language.tsx";
import type { Route } from "#client/server/wire.ts";

/** Texts by the options that make the change, in the order in which they are shown. */
export const changeWords = [
  ["change.smaller", "optimise quality maxKb maxMb crf videoBitrate audioBitrate level colours compression precision simplify"],
  ["change.resized", "width height scale"],
  ["change.cropped", "crop"],
  ["change.turned", "rotate flip"],
  ["change.cut", "start duration"],
  ["change.pages", "pages remove"],
  ["change.nUp", "nUp"],
  ["change.speed", "speed"],
  ["change.volume", "volume normalise"],
  ["change.mute", "mute"],
  ["change.ocr", "ocr"],
  ["change.stamp", "stamp"],
  ["change.grayscale", "grayscale"],
  ["change.flatten", "flatten"],
  ["change.protect", "protect permissions"],
  ["change.clean", "metadata comments scripts external"],
  ["change.letters", "text unicodes"],
  ["change.layout", "indent outputDelimiter lineEnds"],
  ["change.order", "sortKeys"],
  ["change.encoding", "outputEncoding"],
  ["change.web", "linearise"],
] as const;

/** True for a conversion from a format to itself. */
export function isOwn({ from, to }: Pick<Route, "from" | "to">): boolean {
  return from === to;
}

export function changesOf({ options }: Pick<Route, "options">): readonly string[] {
  const names = new Set(options.map(({ name }) => name));
  return changeWords.flatMap(([word, some]) => (some.split(" ").some((name) => names.has(name)) ? [t(word)] : []));
}

/** For example "The format stays PDF. Choose below what to change. Possible: smaller, rotated, protected." */
export function ownHintOf(route: Pick<Route, "from" | "options">): string {
  const changes = changesOf(route);
  const possible = changes.length === 0 ? "" : ` ${t("own.possible", { changes: changes.join(", ") })}`;
  return `${t("own.hint", { format: route.from.toUpperCase() })}${possible}`;
}

/** For example "PDF, changed: smaller, rotated, protected". */
export function ownTitleOf(route: Pick<Route, "from" | "options">): string {
  const changes = changesOf(route);
  const format = route.from.toUpperCase();
  return changes.length === 0 ? t("own.chip", { format }) : t("own.title", { format, changes: changes.join(", ") });
}
