/** Builds hops from tables: every reader times every writer, minus the pairs that make no sense. */
import type { Hop } from "#services/conversion/domain/engine.ts";

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

type Values = Readonly<Record<string, string | number | boolean>>;

export function numberOption(options: Values, name: string): number | undefined {
  const value = options[name];
  return typeof value === "number" ? value : undefined;
}

export function stringOption(options: Values, name: string): string | undefined {
  const value = options[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function flagOption(options: Values, name: string): boolean {
  return options[name] === true;
}
