/** What to expect of a conversion in advance: the notes that its result may have, and for which files. */
import { canHave } from "#formats/index.ts";
import type { Hop, OptionValues } from "./engine.ts";
import type { Expectation, NoteCode } from "./notes.ts";
import { leftOutNoteOf } from "./parts.ts";
import { mayKeepPlace, mayTell } from "./picture-metadata.ts";

/** These notes are about one file or one attempt, not about the route. Any result may have them. */
export const unexpectedCodes: ReadonlySet<NoteCode> = new Set([
  "ALTERNATE_ROUTE",
  "CONTENT_TYPE_CORRECTED",
  "INPUT_DAMAGED",
  "SEVERAL_FILES",
  "TEXT_LEFT_OUT",
]);

const usual: Readonly<Partial<Record<NoteCode, Omit<Expectation, "code">>>> = {
  ALPHA_FLATTENED: { message: "Any transparency is flattened onto a background colour.", of: "alpha" },
  ANIMATION_REDUCED: { message: "Only one frame of an animation is kept.", of: "movement" },
  METADATA_DROPPED: {
    message: "Camera, date, place, author and comments are lost where the format has no place for them.",
    of: "metadata",
  },
  PLACE_KEPT: { message: "If the picture contains its location (GPS), the result keeps it.", of: "metadata" },
  PROFILE_CONVERTED: { message: "Colours from other colour spaces are converted to sRGB.", of: "profile" },
  ORIENTATION_APPLIED: { message: "The picture is rotated according to its orientation tag.", of: "orientation" },
  PAGES_LEFT_OUT: { message: "Only one of several pages is converted.", of: "pages" },
  PAGES_EMPTY: { message: "Pages without text and pictures give an empty result.", of: "pages" },
  DRAWINGS_LEFT_OUT: { message: "Drawings that cannot be shown as pictures are left out.", of: "pages" },
  SHEETS_LEFT_OUT: { message: "Only one of several sheets or tables is converted.", of: "sheets" },
  MESSAGES_LEFT_OUT: { message: "Only one of several messages is converted." },
  TRACKS_LEFT_OUT: { message: "Only one track of each kind is converted.", of: "tracks" },
  MEDIA_CHANGED: { message: "Sample formats, channels or pictures that the format does not support are converted." },
  FONT_SUBSTITUTED: { message: "Fonts that are not on this system are replaced." },
  ENCODING_GUESSED: { message: "The encoding of text that is not Unicode is guessed.", isOfSource: true },
  DIALECT_GUESSED: { message: "If commas do not separate the columns, the separator is detected.", isOfSource: true },
  FRAME_RATE_GUESSED: { message: "If the file does not state its frame rate, one is assumed." },
  SCRIPTS_NOT_RUN: { message: "Scripts are not run unless requested, and then only for a limited time." },
  EXTERNAL_CONTENT_BLOCKED: { message: "External content that the file links to is not fetched." },
  IMAGES_REMOVED: { message: "Pictures that the file only links to, or that the format does not support, are left out.", of: "pictures" },
  STRUCTURE_FLATTENED: { message: "Nested values are flattened." },
  TYPES_AS_TEXT: { message: "Values of unsupported types become text." },
  NUMBERS_ROUNDED: { message: "Numbers with more digits than the format supports are rounded." },
  EMPTY_VALUES_DROPPED: { message: "Empty values are left out." },
  NAMES_CHANGED: { message: "Names that the format does not allow are changed." },
  CHARACTERS_REPLACED: { message: "Characters that the format does not allow are replaced." },
  STYLING_DROPPED: { message: "Fonts, colours and positions are left out." },
  TEXT_RECOGNISED: { message: "Text on scanned pages is recognised (OCR) and may contain errors." },
  TEXT_NOT_RECOGNISED: { message: "Text in pictures that cannot be recognised is left out.", of: "pages" },
  STRUCTURE_DROPPED: { message: "Tags, links, bookmarks, form fields or attachments are left out." },
  SIGNATURES_VOID: { message: "Any digital signatures become invalid." },
  FITTED_TO_SIZE: { message: "The picture is reduced until it fits the requested size." },
  SOURCE_KEPT: { message: "If the result would not be smaller, the source file is returned unchanged." },
  FACES_MERGED: { message: "Faces are merged, and the shape changes a little." },
  ENTRIES_LEFT_OUT: { message: "Entries that the format does not support are left out." },
};

/** The expectation of a note with its usual text and files. With a custom text, it applies to all files unless `told` says otherwise. */
export function expecting(code: NoteCode, told: string | Partial<Omit<Expectation, "code">> = {}): Expectation {
  if (typeof told === "string") return { code, message: told };
  const { message } = told;
  if (message !== undefined) return { ...told, code, message };
  const words = usual[code];
  if (words === undefined) throw new Error(`There are no usual words for ${code}.`);
  return { ...words, ...told, code };
}

/** The usual expectation of each code. `false` stands for none. */
export function expectingAll(...codes: readonly (NoteCode | false)[]): readonly Expectation[] {
  return codes.flatMap((code) => (code === false ? [] : expecting(code)));
}

/** Everything that a hop expects, except for what no file of its source format can have. */
export function expectationsOf(hop: Pick<Hop, "from" | "to" | "expects" | "part">): readonly Expectation[] {
  const { from, part } = hop;
  const expects = [...(hop.expects ?? []), ...ofMetadata(hop)];
  const ofPart = part === undefined ? undefined : leftOutNoteOf(part);
  const isSaid = ofPart === undefined || expects.some(({ code }) => code === ofPart);
  const all = isSaid ? expects : [...expects, expecting(ofPart)];
  return all.filter(({ of }) => of === undefined || canHave(from, of));
}

/** One rule for all pictures, whichever engine writes them. */
function ofMetadata({ from, to, expects = [] }: Pick<Hop, "from" | "to" | "expects">): readonly Expectation[] {
  const isSaid = expects.some(({ code, option }) => code === "METADATA_DROPPED" && option === undefined);
  return expectingAll(mayTell(from, to) && !isSaid && "METADATA_DROPPED", mayKeepPlace(from, to) && "PLACE_KEPT");
}

/** Whether a note that a run of the hop raised was to be expected. */
export function isExpected(hop: Hop, code: NoteCode, given: OptionValues): boolean {
  if (unexpectedCodes.has(code)) return true;
  return expectationsOf(hop).some((each) => each.code === code && (each.option === undefined || given[each.option] !== undefined));
}
