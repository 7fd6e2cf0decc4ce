/** The answers to each question. Runs inside the sandbox; see ../program.ts. */
import { sniffSource } from "#formats/sniff/sniff.ts";
import type { ByteSource } from "#services/conversion/domain/guards/byte-source.ts";
import { inspectBytes } from "#services/conversion/domain/guards/inspect.ts";
import type { Answer, QuestionKind } from "#services/conversion/domain/questions.ts";
import { archiveHolds, archiveMembersOf, archiveNamesOf, archiveStartOf, assertArchive, listTimed, listWanted } from "./archive-answers.ts";
import { bookPropertiesOf } from "./book-properties.ts";
import { checkEnds } from "./check-result.ts";
import { countsOf } from "./counts/counts.ts";
import { decodeText } from "./decoded-text.ts";
import { readableDocx } from "./docx-code.ts";
import { placeDxf } from "./dxf-extent.ts";
import { embedModel } from "./embedded-model.ts";
import { readableEpub } from "./epub-notes.ts";
import { uprightPatchesOf } from "./exif-upright.ts";
import { exrLeftOf } from "./exr-channels.ts";
import { extentOf } from "./extent.ts";
import { readableHtml } from "./html-readable.ts";
import { maskIcon } from "./icon-masks.ts";
import { joinOrderOf } from "./join-order.ts";
import { jpegFrameOf } from "./jpeg-frame.ts";
import { readableMarkdown } from "./markdown-fences.ts";
import { midiLengthOf } from "./midi-length.ts";
import { namedColoursOf, pictureFactsOf, samplesOf } from "./picture-facts.ts";
import { pictureMetadataOf } from "./picture-metadata.ts";
import { writePlainTable } from "./plain-table.ts";
import { iconPicturesOf, stillPiecesOf } from "./png-pieces.ts";
import { type Refusal, refusalOf } from "./refusal.ts";
import { contentOf } from "./remote-file.ts";
import { richTagsOf } from "./rich-tags.ts";
import { animationOf, drawnSizeOf, isGxl, lettersOf, plyColoursOf, tracksOf } from "./small-facts.ts";
import { soundEndOf } from "./sound-end.ts";
import { missingFontsOf } from "./svg-fonts.ts";
import { guessedEncodingOf } from "./text-encoding.ts";
import { undrawnObjectsOf } from "./undrawn-objects.ts";

export type More = Readonly<Record<string, unknown>>;

/** All files that the question needs are there. */
type Answering<K extends QuestionKind> = (file: ByteSource, more: More, files: readonly ByteSource[]) => Promise<Answer<K>> | Answer<K>;

export const answering: { readonly [K in QuestionKind]: Answering<K> } = {
  async sniff(file, { fileName, withGuards }) {
    const { format, toldBy, nameDisagrees } = await sniffSource(file, String(fileName));
    const refusal = format === undefined || withGuards !== true ? undefined : await refusalOfFile(file, format);
    return { format, toldBy, nameDisagrees, refusal, ...(await extentOf(file, format)) } as Answer<"sniff">;
  },
  async inspect(file, { format }) {
    await inspectBytes(file, String(format));
    return {};
  },
  async check(file, { format }) {
    await checkEnds(file, String(format));
    return {};
  },
  counts: (file, more, files) => countsOf(file, theOther(files), more),
  pictureMetadata: (file, more, files) => pictureMetadataOf(file, theOther(files), more),
  textEncoding: async (file, { isPage }) => ({ guess: await guessedEncodingOf(file, isPage === true) }),
  pictureFacts: (file, { format }) => pictureFactsOf(file, String(format)),
  namedColours: (file, { format }) => namedColoursOf(file, String(format)),
  samples: (file, { format, page }) => samplesOf(file, String(format), page),
  jpegFrame: jpegFrameOf,
  uprightPatches: async (file) => ({ patches: await uprightPatchesOf(file) }),
  soundEnd: soundEndOf,
  richTags: richTagsOf,
  animation: animationOf,
  iconPictures: iconPicturesOf,
  exrLeft: exrLeftOf,
  iconMasked: maskIcon,
  stillPieces: stillPiecesOf,
  drawnSize: drawnSizeOf,
  letters: lettersOf,
  midiLength: async (file) => midiLengthOf(await contentOf(file)),
  tracks: tracksOf,
  isGxl,
  plyColours: plyColoursOf,
  async embeddedModel(model, _more, files) {
    await embedModel(model, theOther(files));
    return {};
  },
  missingFonts: (file, { here, kinds }) => missingFontsOf(file, here, kinds),
  bookProperties: bookPropertiesOf,
  readableDocx,
  readableEpub,
  readableHtml,
  readableMarkdown,
  decodedText: (file, { isPage }) => decodeText(file, isPage === true),
  plainTable: writePlainTable,
  undrawnObjects: undrawnObjectsOf,
  placedDxf: placeDxf,
  archiveStart: archiveStartOf,
  archiveNames: (file, _more, [, zip]) => archiveNamesOf(file, zip),
  async archiveSafety(file, { packedBytes }, files) {
    await assertArchive(file, theOther(files), Number(packedBytes));
    return {};
  },
  archiveMembers: (file, _more, files) => archiveMembersOf(file, theOther(files)),
  async archiveTimed(file, _more, files) {
    await listTimed(file, theOther(files));
    return {};
  },
  async archiveWanted(file, { folder, isUnix }, [, zip]) {
    await listWanted(file, { folder: String(folder), isUnix: isUnix === true }, zip);
    return {};
  },
  joinOrder: (file, _more, files) => joinOrderOf(file, theOther(files)),
  archiveHolds: (file, _more, files) => archiveHolds(file, theOther(files)),
};

function theOther([, file]: readonly ByteSource[]): ByteSource {
  if (file === undefined) throw new TypeError("The question is about two files.");
  return file;
}

async function refusalOfFile(file: ByteSource, format: string): Promise<Refusal | undefined> {
  try {
    await inspectBytes(file, format);
    return undefined;
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === undefined) throw error;
    return refusal;
  }
}
