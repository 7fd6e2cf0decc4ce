/** The content of a page. In points from the page's top left corner; a page that is read sideways is turned upright. */

export type Look = { readonly isBold: boolean; readonly isItalic: boolean; readonly isMono: boolean };

/** Characters in one font on one baseline. */
export type Run = {
  readonly text: string;
  readonly x: number;
  readonly baseline: number;
  readonly width: number;
  readonly size: number;
  readonly look: Look;
  /** Font family, as far as its name shows. */
  readonly font: string | undefined;
  /** The PDF itself says that a line ends after it. */
  readonly endsLine: boolean;
  /** The piece of marked content it belongs to; `artifact` for decoration. */
  readonly mark: string | undefined;
  readonly href: string | undefined;
  /** The link it belongs to. */
  readonly link?: string | undefined;
  /** For text that is not upright: the angle in radians, clockwise, and its length; its width is 0. */
  readonly turn?: { readonly angle: number; readonly length: number };
  /** As `#rrggbb`, if requested; then also the natural width of its text, if known. */
  readonly colour?: string;
  readonly natural?: number;
  /** All of it links to another place in the document. */
  readonly leadsWithin?: boolean;
};

export type Box = { readonly left: number; readonly top: number; readonly right: number; readonly bottom: number };

export type Picture = {
  readonly box: Box;
  readonly mark: string | undefined;
  readonly png: Uint8Array;
  /** Rendered from an area of the page, with everything in it. */
  readonly isDrawn?: boolean;
};

/** Position of a vector drawing. */
export type Figure = { readonly box: Box; readonly mark: string | undefined };

/** A node of the structure tree (ISO 32000-1, 14.7) as pdf.js returns it, for this page only. */
export type StructureNode = {
  readonly role?: string;
  readonly type?: string;
  readonly id?: string;
  readonly alt?: string;
  readonly colSpan?: number;
  readonly rowSpan?: number;
  readonly children?: readonly StructureNode[];
};

export type PageContent = {
  readonly number: number;
  readonly width: number;
  readonly height: number;
  readonly runs: readonly Run[];
  /** Thin horizontal and vertical lines, and edges of filled boxes. */
  readonly rules: readonly Box[];
  /** Small filled shapes, as browsers draw list bullets. */
  readonly dots: readonly Box[];
  readonly pictures: readonly Picture[];
  readonly figures: readonly Figure[];
  /** Not turned; otherwise its boxes differ from those of other programs. */
  readonly isUpright: boolean;
  /** Its text is an invisible OCR layer. */
  readonly isTextHidden: boolean;
  /** It has text in hidden layers, which is left out. */
  readonly hasHiddenText: boolean;
  /** Number of comments, which are left out. */
  readonly comments: number;
  /** It shows more than text: pictures, drawings, fields, highlights. */
  readonly showsMore: boolean;
  /** It shows something but has next to no text. */
  readonly isScanned: boolean;
  /** Its fonts do not say which characters they show. */
  readonly isUnreadable: boolean;
  readonly structure: StructureNode | undefined;
  /** Link addresses by annotation id. */
  readonly links: ReadonlyMap<string, string>;
};
