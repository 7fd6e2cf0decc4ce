/** Typefaces. */
import { rowsOf } from "./row.ts";

export const fontFormats = rowsOf("font", [
  ["ttf", "TrueType font", "ttf", "font/ttf"],
  ["otf", "OpenType font", "otf", "font/otf"],
  ["woff", "Web Open Font Format", "woff", "font/woff"],
  ["woff2", "Web Open Font Format 2", "woff2", "font/woff2"],
  ["pfb", "PostScript Type 1 font (binary)", "pfb", "application/x-font-type1"],
  ["pfa", "PostScript Type 1 font (ASCII)", "pfa", "application/x-font-type1"],
  ["svgfont", "SVG font", "svg", "image/svg+xml"],
  ["ufo", "Unified Font Object (zipped)", "ufo ufoz", "application/x-ufo"],
  ["sfd", "FontForge source", "sfd", "application/vnd.font-fontforge-sfd"],
  ["t42", "Type 42 font", "t42", "application/x-font-type42"],
  ["dfont", "Mac data-fork font", "dfont", "application/x-dfont"],
]);
