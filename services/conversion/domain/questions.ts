/** The questions for inspectors, and the only shapes in which they can answer. inspectors/inside answers them. */

import { formatOf } from "#formats/index.ts";
import { finite, flag, known, list, oneOf, optional, record, text, whole } from "./answer-shapes.ts";
import { type Tellable, tellable } from "./tellable.ts";

const formatId = known((value): value is string => formatOf(value) !== undefined);

/** Why a file is not converted, in words for its owner. */
export const refusal = record({
  code: oneOf("INVALID_INPUT", "PASSWORD_REQUIRED", "INPUT_TOO_COMPLEX", "CONVERSION_FAILED"),
  message: text(300),
  /** The file is intact but has nothing for the target (see LacksContent). */
  lacksContent: optional(flag),
});

const nothing = record({});

/** Two questions in one if the file is small: its format, and what is wrong with it as a file of that format. */
export const sniffed = record({
  format: optional(formatId),
  toldBy: oneOf("content", "name"),
  nameDisagrees: flag,
  /** Undefined if it was not checked, or nothing is wrong. */
  refusal: optional(refusal),
  /** Of a picture, and of sound or video in ms; 0 if the file does not state it near its beginning. */
  pixels: whole(Number.MAX_SAFE_INTEGER),
  durationMs: whole(Number.MAX_SAFE_INTEGER),
});

/** A label of the Encoding Standard, or one that programs understand. */
const encodingLabel = text(32);
const uint32 = whole(2 ** 32 - 1);
const place = whole(Number.MAX_SAFE_INTEGER);
const count = optional(place);
/** @see counts.ts */
/** The first names of files, and how many more there are. */
const firstNames = record({ names: list(text(100), 3), more: uint32 });

const counts = record({
  ...{ pages: count, sheets: count, rows: count, cells: count, letters: count, entries: count, faces: count, glyphs: count, media: count },
});
/** @see picture-metadata.ts */
const told = oneOf(...(Object.keys(tellable) as Tellable[]));
/** What a sound file may contain besides the sound and its tags. */
const besideSound = [
  "marks",
  "regions",
  "loops",
  "sampler",
  "recording",
  "broadcast",
  "loudness",
  "scene",
  "xmp",
  "descriptions",
  "comments",
  "chained",
] as const;
/** By the type of the meta event, from 1. */
export const midiWords = ["texts", "copyright", "names", "instruments", "lyrics", "markers", "cues"] as const;
export type BesideSound = (typeof besideSound)[number];
/** Offset and length. */
const pieces = list(list(place, 2), 1000);

