/** Derives family, weight and slant from font names, and characters from the codes of fonts. */
import type { PDFPageProxy } from "pdfjs-dist";
import { signOf } from "../symbol-fonts.ts";
import type { Look, Run } from "./content.ts";
import { bullets } from "./markers.ts";
import { lettersIn } from "./scans.ts";

export type Face = { readonly look: Look; readonly family: string | undefined; readonly symbols: string | undefined };
export type Styles = Readonly<Record<string, { readonly fontFamily: string }>>;

const mono = /mono|courier|consol|menlo|typewriter|^(?:[A-Z]{6}\+)?(?:CM|SF)TT\d/i;

/** By pdf.js's own names for the fonts of a page. TeX fonts encode their weight in two letters. */
export function facesOf(page: PDFPageProxy, styles: Styles): (font: string) => Face {
  const faces = new Map<string, Face>();
  return (font) => {
    const known = faces.get(font);
    if (known !== undefined) return known;
    const { name = "" } = (page.commonObjs.has(font) ? page.commonObjs.get(font) : {}) as { name?: string };
    const look = {
      isBold: /bold|black|heavy|demi|^(?:[A-Z]{6}\+)?(?:CM|SF)(?:BX|SSBX)\d/i.test(name),
      isItalic: /italic|oblique|slanted|^(?:[A-Z]{6}\+)?(?:CM|SF)(?:TI|SL)\d/i.test(name),
      // The invisible font of OCR text has a single width and no style.
      isMono: !/GlyphLess/i.test(name) && (styles[font]?.fontFamily === "monospace" || mono.test(name)),
    };
    const symbols = /^(?:[A-Z]{6}\+)?(Symbol|Wingdings|Webdings)(?=MT|-Regular|$)/i.exec(name)?.[1];
    const face = { look, family: familyOf(name, styles[font]?.fontFamily), symbols };
    faces.set(font, face);
    return face;
  };
}

/** Maps families that nobody has installed to common ones, and spells the others as office programs do. */
const known: readonly (readonly [name: RegExp, family: string])[] = [
  [/^times/i, "Times New Roman"],
  [/^(?:arial|helvetica|nimbussan)/i, "Arial"],
  [/^courier/i, "Courier New"],
  [/^dejavu(sans|serif)?(mono)?(condensed)?/i, "DejaVu"],
  [/^(?:(?:CM|SF|LM)[A-Z]{1,5}\d|LMRoman|NimbusRom)/i, "Times New Roman"],
];

/** Families that come with office programs, systems and the web; any other would be replaced unpredictably. */
const common =
  /^(?:Calibri|Cambria|Candara|Consolas|Constantia|Corbel|Georgia|Verdana|Tahoma|Trebuchet|Garamond|EB Garamond|Palatino|Book Antiqua|Bookman|Century|Gill Sans|Franklin|Segoe|Aptos|Impact|Comic Sans|Liberation|Noto|Carlito|Caladea|Roboto|Open Sans|Lato|Montserrat|Source|Inter|Ubuntu|Merriweather|PT S|Fira|IBM Plex|Traditional Arabic|Simplified Arabic|Amiri|David|Sakkal|SimSun|SimHei|Microsoft|MS |Yu |Meiryo|Malgun|Batang|Gulim)/i;

/** "ABCDEF+LiberationSerif-BoldItalic" is Liberation Serif. */
function familyOf(name: string, sort: string | undefined): string | undefined {
  const bare = name.replace(/^[A-Z]{6}\+/, "").replace(/[-,].{0,60}$|(?:PS)?MT$/s, "");
  if (bare === "" || /GlyphLess|^Type ?3|^g_d|[^\x20-\x7e]/i.test(bare) || bare.length > 60) return undefined;
  const family = known.find(([pattern]) => pattern.test(bare))?.[1];
  if (family === "DejaVu") return /mono/i.test(bare) ? "DejaVu Sans Mono" : /serif/i.test(bare) ? "DejaVu Serif" : "DejaVu Sans";
  if (family !== undefined) return family;
  // Generated names, such as F1 or TT2, are not family names.
  if (/^[A-Z]{1,3}\d{1,4}$/i.test(bare)) return sort === "serif" ? "Times New Roman" : sort === "sans-serif" ? "Arial" : undefined;
  const spaced = bare.replace(/([a-z])([A-Z])/g, "$1 $2");
  if (common.test(spaced)) return spaced;
  return sort === "serif" ? "Times New Roman" : sort === "sans-serif" ? "Arial" : undefined;
}

/** Some fonts map ideographs to look-alike radicals, Arabic letters to their presentation forms, and signs to codes of their own. */
export function plainLetters(text: string, symbols: string | undefined): string {
  const said = symbols === undefined ? text : text.replace(/[\uf020-\uf0ff]/g, (sign) => signOf(symbols, sign.charCodeAt(0)) ?? sign);
  return said.replace(/[\u2e80-\u2fdf\ufb1d-\ufbff\ufc00-\ufdfb\ufe70-\ufefc]/g, (letter) => letter.normalize("NFKC"));
}

/** Some fonts do not say which characters they show, and the codes mean nothing: they are controls, or hardly any is a letter. */
export function isUnreadable(runs: readonly Run[]): boolean {
  if (runs.some(({ text }) => /[\p{Cc}\p{Co}\ufffd]/u.test(text.replace(bullets, "").trim()))) return true;
  const ink = runs.reduce((sum, { text }) => sum + text.replace(/[\s._\u2026-]/g, "").length, 0);
  return ink >= fewestCodes && lettersIn(runs) < ink * fewReadable;
}

const fewestCodes = 200;
const fewReadable = 0.25;
