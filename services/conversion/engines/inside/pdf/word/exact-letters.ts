/** Text of one line for Word: its font, size and colour, and the width that it has on the page. */
import { ExternalHyperlink, ImportedXmlComponent, type IRunOptions, type ParagraphChild, TextRun } from "docx";
import type { Run } from "../content.ts";
import type { Piece } from "../lines.ts";
import type { NaturalWidth } from "../natural-widths.ts";
import { rightToLeft } from "../reading-order.ts";
import { monospaced } from "./paragraphs.ts";

/** In ems: more spacing would look like different text. */
const mostSpread = 0.35;
/** In ems. */
const usualSpace = 0.25;
/** A larger difference is corrected by scaling the characters. */
const leastScale = 0.04;
/** Points between the baseline of a line and that of raised or lowered characters. */
const leastRise = 0.5;

/** Invisible, but can still be searched and copied. @see Microsoft, [MS-DOCX], 2.6.1.23 textFill */
const transparent =
  '<w14:textFill xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"><w14:solidFill><w14:srgbClr w14:val="000000"><w14:alpha w14:val="100000"/></w14:srgbClr></w14:solidFill></w14:textFill>';

class HiddenRun extends TextRun {
  constructor(options: IRunOptions) {
    super(options);
    this.properties.push(ImportedXmlComponent.fromXmlString(transparent));
  }
}

export function lettersOf(piece: Piece, natural: NaturalWidth, { isHidden }: { readonly isHidden: boolean }): ParagraphChild[] {
  let left = 0;
  return piece.runs.flatMap((run) => {
    const own = optionsOf(run, piece);
    const font = own.font as string;
    const width = run.text.search(rightToLeft) === -1 ? (natural(run.text, font, run.look) ?? ownWidthOf(run)) : undefined;
    const letters = [...run.text];
    // Spacing comes in whole twentieths of a point: a run's remainder is spread over some of its characters and carried to the next run.
    const scale = width === undefined ? 1 : scaleOf(run.width / (width * run.size));
    const wanted = width === undefined || run.width === 0 ? 0 : (run.width - width * run.size * scale) * 20 + left;
    const most = run.size * 20 * mostSpread * letters.length;
    const total = Math.round(Math.min(most, Math.max(-most, wanted)));
    left = wanted - total;
    const each = Math.floor(total / letters.length);
    const more = total - each * letters.length;
    return [
      { text: letters.slice(0, more).join(""), space: each + 1 },
      { text: letters.slice(more).join(""), space: each },
    ]
      .filter(({ text }) => text !== "")
      .map(({ text, space }) =>
        shown(
          { ...own, text, ...(scale === 1 ? {} : { scale: Math.round(scale * 100) }), ...(space === 0 ? {} : { characterSpacing: space }) },
          run,
          isHidden,
        ),
      );
  });
}

/** The width at one point in its own font, which the reader may have installed. */
function ownWidthOf({ text, natural, size }: Run): number | undefined {
  return text === " " ? usualSpace : natural === undefined ? undefined : natural / size;
}

/** Scales text that is much narrower or wider than in the substitute font; small differences are left to letter spacing. */
function scaleOf(ratio: number): number {
  if (Math.abs(ratio - 1) < leastScale || !Number.isFinite(ratio) || ratio === 0) return 1;
  return Math.min(3, Math.max(0.3, Math.round(ratio * 100) / 100));
}

function shown(options: IRunOptions, { href }: Run, isHidden: boolean): ParagraphChild {
  const run = isHidden ? new HiddenRun(options) : new TextRun(options);
  return href === undefined ? run : new ExternalHyperlink({ link: href, children: [run] });
}

function optionsOf({ look, font, size, baseline, colour, text }: Run, piece: Piece): IRunOptions {
  const rise = piece.baseline - baseline;
  const half = (points: number) => Math.max(2, Math.round(points * 2));
  return {
    size: half(size),
    font: font ?? (look.isMono ? monospaced : "Arial"),
    ...(look.isBold ? { bold: true } : {}),
    ...(look.isItalic ? { italics: true } : {}),
    ...(colour === undefined || colour === "#000000" ? {} : { color: colour.slice(1) }),
    ...(Math.abs(rise) < leastRise ? {} : { position: `${Math.round(rise * 2) / 2}pt` as const }),
    ...(text.search(rightToLeft) === -1 ? {} : { rightToLeft: true }),
  };
}
