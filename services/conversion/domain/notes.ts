import type { Trait } from "#formats/index.ts";

/** The closed list of notes: what a conversion lost, guessed or corrected. */
export const noteTable = {
  ALTERNATE_ROUTE: "The usual way failed for this file; another one was taken.",
  CONTENT_TYPE_CORRECTED: "The file's content is not what its name says; the content was believed.",
  ALPHA_FLATTENED: "Transparency was flattened onto the background colour.",
  ANIMATION_REDUCED: "Only the first frame of the animation was kept.",
  METADATA_DROPPED: "Metadata was not carried over.",
  PLACE_KEPT: "The picture says where it was taken (GPS).",
  PROFILE_CONVERTED: "Colours were converted to sRGB.",
  ORIENTATION_APPLIED: "The picture was turned as its orientation tag says.",
  SEVERAL_FILES: "The result is a ZIP archive of files.",
  PAGES_LEFT_OUT: "Only one page was converted.",
  SHEETS_LEFT_OUT: "Only one sheet or table was converted.",
  MESSAGES_LEFT_OUT: "Only one message was converted.",
  TRACKS_LEFT_OUT: "Only the first track of its sort was converted.",
  MEDIA_CHANGED: "Samples, channels or pictures were changed to what the format holds.",
  FONT_SUBSTITUTED: "A font that is not on this system was replaced.",
  ENCODING_GUESSED: "The text's encoding was guessed.",
  DIALECT_GUESSED: "What separates the table's columns was guessed.",
  FRAME_RATE_GUESSED: "The file does not state its frame rate; one was assumed.",
  SCRIPTS_NOT_RUN: "Scripts of the page were not run, or not to their end.",
  EXTERNAL_CONTENT_BLOCKED: "Content that the file links to elsewhere was not fetched.",
  INPUT_DAMAGED: "The file is damaged; what could be read was converted.",
  IMAGES_REMOVED: "Pictures that the file links to were left out.",
  STRUCTURE_FLATTENED: "Nested values were flattened, as the format holds rows.",
  TYPES_AS_TEXT: "Values of a type that the format lacks were written as text.",
  NUMBERS_ROUNDED: "Numbers with more digits than the format holds were rounded.",
  EMPTY_VALUES_DROPPED: "Empty values were left out, as the format has none.",
  NAMES_CHANGED: "Names that the format does not allow were changed.",
  CHARACTERS_REPLACED: "Characters that the format does not allow were replaced.",
  STYLING_DROPPED: "Fonts, colours and positions were left out.",
  TEXT_RECOGNISED: "Text was recognised in pictures; it may hold errors.",
  TEXT_NOT_RECOGNISED: "Text in pictures was not recognised.",
  ENTRIES_LEFT_OUT: "Links and special files were left out.",
  STRUCTURE_DROPPED: "Tags, links, bookmarks, form fields or attachments were left out.",
  SIGNATURES_VOID: "Digital signatures are no longer valid, as the file was written anew.",
  FITTED_TO_SIZE: "The picture was reduced until it had no more bytes than was asked for.",
  SOURCE_KEPT: "The result was no smaller; the file was given back as it was.",
  ENTRIES_CHANGED: "Files were changed on their way into one.",
  PERMISSIONS_REDUCED: "Permissions to write for everybody, and to run as a file's owner, were taken away.",
} as const;

export type NoteCode = keyof typeof noteTable;

/** That a run may raise a note. */
export type Expectation = {
  readonly code: NoteCode;
  /** For people, in the present tense, true of every file that the note can be raised of. */
  readonly message: string;
  /** What the file must have for it. A route expects it only when each format up to this hop can have it. */
  readonly of?: Trait;
  /** Only of the file as the client brought it: what we write is never in doubt. */
  readonly isOfSource?: true;
  /** Only when the client gives this option: who asks for something need not be warned of it. */
  readonly option?: string;
};
