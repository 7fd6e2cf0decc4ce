/** What annotations show, by their ids: pdf.js gives no other text of signatures and stamps. */
import type { OperatorList, OperatorNumbers } from "./drawings.ts";

type Glyph = { readonly unicode?: string } | number | null;

export function appearancesOf({ fnArray, argsArray }: OperatorList, ops: OperatorNumbers): ReadonlyMap<string, string> {
  const moves = new Set([ops.beginText, ops.setTextMatrix, ops.moveText, ops.setLeadingMoveText, ops.nextLine]);
  const said = new Map<string, string>();
  let open: string | undefined;
  for (const [index, operator] of fnArray.entries()) {
    const [first] = (argsArray[index] ?? []) as readonly unknown[];
    if (operator === ops.beginAnnotation) open = String(first);
    else if (operator === ops.endAnnotation) open = undefined;
    if (open === undefined) continue;
    if (operator === ops.showText && Array.isArray(first)) said.set(open, (said.get(open) ?? "") + textOf(first));
    else if (moves.has(operator) && said.has(open)) said.set(open, `${said.get(open)} `);
  }
  return said;
}

const textOf = (glyphs: readonly Glyph[]) =>
  glyphs.map((glyph) => (typeof glyph === "object" ? (glyph?.unicode ?? "") : glyph < -200 ? " " : "")).join("");
