/** Separates what hidden layers paint from what is seen. @see ISO 32000-1, 8.11, optional content */
import type { Run } from "./content.ts";
import type { Matrix, OperatorList, OperatorNumbers } from "./drawings.ts";
import { type Ink, inksOf } from "./inks.ts";

/** Whether a group of layers, as in an operator list, is visible. */
export type IsVisible = (group: unknown) => boolean;

const painting = /^(?:show|nextLineS|paint(?!Form|XObject)|fill|stroke|eoFill|close\w*(?:Stroke|Fill)|shadingFill|constructPath)/;
/** The code of no operator. */
const nothing = -1;

/** Both lists have all operators that change where and how the following ones paint. */
export function layersOf(
  list: OperatorList,
  ops: OperatorNumbers,
  isVisible: IsVisible,
): { readonly seen: OperatorList; readonly hidden: OperatorList } {
  const painters = new Set(Object.keys(ops).flatMap((name) => (painting.test(name) ? [ops[name]] : [])));
  const stack: boolean[] = [];
  const isSeen = list.fnArray.map((operator, index) => {
    const [tag, group] = (list.argsArray[index] ?? []) as readonly unknown[];
    if (operator === ops.beginMarkedContent) stack.push(stack.at(-1) ?? true);
    if (operator === ops.beginMarkedContentProps) stack.push((stack.at(-1) ?? true) && (tag !== "OC" || isVisible(group)));
    if (operator === ops.endMarkedContent) stack.pop();
    return stack.at(-1) ?? true;
  });
  const only = (wanted: boolean): OperatorList => ({
    fnArray: list.fnArray.map((operator, index) => (painters.has(operator) && isSeen[index] !== wanted ? nothing : operator)),
    argsArray: list.argsArray,
  });
  return { seen: only(true), hidden: only(false) };
}

/** Points by which glyph and run positions may differ. */
const near = 1;

/** pdf.js reports the text of all layers. Layers may have their text in the same place, such as translations. */
export function seenRuns(
  runs: readonly Run[],
  { seen, hidden }: { readonly seen: OperatorList; readonly hidden: OperatorList },
  ops: OperatorNumbers,
  page: Matrix,
): readonly Run[] {
  const rowsOf = (list: OperatorList) => Map.groupBy(inksOf(list, ops, page), ({ y }) => Math.round(y));
  const startsIn = (rows: ReadonlyMap<number, readonly Ink[]>, run: Run) =>
    [-1, 0, 1]
      .flatMap((step) => rows.get(Math.round(run.baseline) + step) ?? [])
      .filter(({ x, y }) => Math.abs(x - run.x) < near && Math.abs(y - run.baseline) < near);
  const [unseen, visible] = [rowsOf(hidden), rowsOf(seen)];
  return runs.filter((run) => {
    if (startsIn(unseen, run).length === 0) return true;
    const text = run.text.trimStart();
    return startsIn(visible, run).some(({ letter }) => letter !== "" && text.startsWith(letter));
  });
}
