/** What inspectors can be asked, and the only shapes in which they can answer. What is asked is answered in inspectors/inside. */
import { formatOf } from "#formats/index.ts";
import { finite, flag, known, list, oneOf, optional, record, text, whole } from "./answer-shapes.ts";

const formatId = known((value): value is string => formatOf(value) !== undefined);

/** Why a file is not converted, in words for its owner. */
export const refusal = record({
  code: oneOf("INVALID_INPUT", "PASSWORD_REQUIRED", "INPUT_TOO_COMPLEX", "CONVERSION_FAILED"),
  message: text(300),
  /** The file is well and holds nothing for the target (see LacksContent). */
  lacksContent: optional(flag),
});

const nothing = record({});

/** Two questions in one where the file is small: what it is, and what is wrong with it as a file of that format. */
export const sniffed = record({
  format: optional(formatId),
  toldBy: oneOf("content", "name"),
  nameDisagrees: flag,
  /** Undefined where it was not looked for, or nothing is wrong. */
  refusal: optional(refusal),
  /** Of a picture, and of sound or film in ms; 0 where the file does not say it at once. */
  pixels: whole(Number.MAX_SAFE_INTEGER),
  durationMs: whole(Number.MAX_SAFE_INTEGER),
});

/** A label of the Encoding Standard, or one that programs understand. */
const encodingLabel = text(32);
const uint32 = whole(2 ** 32 - 1);
const place = whole(Number.MAX_SAFE_INTEGER);
const count = optional(place);
/** @see counts.ts */
const counts = record({
  ...{ pages: count, sheets: count, rows: count, cells: count, letters: count, entries: count, faces: count, glyphs: count },
});
/** @see picture-metadata.ts */
const told = oneOf(...(["camera", "exposure", "taken", "author", "words", "maker", "other", "place", "xmp", "iptc", "comments"] as const));
/** What a file of sound may hold beside the sound and its tags. */
const besideSound = ["marks", "regions", "loops", "sampler", "recording", "broadcast", "scene", "xmp", "comments"] as const;
export type BesideSound = (typeof besideSound)[number];
/** Offset and length. */
const pieces = list(list(place, 2), 1000);

