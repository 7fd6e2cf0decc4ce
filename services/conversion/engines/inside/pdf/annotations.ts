/** What lies on a page besides its content: links, filled-in forms, comments (ISO 32000-1, 12.5). */
import type { Box, Run } from "./content.ts";
import { boxUnder, type Matrix } from "./drawings.ts";

export type Annotation = {
  readonly id: string;
  readonly subtype?: string;
  readonly url?: string;
  readonly unsafeUrl?: string;
  readonly rect?: readonly number[];
  readonly fieldType?: string;
  readonly fieldValue?: unknown;
  /** Of a list to choose from. */
  readonly options?: readonly { readonly exportValue: string; readonly displayValue: string }[];
  readonly checkBox?: boolean;
  readonly radioButton?: boolean;
  readonly password?: boolean;
  readonly exportValue?: string;
  readonly buttonValue?: string;
  readonly hidden?: boolean;
  readonly dest?: unknown;
  readonly contentsObj?: { readonly str?: string };
};

/** `link` is the same for all parts of one link. */
export type PlacedLink = { readonly id: string; readonly href: string; readonly box: Box; readonly link: string };

export function linksOf(annotations: readonly Annotation[], matrix: Matrix): PlacedLink[] {
  const found: PlacedLink[] = [];
  for (const { id, subtype, url, unsafeUrl, rect } of annotations) {
    const href = url ?? unsafeUrl ?? "";
    if (subtype !== "Link" || rect === undefined || !/^(?:https?|mailto|ftp):/i.test(href) || href.length > 4000) continue;
    const box = boxOf(rect, matrix);
    const last = found.at(-1);
    found.push({ id, href, box, link: last !== undefined && last.href === href && isRightBehind(last.box, box) ? last.link : id });
  }
  return found;
}

const boxOf = ([x0 = 0, y0 = 0, x1 = 0, y1 = 0]: readonly number[], matrix: Matrix) => boxUnder(matrix, x0, y0, x1, y1);

/** Closer than a space, on the same line. */
function isRightBehind(one: Box, other: Box): boolean {
  const height = one.bottom - one.top;
  return Math.abs(other.left - one.right) < height * 0.12 && other.top < one.bottom && other.bottom > one.top;
}

/** Boxes of links to other places in the document. */
export function leadsWithinOf(annotations: readonly Annotation[], matrix: Matrix): Box[] {
  return annotations.flatMap(({ subtype, dest, rect }) =>
    subtype === "Link" && dest !== undefined && dest !== null && rect !== undefined ? [boxOf(rect, matrix)] : [],
  );
}

type Shown = { readonly drawn: readonly Run[]; readonly appearances: ReadonlyMap<string, string> };

/** Text of form fields and comments, as it appears on the page, on the baseline of its label in `drawn`. */
export function writtenIn(annotations: readonly Annotation[], matrix: Matrix, { drawn, appearances }: Shown): Run[] {
  return annotations.flatMap((annotation) => {
    const isDrawn = annotation.subtype === "Stamp" || annotation.fieldType === "Sig";
    const text = isDrawn ? (appearances.get(annotation.id) ?? "").replace(/\s+/g, " ").trim() : textOf(annotation);
    if (text === "" || annotation.hidden === true || annotation.rect === undefined) return [];
    const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = annotation.rect;
    const { left, right, top, bottom } = boxUnder(matrix, x0, y0, x1, y1);
    const size = Math.min(12, Math.max(4, (bottom - top) * 0.7));
    const label = drawn.findLast((run) => run.text.trim() !== "" && run.x < left && run.baseline > top && run.baseline < bottom);
    const place = {
      x: left,
      baseline: label?.baseline ?? (top + bottom) / 2 + size * 0.3,
      width: Math.min(right - left, text.length * size * 0.5),
      size,
    };
    const look = { isBold: false, isItalic: false, isMono: false };
    return [{ text, ...place, look, font: undefined, endsLine: true, mark: undefined, href: undefined }];
  });
}

const shown = new Set(["Widget", "FreeText", "Link", "Popup"]);

/** The number of comments whose text is not on the page. */
export function commentsIn(annotations: readonly Annotation[]): number {
  return annotations.filter(({ subtype = "", contentsObj }) => !shown.has(subtype) && (contentsObj?.str ?? "").trim() !== "").length;
}

function textOf(annotation: Annotation): string {
  const { subtype, fieldValue, options = [], checkBox, radioButton, exportValue, buttonValue, contentsObj } = annotation;
  if (subtype !== "Widget" && subtype !== "FreeText") return "";
  const values = [subtype === "Widget" ? fieldValue : contentsObj?.str].flat().filter((value) => typeof value === "string");
  // A list shows another text for the value that it exports.
  const said = values.map((value) => options.find((option) => option.exportValue === value)?.displayValue ?? value).join(", ");
  // The buttons of a group share a value: that of the selected button.
  if (checkBox === true) return said !== "" && said === exportValue ? "☒" : "";
  if (radioButton === true) return said !== "" && said === buttonValue ? "☒" : "";
  // As on the page.
  return annotation.password === true ? said.replace(/./gsu, "*") : said.replace(/\s+/g, " ").trim();
}
