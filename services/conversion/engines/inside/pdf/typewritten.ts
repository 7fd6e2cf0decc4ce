/** Documents from a typewriter or in a typewriter font: there, a monospaced font does not mean code. */
import type { PageContent, Run } from "./content.ts";

/** Share of the letters. */
const nearlyAll = 0.8;
/** Lines of prose fill the page, at least this share of the widest one; lines of a program rarely do. */
const fullLine = 0.75;
const fullLines = 0.25;

/** The pages, with `isMono` cleared if nearly all text is monospaced and set as prose. */
export function withoutTypewriter(pages: readonly PageContent[]): readonly PageContent[] {
  const runs = pages.flatMap((page) => page.runs);
  const lettersIn = (some: readonly Run[]) => some.reduce((sum, { text }) => sum + text.length, 0);
  if (lettersIn(runs.filter(({ look }) => look.isMono)) < lettersIn(runs) * nearlyAll || !isProse(pages)) return pages;
  return pages.map((page) => ({ ...page, runs: page.runs.map((run) => ({ ...run, look: { ...run.look, isMono: false } })) }));
}

function isProse(pages: readonly PageContent[]): boolean {
  const widths = pages.flatMap(({ runs }) => {
    const inked = runs.filter(({ text, width }) => width > 0 && text.trim() !== "");
    const lines = new Map<number, { left: number; right: number }>();
    for (const { baseline, x, width } of inked) {
      const { left = x, right = x + width } = lines.get(Math.round(baseline)) ?? {};
      lines.set(Math.round(baseline), { left: Math.min(left, x), right: Math.max(right, x + width) });
    }
    return [...lines.values()].map(({ left, right }) => right - left);
  });
  const widest = widths.reduce((most, width) => Math.max(most, width), 0);
  return widths.filter((width) => width > widest * fullLine).length > widths.length * fullLines;
}
