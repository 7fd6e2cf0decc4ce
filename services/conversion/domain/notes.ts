import type { Trait } from "#formats/index.ts";

/** The closed list of notes: what a conversion lost, guessed or corrected. */
export const noteTable = {
  ALTERNATE_ROUTE: "The usual engine failed for this file; another one was used.",
  CONTENT_TYPE_CORRECTED: "The file's content does not match its name; the content was used.",
  ALPHA_FLATTENED: "Transparency was flattened onto the background colour.",
  ANIMATION_REDUCED: "Only the first frame of the animation was kept.",
  METADATA_DROPPED: "Metadata was not carried over.",
  PLACE_KEPT: "The picture still contains its location (GPS).",
  PROFILE_CONVERTED: "Colours were converted to sRGB.",
  ORIENTATION_APPLIED: "The picture was rotated according to its orientation tag.",
  SEVERAL_FILES: "The result is a ZIP archive of files.",
  PAGES_LEFT_OUT: "Only one page was converted.",
  PAGES_EMPTY: "The pages contain neither text nor pictures.",
  DRAWINGS_LEFT_OUT: "Drawings were left out.",
  SHEETS_LEFT_OUT: "Only one sheet or table was converted.",
  MESSAGES_LEFT_OUT: "Only one message was converted.",
  TRACKS_LEFT_OUT: "Only the first track of each kind was converted.",
  MEDIA_CHANGED: "Sample formats, channels or pictures were converted to what the format supports.",
  FONT_SUBSTITUTED: "A font that is not on this system was replaced.",
  ENCODING_GUESSED: "The text's encoding was guessed.",
  DIALECT_GUESSED: "The column separator was guessed.",
  FRAME_RATE_GUESSED: "The file does not state its frame rate; one was assumed.",
  SCRIPTS_NOT_RUN: "The page's scripts were not run, or did not finish.",
  EXTERNAL_CONTENT_BLOCKED: "External content that the file links to was not fetched.",
  INPUT_DAMAGED: "The file is damaged; only the readable part was converted.",
  IMAGES_REMOVED: "Pictures that the file links to were left out.",
  STRUCTURE_FLATTENED: "Nested values were flattened because the format stores rows.",
  TYPES_AS_TEXT: "Values of unsupported types were written as text.",
  NUMBERS_ROUNDED: "Numbers with more digits than the format supports were rounded.",
  EMPTY_VALUES_DROPPED: "Empty values were left out because the format does not support them.",
  NAMES_CHANGED: "Names that the format does not allow were changed.",
  CHARACTERS_REPLACED: "Characters that the format does not allow were replaced.",
  TEXT_LEFT_OUT: "Some of the text was left out.",
  STYLING_DROPPED: "Fonts, colours and positions were left out.",
  TEXT_RECOGNISED: "Text in pictures was recognised (OCR); it may contain errors.",
  TEXT_NOT_RECOGNISED: "Text in pictures was not recognised.",
  ENTRIES_LEFT_OUT: "Links and special files were left out.",
  STRUCTURE_DROPPED: "Tags, links, bookmarks, form fields or attachments were left out.",
  SIGNATURES_VOID: "Digital signatures are no longer valid because the file was rewritten.",
  FITTED_TO_SIZE: "The picture was reduced until it fit the requested size.",
  SOURCE_KEPT: "The result was not smaller; the source file was returned unchanged.",
  FACES_MERGED: "Faces were merged; the model has fewer triangles.",
  ENTRIES_CHANGED: "Files were changed when they were joined.",
  PERMISSIONS_REDUCED: "World-writable, set-uid and set-gid permissions were removed.",
} as const;

export type NoteCode = keyof typeof noteTable;

/** A note of several steps says what each has lost, up to this length. */
export const longestNote = 1000;

/** A result has one note of a code, which says everything that its steps said under it. */
export function joinedNote(before: string | undefined, message: string, code: NoteCode): string {
  if (before === undefined || before === noteTable[code]) return message;
  const isNew = message !== noteTable[code] && !before.includes(message) && before.length + message.length < longestNote;
  return isNew ? `${before} ${message}` : before;
}

/** Declares that a run may raise a note. */
export type Expectation = {
  readonly code: NoteCode;
  /** For users, in the present tense, and true of every file for which the note can be raised. */
  readonly message: string;
  /** The trait that the file must have for the note. A route expects it only if every format up to this hop can have the trait. */
  readonly of?: Trait;
  /** Only for the client's file: what Filemill writes is never in doubt. */
  readonly isOfSource?: true;
  /** Only if the client gives this option. Without the request, there is nothing to warn about. */
  readonly option?: string;
};
