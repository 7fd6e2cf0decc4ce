/** Position and formatting of text, derived from its runs. */
import type { Run } from "./content.ts";
import { commonest } from "./lines.ts";
import type { SetLine, Setting } from "./tree.ts";

/** For lines of runs in reading order; undefined if they show nothing. */
export function settingOf(lines: readonly (readonly Run[])[], page: number): Setting | undefined {
  const all = lines.flatMap((line): SetLine[] => {
    const inked = line.filter(isInked);
    if (inked.length === 0) return [];
    const left = Math.min(...inked.map(({ x }) => x));
    const right = Math.max(...inked.map(({ x, width }) => x + width));
    return [{ left, right, baseline: commonest(inked.map(({ baseline, text }): [number, number] => [baseline, text.length])) }];
  });
  // In the next column, lines continue higher up.
  const above = all.findIndex(({ baseline }, index) => baseline < (all[index - 1]?.baseline ?? baseline) - 2);
  const set = above === -1 ? all : all.slice(0, above);
  const runs = lines.flat().filter(isInked);
  const [first, last] = [set[0], set.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const size = commonest(runs.map(({ size, text }): [number, number] => [size, text.length]));
  const letters = runs.reduce((sum, { text }) => sum + text.length, 0);
  const bold = runs.reduce((sum, { text, look }) => sum + (look.isBold ? text.length : 0), 0);
  const [left, right] = [Math.min(...set.map((line) => line.left)), Math.max(...set.map((line) => line.right))];
  const box = { left, right, top: first.baseline - size * 0.75, bottom: last.baseline + size * 0.2 };
  return { ...box, page, size, font: commonestFont(runs), isBold: bold > letters / 2, lines: set };
}

const isInked = ({ text }: Run) => text.trim() !== "";

function commonestFont(runs: readonly Run[]): string | undefined {
  const weights = new Map<string | undefined, number>();
  for (const { font, text, look } of runs) if (!look.isMono) weights.set(font, (weights.get(font) ?? 0) + text.length);
  return [...weights].sort(([, one], [, other]) => other - one)[0]?.[0];
}
