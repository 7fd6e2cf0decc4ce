/** Keeps the author's list numbering: a label that HTML would number differently stays as text. */
import { type Block, type ListItem, textOf, withoutLetters } from "./tree.ts";

/** Without a label, the item continues from the page before. */
export type LabelledItem = { readonly label: string | undefined; readonly blocks: Block[] };

/** Browsers draw bullets as shapes, which are not text. */
const bullet = /^[•◦▪‣●○■–—*·-]?$/u;
/** In right-to-left text the period precedes its number. */
const numbered = /^(?:\(?(\d{1,9})[.)]?|[.)](\d{1,9}))$/;

export function listWithLabels(all: readonly LabelledItem[]): Block {
  const given = all.every(({ label }) => label === undefined) ? labelledByText(all) : all;
  const labels = given.map(({ label }) => label?.trim() ?? "");
  const numbers = labels.map((label) =>
    Number(
      numbered
        .exec(label)
        ?.slice(1)
        .find((digits) => digits !== undefined) ?? Number.NaN,
    ),
  );
  const [first = Number.NaN] = numbers;
  const isCounted = numbers.every((number, index) => number === first + index);
  const items = given.map(({ blocks, label: given }, index): ListItem => {
    const label = labels[index] ?? "";
    const isSaid = isCounted || bullet.test(label);
    return { blocks: isSaid ? blocks : withLabel(label, blocks), isContinued: given === undefined && index === 0 };
  });
  return { kind: "list", start: isCounted ? first : undefined, items };
}

const labelInText = /^\s*([•◦▪‣●○■–—·]|\(?\d{1,3}[.)])\s*/u;

/** LibreOffice writes labels as text of the item. */
function labelledByText(items: readonly LabelledItem[]): readonly LabelledItem[] {
  const labelOf = ({ blocks: [first] }: LabelledItem) =>
    first?.kind === "paragraph" ? labelInText.exec(textOf(first.inlines).slice(0, 40)) : undefined;
  if (!items.every(labelOf)) return items;
  return items.map((item): LabelledItem => {
    const [whole = "", label = ""] = labelOf(item) ?? [];
    const blocks = item.blocks.map((block, index) =>
      index === 0 && block.kind === "paragraph" ? { ...block, inlines: withoutLetters(block.inlines, whole.length) } : block,
    );
    return { label, blocks };
  });
}

function withLabel(label: string, [first, ...rest]: readonly Block[]): Block[] {
  const said = { text: `${label} ` };
  if (first?.kind === "paragraph") return [{ ...first, inlines: [said, ...first.inlines] }, ...rest];
  return [{ kind: "paragraph", inlines: [said] }, ...(first === undefined ? [] : [first]), ...rest];
}
