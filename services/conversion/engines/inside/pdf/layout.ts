/** Blocks of untagged pages, from the positions of their text. */
import type { Notes } from "../exchange.ts";
import { flowsOf } from "./columns.ts";
import type { PageContent, Picture, Run } from "./content.ts";
import { type Atom, blocksOfFlow, type PlacedPicture } from "./flow.ts";
import { withoutFurniture } from "./furniture.ts";
import { lettersOf, levelsOf } from "./headings.ts";
import { paragraphOf, type Vocabulary } from "./inlines.ts";
import { type Piece, piecesOf, textOfPiece } from "./lines.ts";
import { holdsRun } from "./placed.ts";
import { recognisedPieces } from "./recognised.ts";
import { impliedRules } from "./row-rules.ts";
import { gridsOf } from "./ruled-tables.ts";
import type { Block } from "./tree.ts";
import { isTurned, turnedFurniture } from "./turned-furniture.ts";

export function blocksOfLayout(pages: readonly PageContent[], words: Vocabulary, notes: Notes): Block[][] {
  const read = pages.map(({ number, runs, rules, height, pictures, isTextHidden }) => {
    const texts = runs.filter(isPartOfText);
    const { grids, rest } = gridsOf(
      [...rules, ...impliedRules(rules, texts)],
      texts,
      pictures.flatMap(({ box, isDrawn }) => (isDrawn === true ? [box] : [])),
    );
    const { placed, unlabelled } = withLabels(pictures, rest);
    return { pieces: isTextHidden ? recognisedPieces(unlabelled) : piecesOf(unlabelled), others: [...grids, ...placed], number, height };
  });
  const letters = lettersOf(read.map(({ pieces }) => pieces));
  const texts = withoutFurniture(read, notes);
  const marginal = turnedFurniture(pages);
  const drafts = pages.map((page, index) => {
    const atoms: Atom[] = [...(texts[index] as Piece[]), ...(read[index]?.others ?? [])];
    const upright = flowsOf(atoms, page.rules).flatMap((flow) =>
      blocksOfFlow(flow, { rules: page.rules, dots: page.dots, letters, words, number: page.number }),
    );
    return [
      ...upright,
      ...turnedText(
        page.runs.filter((run) => isTurned(run) && !marginal.has(run)),
        words,
      ),
    ];
  });
  const levelOf = levelsOf(drafts.flat().flatMap((block) => (block.kind === "heading" ? [block.level] : [])));
  return drafts.map((blocks) => blocks.map((block) => (block.kind === "heading" ? { ...block, level: levelOf(block.level) } : block)));
}

/** In characters: labels in a drawing are short. */
const longestLabel = 25;

/** Puts the labels of each drawing after its picture, which shows them too. */
function withLabels(pictures: readonly Picture[], runs: readonly Run[]) {
  let unlabelled = runs;
  const placed = pictures.map((picture): PlacedPicture => {
    const within = picture.isDrawn === true ? unlabelled.filter((run) => holdsRun(picture.box, run)) : [];
    const labels = piecesOf(within);
    if (labels.some((piece) => textOfPiece(piece).length > longestLabel)) return { kind: "picture", ...picture.box, picture, labels: [] };
    const own = new Set(within);
    unlabelled = unlabelled.filter((run) => !own.has(run));
    return { kind: "picture", ...picture.box, picture, labels };
  });
  return { placed, unlabelled };
}

const isPartOfText = (run: Run) => run.mark !== "artifact" && !isTurned(run);

/** Axis labels and other vertical text have no place among the lines; they follow at the end. */
function turnedText(runs: readonly Run[], words: Vocabulary): Block[] {
  const inlines = paragraphOf(
    runs.map((run) => [run]),
    words,
  );
  return inlines.length === 0 ? [] : [{ kind: "paragraph", inlines }];
}
