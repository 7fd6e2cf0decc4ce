/** The closed list of notes: what a conversion lost, guessed or corrected. */
export const noteTable = {
  CONTENT_TYPE_CORRECTED: "The file's content is not what its name says; the content was believed.",
  ALPHA_FLATTENED: "Transparency was flattened onto the background colour.",
  ANIMATION_REDUCED: "Only the first frame of the animation was kept.",
  METADATA_DROPPED: "Metadata was not carried over.",
  PROFILE_CONVERTED: "Colours were converted to sRGB.",
  ORIENTATION_APPLIED: "The picture was turned as its orientation tag says.",
  PAGES_LEFT_OUT: "Only one page was converted.",
  SHEETS_LEFT_OUT: "Only one sheet was converted.",
  TRACKS_LEFT_OUT: "Only the first track of its sort was converted.",
  FONT_SUBSTITUTED: "A font that is not on this system was replaced.",
  ENCODING_GUESSED: "The text's encoding was guessed.",
  EXTERNAL_CONTENT_BLOCKED: "Content that the file links to elsewhere was not fetched.",
  INPUT_DAMAGED: "The file is damaged; what could be read was converted.",
  IMAGES_REMOVED: "Pictures that the file links to were left out.",
} as const;

export type NoteCode = keyof typeof noteTable;
