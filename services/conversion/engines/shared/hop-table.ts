/** Builds hops from tables: every reader times every writer, minus the pairs that make no sense. */
import type { Hop, OptionValues } from "#services/conversion/domain/engine.ts";

export { numberOption, textOption as stringOption } from "../inside/exchange.ts";

/** Hops from each source to each other target. `of` returns undefined for a pair that is not offered. */
export function crossHops(
  from: readonly string[],
  to: readonly string[],
  of: (from: string, to: string) => Omit<Hop, "from" | "to"> | undefined,
): Hop[] {
  const hops: Hop[] = [];
  for (const source of from) {
    for (const target of to) {
      if (source === target) continue;
      const hop = of(source, target);
      if (hop !== undefined) hops.push({ from: source, to: target, ...hop });
    }
  }
  return hops;
}

/** Hops from each format to itself: the options decide what changes. */
export function ownHops<Format extends string>(formats: readonly Format[], of: (format: Format) => Omit<Hop, "from" | "to">): Hop[] {
  return formats.map((format) => ({ ...of(format), from: format, to: format }));
}

/** The first hop of each pair wins. */
export function uniqueHops(hops: readonly Hop[]): Hop[] {
  const seen = new Map<string, Hop>();
  for (const hop of hops) if (!seen.has(`${hop.from}>${hop.to}`)) seen.set(`${hop.from}>${hop.to}`, hop);
  return [...seen.values()];
}

export function words(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== "");
}

/** The first names, and how many more there are. */
export function firstNames(names: readonly string[], most: number, total = names.length): string {
  const shown = names.slice(0, most);
  return `${shown.join(", ")}${total > shown.length ? ` and ${total - shown.length} more` : ""}`;
}

export function flagOption(options: OptionValues, name: string): boolean {
  return options[name] === true;
}
