/** The worker's report on a converted document, and the notes that follow from it. */
import type { HopTask } from "#services/conversion/domain/engine.ts";
import { replacedFontsMessage } from "#services/conversion/domain/font-note.ts";
import { noteLeftOut } from "#services/conversion/domain/parts.ts";

export type Answer = {
  readonly ok: boolean;
  readonly reason: string;
  /** Position of the converted sheet; 0 if all were converted or there are none. */
  readonly sheet: number;
  readonly sheets: readonly string[];
  /** Whether there are hidden ones, which are not in the result. */
  readonly hasHidden: boolean;
  /** How many are left out of the result. */
  readonly hiddenSlides: number;
  /** The number of filled cells in hidden rows and columns, which the result leaves out. */
  readonly hiddenCells: number;
  /** Columns with other names in the target; a fourth entry stands for more. */
  readonly renamed: readonly string[];
  readonly encodingGuessed: boolean;
  /** Whether times or booleans became text. */
  readonly hasTexts: boolean;
  /** The first columns whose texts end in spaces, which the format takes for padding; a fourth entry stands for more. */
  readonly padded: readonly string[];
  /** Whether texts are in UTF-8 in a format that cannot name it. */
  readonly isUnnamed: boolean;
  /** The first numbers that lost digits; a fourth entry stands for more. */
  readonly rounded: readonly string[];
  /** The first cells whose tabs became spaces; a fourth entry stands for more. */
  readonly spaced: readonly string[];
  /** The first cells whose control characters are left out; a fourth entry stands for more. */
  readonly controls: readonly string[];
  /** The first times of day that the Numbers reader does not return exactly; a fourth entry stands for more. */
  readonly inexact: readonly string[];
  /** The first cells with the stored result instead of a formula that the office cannot compute; a fourth entry stands for more. */
  readonly restored: readonly string[];
  /** The first cells with a formula that the office cannot compute and that has no stored result. */
  readonly unknown: readonly string[];
  /** The first cells whose result is another than in the file, as of NOW(); a fourth entry stands for more. */
  readonly changed: readonly string[];
  /** Whether fields that show the name of the file are left out: it is not known here. */
  readonly isNameless: boolean;
  /** The first addresses of links without their escapes in the result; a fourth entry stands for more. */
  readonly decoded: readonly string[];
  /** The first cells with a number whose link is left out; a fourth entry stands for more. */
  readonly numbersLinked: readonly string[];
  /** Whether cells hold the numbers of choices in pop-up menus. */
  readonly hasMenus: boolean;
  /** Names of the properties that are left out. */
  readonly properties: readonly string[];
  /** Whether comments are left out. */
  readonly hasComments: boolean;
  /** Whether tracked changes were accepted. */
  readonly hasChanges: boolean;
  /** Whether deletions that are not accepted are shown. */
  readonly hasDeleted: boolean;
  /** Kinds of text that are left out or show the time of the conversion. */
  readonly left: readonly string[];
  readonly picturesLeft: number;
  /** Slides show footers or dates, which belong to the page. */
  readonly hasFooters: boolean;
  /** Font families as named in the document. */
  readonly fontsReplaced: readonly string[];
};

export function parseAnswer(value: unknown): Answer {
  const fields: Readonly<Record<string, unknown>> = typeof value === "object" && value !== null ? { ...value } : {};
  return {
    ok: fields.ok === true,
    reason: typeof fields.reason === "string" ? fields.reason : "",
    sheet: typeof fields.sheet === "number" ? fields.sheet : 0,
    sheets: textsOf(fields.sheets),
    hasHidden: fields.hasHidden === true,
    hiddenSlides: typeof fields.hiddenSlides === "number" ? fields.hiddenSlides : 0,
    hiddenCells: typeof fields.hiddenCells === "number" ? fields.hiddenCells : 0,
    rounded: textsOf(fields.rounded),
    spaced: textsOf(fields.spaced),
    controls: textsOf(fields.controls),
    inexact: textsOf(fields.inexact),
    renamed: textsOf(fields.renamed),
    encodingGuessed: fields.encodingGuessed === true,
    hasTexts: fields.hasTexts === true,
    padded: textsOf(fields.padded),
    isUnnamed: fields.isUnnamed === true,
    restored: textsOf(fields.restored),
    unknown: textsOf(fields.unknown),
    changed: textsOf(fields.changed),
    numbersLinked: textsOf(fields.numbersLinked),
    isNameless: fields.isNameless === true,
    decoded: textsOf(fields.decoded),
    hasMenus: fields.hasMenus === true,
    properties: textsOf(fields.properties),
    hasComments: fields.hasComments === true,
    hasChanges: fields.hasChanges === true,
    hasDeleted: fields.hasDeleted === true,
    left: textsOf(fields.left),
    hasFooters: fields.hasFooters === true,
    picturesLeft: typeof fields.picturesLeft === "number" ? fields.picturesLeft : 0,
    fontsReplaced: textsOf(fields.fontsReplaced),
  };
}

const textsOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