export const answers = {
  sniff: sniffed,
  inspect: nothing,
  check: nothing,
  /** For a source (`from`) and its result (`to`). */
  counts: record({ source: counts, result: counts }),
  /** For a source (`from`) and its result (`to`), both pictures. */
  pictureMetadata: record({ source: list(told, Object.keys(tellable).length), result: list(told, Object.keys(tellable).length) }),
  /** For a text that is not Unicode. `isPage`: the page may state its encoding itself. */
  textEncoding: record({ guess: optional(encodingLabel) }),
  /** For a PNG or JPEG (`format`). */
  pictureFacts: record({
    width: uint32,
    height: uint32,
    /** As in EXIF: from 1, upright, to 8. */
    orientation: whole(8),
    /** Pixels per inch, if the file has a value that a person may have meant. */
    density: optional(finite),
    /** Height of a pixel, of its width. */
    tallness: finite,
    /** PNG only: whether it has a colour profile other than sRGB. */
    hasProfile: optional(flag),
    /** PNG only: bits per sample. */
    bitDepth: optional(whole(255)),
    /** PNG only: whether one colour, or some of a palette, are transparent. */
    isKeyed: optional(flag),
    /** PNG only: whether it has a profile for greys. */
    hasGreyProfile: optional(flag),
    /** PNG only: whether it states a resolution, but not in EXIF. */
    isSizedOutsideExif: optional(flag),
    /** JPEG only. */
    components: optional(whole(255)),
  }),
  /**
   * For a PNG or HEIC (`format`): whether it names its colours other than by a profile, and they are not sRGB; primaries and transfer as in
   * ITU-T H.273.
   */
  namedColours: record({ isNamed: flag, primaries: whole(255), transfer: whole(255) }),
  /**
   * For a TIFF, BMP, PCX, DCX, DDS, PSD or RAS (`format`): whether ImageMagick takes samples of this `page`, or without one of any, for
   * others, or does not read them; and what is left out of a DDS or PSD.
   */
  samples: record({ isMisread: flag, left: text(500) }),
  jpegFrame: record({ width: uint32, height: uint32, components: whole(255), isInverted: flag, profile: pieces }),
  /** Bytes to change in a JPEG or PNG so that it is marked as upright. */
  uprightPatches: record({ patches: list(record({ at: place, hex: text(8) }), 1000) }),
  /**
   * How much of the stated sound is there, from 0 to 1, or how long it is, 0 if not stated. Open: its end is missing, and it states
   * nothing. Places: damaged ones that were found. Besides the sound there may be marks and more.
   */
  soundEnd: record({
    share: finite,
    isOpen: flag,
    places: uint32,
    seconds: finite,
    beside: list(record({ kind: oneOf(...besideSound), parts: uint32 }), 100),
    /** What decodes the samples, if FFmpeg would choose wrongly. */
    decoder: oneOf("", "pcm_u8", "pcm_s16le", "pcm_s24le", "pcm_s32le"),
  }),
  /** For sound or video, by its demuxer (`format`): whether it may have tags that only Mutagen reads. */
  richTags: record({ mayHave: flag }),
  /** For a GIF or an APNG. 0 plays means forever. */
  animation: record({ frames: uint32, plays: uint32 }),
  iconPictures: record({ pictures: list(record({ width: uint32, offset: place, length: place, isJp2: flag }), 1000) }),
  /** For an OpenEXR: channels and parts besides the picture, empty without any; and whether its colours are not those of a screen. */
  exrLeft: record({ left: text(500), hasOtherColours: flag }),
  /** For a Windows icon or cursor: writes it anew if pictures of it are transparent only according to their masks. */
  iconMasked: record({ isChanged: flag }),
  /** The parts of an animated PNG that make up its first frame. */
  stillPieces: record({ pieces }),
  /** For a netpbm picture that is complete. */
  drawnSize: record({ width: uint32, height: uint32 }),
  /** For a text's beginning: how many letters there are, and how many of them are unknown. */
  letters: record({ all: uint32, unknown: uint32 }),
  /** What a MIDI piece says in words besides the notes. */
  midiLength: record({ seconds: finite, words: list(oneOf(...midiWords), midiWords.length) }),
  /** `hasTimes`: whether each point of a track has one. */
  tracks: record({ hasPlaces: flag, hasRoutes: flag, hasTracks: flag, hasTimes: flag }),
  isGxl: record({ isGxl: flag }),
  plyColours: record({ hasColours: flag }),
  /** For a model and the file with its numbers. Writes them as one file. */
  embeddedModel: nothing,
  /** Font families that a drawing names and that are not among `here`; whether parts of it are elsewhere; embedded pictures of these `kinds`. */
  missingFonts: record({
    needsOthers: flag,
    families: list(text(400), 100),
    undrawn: record({ TEXT_LEFT_OUT: text(200), IMAGES_REMOVED: text(200), STYLING_DROPPED: text(200) }),
  }),
  /** Writes a DOCX that Pandoc reads completely, if it is none. `left`: sentences about text that remains left out. */
  readableDocx: record({
    ...{ isRewritten: flag, comments: uint32, linkedPictures: uint32, hasChanges: flag, left: list(text(200), 10) },
    properties: record({
      ...{ title: text(10_000), author: text(10_000), date: text(40), lang: text(40) },
      ...{ subject: text(10_000), keywords: text(10_000), description: text(10_000), others: text(10_000) },
    }),
  }),
  /** Writes a book whose footnotes Pandoc finds, if links lead to places in its chapters. `linkedPictures`: pages that are drawings. */
  readableEpub: record({ isRewritten: flag, left: list(text(200), 10), linkedPictures: uint32 }),
  /** For an e-book (`format`): what it says about itself; of its date, the year. */
  bookProperties: record({ properties: list(record({ name: text(40), value: text(1000) }), 200) }),
  /** Writes a page of which Pandoc reads all that it shows, such as cells, item numbers, form entries and footnotes, if it is none. */
  readableHtml: record({ isRewritten: flag, left: list(text(200), 10), hasEmbedded: flag }),
  /** Writes a text of whose code fences Pandoc knows all, if it is none. */
  readableMarkdown: record({ isRewritten: flag }),
  /** Writes the text as UTF-8. For a page (`isPage`), also as `readableHtml` does. */
  decodedText: record({ guess: optional(encodingLabel), left: list(text(200), 10) }),
  /**
   * Writes a text table (`format`, `encoding`, `delimiter`) in the form that all programs read. Answers with its size, and in words with
   * what was guessed.
   */
  plainTable: record({
    rows: uint32,
    columns: uint32,
    /** In UTF-16 units. */
    longestCell: place,
    /** Whether a cell has spaces at its ends, several in a row, or line breaks. */
    hasBlanks: flag,
    /** Whether a cell has characters that XML does not allow, or line breaks as in Windows. */
    hasControls: flag,
    /** The first row with text after a closing quotation mark. */
    misplacedAt: optional(uint32),
    /** The first blank row between others, which is left out. */
    blankAt: optional(uint32),
    separator: optional(text(32)),
    encoding: optional(text(100)),
  }),
  /** Of a DXF: kinds of objects that LibreOffice does not draw, with how many; whether there are others. */
  undrawnObjects: record({ left: list(text(100), 20), draws: flag }),
  /** Writes a DXF with its extent, if it states none, and with what LibreOffice draws in the place of some objects that it does not. */
  placedDxf: nothing,
  /** Refuses a list of files that bsdtar treats as an archive, and a RAR that it does not read. `isCommented`: of a RAR. */
  archiveStart: record({ isCommented: flag }),
  /**
   * For file names: whether they come with and without `./` before them, their code page if they are not UTF-8, and whether two are the
   * same. With the ZIP that they come from: whether it has names whose accents are separate from their letters, backslashes and times that
   * the listing lacks, and comments. `isBeyondJoliet`: Windows would show some of them differently on a disc.
   */
  archiveNames: record({
    isDotted: flag,
    guess: optional(encodingLabel),
    hasTwins: flag,
    isDecomposed: flag,
    isBackslashed: flag,
    hasOwnTimes: flag,
    isCommented: flag,
    isBeyondJoliet: flag,
  }),
  /** Rewrites the listing of a ZIP with its exact times. */
  archiveTimed: nothing,
  /** For a listing and names: refuses what no honest archive contains. */
  archiveSafety: nothing,
  /** For a listing and names: writes patterns for the members that are not to be passed on. `shadowed`: files replaced by later ones. */
  archiveMembers: record({ unwanted: firstNames, shadowed: uint32, isLoose: flag, isLinked: flag, hasEmpty: flag }),
  /** Writes the list of the members that are passed on; with the ZIP, by its own names. */
  archiveWanted: nothing,
  /**
   * For a listing and a list: which files to join, in order. Writes the names, one per line. `left`: files that the list does not name.
   * `isSite`: there is an `index.html` at the top level.
   */
  joinOrder: record({ names: list(text(1000), 500), left: place, isSite: flag }),
  /** For a result's listing and the source's: files whose times or owners became others. */
  archiveHolds: record({ isResult: flag, hasCutTimes: flag, otherTimes: firstNames, otherOwners: firstNames }),
} as const;

export type QuestionKind = keyof typeof answers;
export type Answer<K extends QuestionKind> = ReturnType<(typeof answers)[K]>;
