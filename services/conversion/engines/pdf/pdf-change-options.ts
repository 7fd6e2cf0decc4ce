/** Changes to a PDF that stays a PDF. */
import type { OptionDefinition } from "#services/conversion/domain/engine.ts";
import { matching, oneOf, yesOrNo } from "../shared/options.ts";
import { languageOption } from "./tesseract-languages.ts";

const pageList = "^[0-9]{1,5}(-([0-9]{1,5})?)?(,[0-9]{1,5}(-([0-9]{1,5})?)?){0,60}$";
const oneLine = "^[^\\x00-\\x1f\\x7f]{1,200}$";

const text = (name: string, description: string) => matching(name, oneLine, description);
const flag = (name: string, description: string) => yesOrNo(name, description, { default: false });

export const changeOptions: readonly OptionDefinition[] = [
  oneOf(
    "optimise",
    ["screen", "ebook", "print"],
    "Make the file smaller: pictures above 72, 150 or 300 dpi are downsampled and compressed, fonts are subset",
  ),
  oneOf(
    "ocr",
    ["never", "auto"],
    "Recognise text (OCR) on pages that have none, and add it as an invisible layer for searching and copying",
    "never",
  ),
  languageOption,
  matching("pages", pageList, "Pages to keep, in this order, for example `3,1,5-` (`5-` is page 5 to the end)"),
  matching("remove", pageList, "Pages to leave out, for example `2,7-9`"),
  oneOf("rotate", ["0", "90", "180", "270"], "Degrees to rotate the pages clockwise", "0"),
  matching("rotatePages", pageList, "Pages to rotate, by their number in the result; default: all"),
  oneOf("nUp", ["2", "4", "6", "8", "9", "16"], "Pages per sheet"),
  text("stamp", "Text stamped on each page"),
  oneOf(
    "stampPlace",
    ["diagonal", "top", "bottom"],
    "Position of the stamp: large and pale across the page, or small at the top or bottom",
    "diagonal",
  ),
  flag("grayscale", "Without colour"),
  flag("flatten", "Make forms and comments part of the page, so that they can no longer be changed"),
  oneOf("metadata", ["keep", "strip"], "Title, author, dates and other metadata", "keep"),
  text("title", "Sets the title"),
  text("author", "Sets the author"),
  text("subject", "Sets the subject"),
  text("keywords", "Sets the keywords"),
  flag("protect", "Encrypt the result (AES-256) with a password; the API reads it from the header `X-Output-Password`"),
  oneOf("permissions", ["all", "print", "read"], "Permissions in the encrypted result: all, read and print, or only read"),
  flag("linearise", "Linearise for the web: the first page appears before the whole file has loaded"),
  oneOf("pdfVersion", ["1.4", "1.5", "1.6", "1.7", "2.0"], "PDF version that the file declares; default: the lowest its content needs"),
];