const unread: ReadonlyMap<string, string> = new Map([
  ["fields", "Formulas, numbers and buttons that fields show without a result were left out."],
  ["parts", "Documents that are embedded or linked as parts of the text were left out."],
  ["media", "Sound and video were left out."],
  ["frames", "Text in frames became pictures."],
  ["speech", "The speaker's notes were left out."],
  ["beside", "Text beside the slides was left out."],
  ["descriptions", "Descriptions (alternative text) of pictures, charts or tables were left out."],
  ["masters", "Text that slides have from their master was left out."],
  ["charts", "Charts and embedded files became pictures."],
  ["drawings", "Drawings were left out, or text in them."],
  ["even heads", "Headers and footers of even pages were left out."],
  ["second", "Only the first of several documents in the file was converted."],
  ["manager", "The document's manager or category was left out."],
  ["diagrams", "Text of diagrams (SmartArt) was left out."],
  ["addresses", "Link addresses of cells were left out."],
  ["attached", "Comments and link addresses of cells were left out."],
  ["links", "Links were left out, with their text."],
  ["truths", "Booleans and errors in cells became 0."],
  ["pivots", "Pivot tables became the cells that they show."],
  ["controls", "Content controls around paragraphs, line breaks or comments became their content."],
  ["times", "Fields of today's date or time show those of the conversion."],
]);

const textsOfPlain = "Times, booleans, mixed dates and numbers of more than 15 digits were written as text.";
const textsOfDbase = "Times, booleans, numbers with many digits and columns of several types were written as text.";

/** Notes what the result lacks or changes. */
export function noteAnswer(task: HopTask, answer: Answer): void {
  const fonts = replacedFontsMessage(answer.fontsReplaced);
  if (fonts !== undefined) task.note("FONT_SUBSTITUTED", fonts);
  if (answer.sheet > 0) noteLeftOut(task, "sheet", answer.sheet, answer.sheets.length);
  if (answer.hasHidden && !(answer.sheet > 0 && answer.sheets.length > 1)) task.note("SHEETS_LEFT_OUT", "Hidden sheets were left out.");
  if (answer.hiddenSlides > 0)
    task.note(
      "PAGES_LEFT_OUT",
      `${answer.hiddenSlides === 1 ? "A hidden slide was" : `${answer.hiddenSlides} hidden slides were`} left out.`,
    );
  const leftOut = [
    ...when(
      answer.hiddenCells > 0,
      `Hidden rows and columns were left out, with ${answer.hiddenCells === 1 ? "one filled cell" : `${answer.hiddenCells} filled cells`}.`,
    ),
    ...when(answer.hasFooters, "Headers, footers and dates of slides were left out."),
    ...listing("Properties of the document were left out", answer.properties),
    ...when(answer.hasComments, "Comments were left out."),
    ...when(answer.hasChanges, "Tracked changes were accepted."),
    ...when(answer.hasDeleted, "Deleted text that is still tracked is shown struck through."),
    ...answer.left.flatMap((kind) => unread.get(kind) ?? []),
    ...when(answer.hasMenus, "Choices in pop-up menus became their numbers."),
    ...listing("Formulas that cannot be computed here were replaced by their results", answer.restored),
    ...listing("Formulas without a result use unknown functions or names", answer.unknown),
    ...listing("Results of formulas, such as of NOW(), were computed anew", answer.changed),
    ...listing("Links of cells with numbers were left out", answer.numbersLinked),
    ...when(answer.isNameless, "The name of the file was left out where a field shows it."),
    ...listing("Link addresses lost escapes such as %22 or %40", answer.decoded),
  ];
  if (leftOut.length > 0) task.note("TEXT_LEFT_OUT", leftOut.join(" "));
  const roundings = [
    ...listing("Numbers of more than 15 digits, or times below 10 ms, were rounded", answer.rounded),
    ...listing("Times of day may be up to 500 seconds off", answer.inexact),
  ];
  if (roundings.length > 0) task.note("NUMBERS_ROUNDED", roundings.join(" "));
  const replaced = [
    ...listing("Tabs in cells became spaces", answer.spaced),
    ...listing("Control characters in cells were left out", answer.controls),
    ...listing("Spaces at the end of texts were left out", answer.padded),
  ];
  if (replaced.length > 0) task.note("CHARACTERS_REPLACED", replaced.join(" "));
  if (answer.hasTexts && !/^[ct]sv$/.test(task.hop.from)) task.note("TYPES_AS_TEXT", task.hop.to === "dbf" ? textsOfDbase : textsOfPlain);
  if (answer.isUnnamed) task.note("METADATA_DROPPED", "The texts are in UTF-8, which the format cannot name.");
  for (const message of listing("Columns were renamed to fit the format", answer.renamed)) task.note("NAMES_CHANGED", message);
  if (answer.picturesLeft > 0)
    task.note(
      "IMAGES_REMOVED",
      `${answer.picturesLeft === 1 ? "One picture was" : `${answer.picturesLeft} pictures were`} left out; descriptions are kept.`,
    );
}

const when = (isSo: boolean, message: string): string[] => (isSo ? [message] : []);

function listing(what: string, places: readonly string[]): string[] {
  const shown = places.slice(0, 3).map((place) => place.slice(0, 60));
  return when(shown.length > 0, `${what}: ${shown.join(", ")}${places.length > 3 ? " and others" : ""}.`);
}
