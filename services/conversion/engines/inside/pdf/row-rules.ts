/**
 * Tables ruled only below their rows. Browsers draw such a line cell by cell, so its joints
 * mark the columns; the missing vertical lines, and the line above the head, are added there.
 */
import type { Box, Run } from "./content.ts";

const near = 1.5;

type Chain = { readonly y: number; readonly edges: readonly number[] };

export function impliedRules(rules: readonly Box[], runs: readonly Run[]): Box[] {
  const upright = rules.filter((rule) => rule.bottom - rule.top > rule.right - rule.left);
  return tablesOf(chainsOf(rules.filter((rule) => !upright.includes(rule)))).flatMap((chains) => {
    const [first, last] = [chains[0], chains.at(-1)];
    if (first === undefined || last === undefined) return [];
    const { edges } = first;
    const [left = 0, right = 0] = [edges[0], edges.at(-1)];
    if (upright.some((rule) => rule.left > left + near && rule.right < right - near && rule.top < last.y && rule.bottom > first.y))
      return [];
    const top = topOfHead(first, runs);
    return [{ left, top, right, bottom: top }, ...edges.map((x): Box => ({ left: x, top, right: x, bottom: last.y }))];
  });
}

/** Lines at the same height that touch each other. */
function chainsOf(across: readonly Box[]): Chain[] {
  const chains: { y: number; edges: number[] }[] = [];
  for (const rule of [...across].sort((one, other) => Math.round(one.top - other.top) || one.left - other.left)) {
    const chain = chains.findLast(({ y, edges }) => Math.abs(y - rule.top) < near && Math.abs((edges.at(-1) ?? 0) - rule.left) < near);
    if (chain === undefined) chains.push({ y: rule.top, edges: [rule.left, rule.right] });
    else chain.edges.push(rule.right);
  }
  return chains.filter(({ edges }) => edges.length > 2);
}

/** Consecutive rows with the same columns. */
function tablesOf(chains: readonly Chain[]): Chain[][] {
  const tables: Chain[][] = [];
  for (const chain of chains) {
    const table = tables.findLast(
      ([first]) =>
        first?.edges.length === chain.edges.length && first.edges.every((x, index) => Math.abs(x - (chain.edges[index] ?? 0)) < near),
    );
    if (table === undefined) tables.push([chain]);
    else table.push(chain);
  }
  return tables.filter((table) => table.length > 1);
}

/** Text on one line, in several columns and across none of their edges. */
function isRow(baseline: number, runs: readonly Run[], edges: readonly number[]): boolean {
  const row = runs.filter((run) => Math.abs(run.baseline - baseline) < near);
  const columns = new Set(row.map(({ x }) => edges.findLastIndex((edge) => edge <= x + near)));
  return columns.size > 1 && row.every(({ x, width }) => !edges.some((edge) => edge > x + near && edge < x + width - near));
}

/** The lines of the head are directly above the first rule, closely spaced. */
function topOfHead({ y, edges }: Chain, runs: readonly Run[]): number {
  const [left = 0, right = 0] = [edges[0], edges.at(-1)];
  const above = runs
    .filter((run) => run.text.trim() !== "" && run.baseline < y + near && run.x > left - near && run.x + run.width < right + near)
    .sort((one, other) => other.baseline - one.baseline);
  let top = y;
  for (const { baseline, size, x, width } of above) {
    if (top - baseline > size * (isRow(baseline, above, edges) ? 1.8 : 0.9)) break;
    // A caption.
    if (width > (right - left) * 0.6 || (x < left + near && edges.filter((edge) => edge > x + near && edge < x + width).length > 1)) break;
    top = Math.min(top, baseline - size * 0.85);
  }
  return top;
}
