/** What stands on a page. Points, from the page's upper left corner; a page that is read sideways has been turned upright. */

export type Look = { readonly isBold: boolean; readonly isItalic: boolean; readonly isMono: boolean };

/** Letters of one font on one baseline. */
export type Run = {
  readonly text: string;
  readonly x: number;
  readonly baseline: number;
  readonly width: number;
  readonly size: number;
  readonly look: Look;
  /** Family of the font, as far as its name tells. */
  readonly font: string | undefined;
  /** The page's own word that a line ends behind it. */
  readonly endsLine: boolean;
  /** Which piece of marked content it belongs to; `artifact` for what is no part of the document. */
  readonly mark: string | undefined;
  readonly href: string | undefined;
  /** Which link it belongs to. */
  readonly link?: string | undefined;
  /** Of what does not stand upright: radians, clockwise, and how long it is; it has no width. */
  readonly turn?: { readonly angle: number; readonly length: number };
  /** As `#rrggbb`, where it was asked for; then also how wide its letters are by themselves, if that is known. */
  readonly colour?: string;
  readonly natural?: number;
  /** All of it leads to another place of the document. */
  readonly leadsWithin?: boolean;
};

export type Box = { readonly left: number; readonly top: number; readonly right: number; readonly bottom: number };

export type Picture = {
  readonly box: Box;
  readonly mark: string | undefined;
  readonly png: Uint8Array;
};

/** Where something is drawn by paths. */
export type Figure = { readonly box: Box; readonly mark: string | undefined };

/** A node of the structure tree (ISO 32000-1, 14.7) as pdf.js gives it: of this page alone. */
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
  /** Thin lines and edges of filled boxes, across and upright. */
  readonly rules: readonly Box[];
  /** Small filled shapes, as browsers draw the bullets of lists. */
  readonly dots: readonly Box[];
  readonly pictures: readonly Picture[];
  readonly figures: readonly Figure[];
  /** It stands as the file says; else its boxes are not where other programs have them. */
  readonly isUpright: boolean;
  /** Its letters are there to be found and not to be seen: they were recognised. */
  readonly isTextHidden: boolean;
  /** It shows more than letters: pictures, drawings, fields, highlights. */
  readonly showsMore: boolean;
  /** It shows something and has next to no letters. */
  readonly isScanned: boolean;
  readonly structure: StructureNode | undefined;
  /** Addresses of links by the annotation's id. */
  readonly links: ReadonlyMap<string, string>;
};