export const answers = {
  sniff: sniffed,
  inspect: nothing,
  check: nothing,
  /** Of a source (`from`) and of what was made of it (`to`). */
  counts: record({ source: counts, result: counts }),
  /** Of a source (`from`) and of what was made of it (`to`), both pictures. */
  pictureMetadata: record({ source: list(told, 11), result: list(told, 11) }),
  /** Of a table of dBase; `number` as the office counts them, `guess` where nothing in the table says it. */
  tableEncoding: record({ number: optional(text(3)), guess: optional(encodingLabel) }),
  /** Of a text that is not Unicode. `isPage`: it may say it itself. */
  textEncoding: record({ guess: optional(encodingLabel) }),
  /** Of a PNG or JPEG (`format`). */
  pictureFacts: record({
    width: uint32,
    height: uint32,
    /** As in EXIF: 1 upright, to 8. */
    orientation: whole(8),
    /** Pixels an inch, where the file says something that a person may have meant. */
    density: optional(finite),
    /** Of a PNG: whether its colours have a meaning of their own. */
    hasProfile: optional(flag),
    /** Of a PNG, of a sample. */
    bitDepth: optional(whole(255)),
    /** Of a PNG: whether one colour, or some of a palette, are transparent. */
    isKeyed: optional(flag),
    /** Of a JPEG. */
    components: optional(whole(255)),
  }),
  /** Of a PNG or HEIC (`format`): whether its colours are named otherwise than by a profile, and are not sRGB; primaries and transfer of ITU-T H.273. */
  namedColours: record({ isNamed: flag, primaries: whole(255), transfer: whole(255) }),
  jpegFrame: record({ width: uint32, height: uint32, components: whole(255), isInverted: flag, profile: pieces }),
  /** Bytes to be changed in a JPEG or PNG for it to say that it stands upright. */
  uprightPatches: record({ patches: list(record({ at: place, hex: text(8) }), 1000) }),
  /** How much is there of what the file says, from 0 to 1, or how long it is, 0 if it says none; open: its end is missing, and it says nothing. Beside the sound may be marks and more. */
  soundEnd: record({
    share: finite,
    isOpen: flag,
    seconds: finite,
    beside: list(record({ kind: oneOf(...besideSound), parts: uint32 }), 100),
  }),
  /** Of sound or film, by its demuxer (`format`): whether it may say of itself what Mutagen alone reads. */
  richTags: record({ mayHave: flag }),
  /** Of a GIF or an APNG; 0 plays are for ever. */
  animation: record({ frames: uint32, plays: uint32 }),
  iconPictures: record({ pictures: list(record({ width: uint32, offset: place, length: place }), 1000) }),
  /** What of an animated PNG is its first frame. */
  stillPieces: record({ pieces }),
  /** Of a netpbm picture that is whole. */
  drawnSize: record({ width: uint32, height: uint32 }),
  /** Of a text's beginning: how many there are, and how many of them are unknown. */
  letters: record({ all: uint32, unknown: uint32 }),
  midiLength: record({ seconds: finite }),
  /** `hasTimes`: of each point of a track. */
  tracks: record({ hasPlaces: flag, hasRoutes: flag, hasTracks: flag, hasTimes: flag }),
  isGxl: record({ isGxl: flag }),
  plyColours: record({ hasColours: flag }),
  /** Of a model and of the file with its numbers; writes the one file. */
  embeddedModel: nothing,
  /** Families that a drawing names and that are not among `here`. */
  missingFonts: record({ families: list(text(400), 100) }),
  /** Writes a DOCX that Pandoc reads whole, where it is none; its comments, and whether it has tracked changes, hidden text, heads or feet, and labels that are more than numbers. */
  readableDocx: record({ isRewritten: flag, comments: uint32, hasChanges: flag, hasHidden: flag, hasHeads: flag, hasLabels: flag }),
  /** Writes a book whose footnotes Pandoc finds, where links lead to places in its chapters. */
  readableEpub: record({ isRewritten: flag }),
  /** Writes a page with the end tags of cells and rows, where some were left out, and with footnotes that Pandoc finds. */
  readableHtml: record({ isRewritten: flag }),
  /** Writes the text as UTF-8; of a page (`isPage`) with the end tags of cells and rows. */
  decodedText: record({ guess: optional(encodingLabel) }),
  /** Writes a text table (`format`, `encoding`, `delimiter`) as programs agree on; how large it is, and in words what was guessed of it. */
  plainTable: record({
    rows: uint32,
    columns: uint32,
    /** In UTF-16 units. */
    longestCell: place,
    /** Whether a cell has blanks at its ends, several in a row, or lines. */
    hasBlanks: flag,
    /** Whether a cell has characters that XML lacks, or lines that end as in Windows. */
    hasControls: flag,
    separator: optional(text(32)),
    encoding: optional(text(100)),
  }),
  isFileList: record({ isList: flag }),
  /**
   * Of names with and without `./` before them, their code page where they are no UTF-8, and whether two are the same; with the ZIP
   * that they are of, whether it has names in which accents stand apart from their letters, and backslashes that the listing has not.
   */
  archiveNames: record({ isDotted: flag, guess: optional(encodingLabel), hasTwins: flag, isDecomposed: flag, isBackslashed: flag }),
  /** Of a listing and of names: refuses what no honest archive holds. */
  archiveSafety: nothing,
  /** Writes patterns of the members that are not to be passed on. */
  archiveMembers: record({ unwanted: uint32, isLoose: flag, isLinked: flag }),
  /** Writes the list of the members that are; with the ZIP, by its own names. */
  archiveWanted: nothing,
  /** Of a listing and a list: what is joined, in order; writes the names, a line each. `left`: files that the list does not name. `isSite`: there is an `index.html` at its top. */
  joinOrder: record({ names: list(text(1000), 500), left: place, isSite: flag }),
  /** Of a result's listing and the source's. */
  archiveHolds: record({ isResult: flag, hasOtherTimes: flag }),
} as const;

export type QuestionKind = keyof typeof answers;
export type Answer<K extends QuestionKind> = ReturnType<(typeof answers)[K]>;
