/** Books and comics. */
import { rowsOf } from "./row.ts";

export const ebookFormats = rowsOf("ebook", [
  ["epub", "EPUB e-book", "epub", "application/epub+zip"],
  ["mobi", "Mobipocket e-book", "mobi", "application/x-mobipocket-ebook"],
  ["azw3", "Kindle KF8 e-book", "azw3", "application/vnd.amazon.mobi8-ebook"],
  ["fb2", "FictionBook 2", "fb2", "application/x-fictionbook+xml"],
  ["azw", "Kindle e-book (DRM-free)", "azw", "application/vnd.amazon.ebook"],
  ["prc", "Palm / Mobipocket resource", "prc", "application/x-mobipocket-ebook"],
  ["lit", "Microsoft Reader e-book", "lit", "application/x-ms-reader"],
  ["lrf", "Sony BBeB e-book", "lrf", "application/x-sony-bbeb"],
  ["pdb", "Palm e-book", "pdb", "application/vnd.palm"],
  ["htmlz", "Zipped HTML book", "htmlz", "application/x-htmlz"],
  ["txtz", "Zipped text book", "txtz", "application/x-txtz"],
  ["cbz", "Comic book ZIP", "cbz", "application/vnd.comicbook+zip"],
  ["cbr", "Comic book RAR", "cbr", "application/vnd.comicbook-rar"],
  ["cb7", "Comic book 7z", "cb7", "application/x-cb7"],
  ["chm", "Compiled HTML help", "chm", "application/vnd.ms-htmlhelp"],
  ["pmlz", "Palm markup book", "pmlz pml", "application/x-pmlz"],
  ["rb", "RocketBook", "rb", "application/x-rocketbook"],
  ["tcr", "Psion text book", "tcr", "application/x-psion-tcr"],
  ["cbt", "Comic book TAR", "cbt", "application/x-cbt"],
]);
