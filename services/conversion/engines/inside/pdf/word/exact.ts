/** A Word document that looks like the pages: each line of text in a positioned frame, above a picture of everything else. */
import {
  Document,
  FrameAnchorType,
  FrameWrap,
  HeightRule,
  HorizontalPositionRelativeFrom,
  type IFloating,
  ImageRun,
  LineRuleType,
  Packer,
  Paragraph,
  SectionType,
  TextWrappingType,
  VerticalPositionRelativeFrom,
} from "docx";
import { ShapeRun } from "docx/shapes";
import type { PageContent, Run } from "../content.ts";
import { type Piece, piecesOf, textOfPiece } from "../lines.ts";
import { type NaturalWidth, naturalWidths } from "../natural-widths.ts";
import type { Said } from "../read.ts";
import { isRightToLeft } from "../reading-order.ts";
import { aboutOf } from "./about.ts";
import { lettersOf } from "./exact-letters.ts";

/** A page without its text, as PNG or JPEG. */
export type Backdrop = { readonly page: number; readonly type: "png" | "jpg"; readonly data: Uint8Array };

const twips = (points: number) => Math.round(points * 20);
/** In ems: line height, and the part above the baseline, in Word and in LibreOffice. */
const [lineHeight, aboveBaseline] = [1.2, 0.8];
/** Another font may be wider, and a line that wrapped would be hidden. */
const slackOf = (width: number, { isReversed = false } = {}) => width * (isReversed ? 0.6 : 0.2) + 12;
/** Largest page width and height in points that Word supports. */
const mostPaper = 1584;
/** Word's pixels per point. */
const pixels = 96 / 72;

export async function exactOf(pages: readonly PageContent[], backdrops: readonly Backdrop[], said: Said): Promise<Uint8Array> {
  const natural = await naturalWidths();
  const document = new Document({
    ...aboutOf(said),
    sections: pages.map((page) => {
      const scale = Math.min(1, mostPaper / Math.max(page.width, page.height));
      const own = scaled(page, scale);
      const backdrop = backdrops.find((each) => each.page === page.number);
      const size = { width: twips(own.width), height: twips(own.height) };
      const margin = { left: 0, right: 0, top: 0, bottom: 0, header: 0, footer: 0 };
      return {
        properties: { type: SectionType.NEXT_PAGE, page: { size, margin } },
        children: [...linesOf(own, natural), anchorOf(own, backdrop)],
      };
    }),
  });
  return Packer.toBuffer(document);
}

function scaled(page: PageContent, scale: number): PageContent {
  if (scale === 1) return page;
  const runs = page.runs.map((run) => ({
    ...run,
    ...{ x: run.x * scale, baseline: run.baseline * scale, width: run.width * scale, size: run.size * scale },
    ...(run.turn === undefined ? {} : { turn: { ...run.turn, length: run.turn.length * scale } }),
  }));
  return { ...page, runs, width: page.width * scale, height: page.height * scale };
}

/** Word moves text beside the page onto it. */
const isOnPage = ({ x, baseline, size }: Run, page: PageContent) =>
  x > -size && x < page.width && baseline > 0 && baseline < page.height + size / 2;

function linesOf(page: PageContent, natural: NaturalWidth): Paragraph[] {
  const { runs, width, isTextHidden } = page;
  return piecesOf(runs.filter((run) => run.turn === undefined && isOnPage(run, page))).map((piece) =>
    lineOf(piece, { width, isTextHidden, natural }),
  );
}

type Within = { readonly width: number; readonly isTextHidden: boolean; readonly natural: NaturalWidth };

function lineOf(piece: Piece, { width, isTextHidden, natural }: Within): Paragraph {
  const height = piece.size * lineHeight;
  const isReversed = isRightToLeft(textOfPiece(piece));
  const slack = slackOf(piece.right - piece.left, { isReversed });
  const left = isReversed ? Math.max(0, piece.left - slack) : piece.left;
  const right = isReversed ? piece.right : Math.max(piece.right + 1, Math.min(width, piece.right + slack));
  return new Paragraph({
    frame: {
      type: "absolute",
      position: { x: twips(left), y: twips(piece.baseline - height * aboveBaseline) },
      ...{ width: twips(right - left), height: twips(height), rule: HeightRule.EXACT, wrap: FrameWrap.AROUND },
      anchor: { horizontal: FrameAnchorType.PAGE, vertical: FrameAnchorType.PAGE },
    },
    ...(isReversed ? { bidirectional: true } : {}),
    spacing: { before: 0, after: 0, line: twips(height), lineRule: LineRuleType.EXACT },
    children: lettersOf(piece, natural, { isHidden: isTextHidden }),
  });
}

/** The anchor of all frames on a page, with the picture behind them, and text that is not upright. */
function anchorOf(page: PageContent, backdrop: Backdrop | undefined): Paragraph {
  const shown =
    backdrop === undefined
      ? []
      : [
          new ImageRun({
            ...{ type: backdrop.type, data: backdrop.data },
            transformation: { width: page.width * pixels, height: page.height * pixels },
            floating: floatingAt(0, 0, { isBehind: true }),
          }),
        ];
  const turned = page.runs.filter(({ turn, text }) => turn !== undefined && text.trim() !== "").map((run) => turnedOf(run, page));
  return new Paragraph({
    spacing: { before: 0, after: 0, line: 20, lineRule: LineRuleType.EXACT },
    run: { size: 2 },
    children: [...shown, ...turned],
  });
}

function floatingAt(x: number, y: number, { isBehind }: { readonly isBehind: boolean }): IFloating {
  const emus = (points: number) => Math.round(points * 12_700);
  return {
    horizontalPosition: { relative: HorizontalPositionRelativeFrom.PAGE, offset: emus(x) },
    verticalPosition: { relative: VerticalPositionRelativeFrom.PAGE, offset: emus(y) },
    ...{ behindDocument: isBehind, allowOverlap: true, wrap: { type: TextWrappingType.NONE } },
  };
}

/** A text box: set vertically if the text is vertical, otherwise rotated as a whole. */
function turnedOf(run: Run, { isTextHidden }: PageContent): ShapeRun {
  const { angle, length } = run.turn ?? { angle: 0, length: 0 };
  const [width, height] = [length + slackOf(length), run.size * lineHeight];
  const quarter = Math.abs(Math.abs(angle) - Math.PI / 2) < 0.02;
  const [along, up] = [width / 2, run.size * lineHeight * (aboveBaseline - 0.5)];
  const middle = {
    x: run.x + Math.cos(angle) * along + Math.sin(angle) * up,
    y: run.baseline + Math.sin(angle) * along - Math.cos(angle) * up,
  };
  const box = quarter ? { width: height, height: width } : { width, height };
  const own: Piece = {
    ...{ kind: "text", runs: [run], size: run.size, baseline: run.baseline },
    ...{ left: run.x, right: run.x, top: run.baseline, bottom: run.baseline },
  };
  return new ShapeRun({
    type: "rectangle",
    line: "none",
    transformation: {
      ...{ width: box.width * pixels, height: box.height * pixels },
      ...(quarter ? {} : { rotation: (angle * 180) / Math.PI }),
    },
    floating: floatingAt(middle.x - box.width / 2, middle.y - box.height / 2, { isBehind: false }),
    textOptions: {
      ...{ verticalAlignment: "top", margins: { top: 0, right: 0, bottom: 0, left: 0 }, wrap: false },
      ...(quarter ? { direction: angle < 0 ? "bottomToTop" : "topToBottom" } : {}),
    },
    children: [
      new Paragraph({
        spacing: { before: 0, after: 0, line: twips(height), lineRule: LineRuleType.EXACT },
        children: lettersOf(own, () => undefined, { isHidden: isTextHidden }),
      }),
    ],
  });
}
