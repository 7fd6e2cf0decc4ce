/** Subtitles, by our own cue model in a sandboxed worker. */
import type { Fidelity, Hop } from "#services/conversion/domain/engine.ts";
import { expecting, expectingAll } from "#services/conversion/domain/expectations.ts";
import type { Expectation, NoteCode } from "#services/conversion/domain/notes.ts";
import { crossHops, words } from "../shared/hop-table.ts";
import { encodingOption, workerEngine } from "../shared/node-worker.ts";
import { decimalIn } from "../shared/options.ts";

const worker = { work: "subtitle", packages: ["fast-xml-parser", "chardet"] };

const formats = words("srt vtt ass ssa ttml smi sub sbv lrc");

/** Formats with more styling than bold and italics, and formats with less than times and styles. */
const rich = new Set(words("ass ssa"));
const poor = new Set(words("sub sbv lrc"));

function fidelityOf(from: string, to: string): Fidelity {
  if (to === "txt") return "extract";
  if (from === "ass" && to === "ssa") return "reduced";
  return rich.has(from) || poor.has(to) ? "reduced" : "high";
}

const shift = decimalIn("shift", [-36_000, 36_000], "Shift all subtitles later; negative values shift them earlier", {
  default: 0,
  unit: "s",
});
const fps = decimalIn(
  "fps",
  [1, 240],
  "Frames per second of the video, for formats that count frames. The file's own rate takes precedence; without either, 23.976 is assumed and noted",
);

/** SBV and lyrics have no styling to lose. */
const plain = new Set(words("sbv lrc"));

/** The time unit of formats, if coarser than a millisecond. */
const units: Readonly<Record<string, string>> = {
  ass: "hundredths of a second",
  ssa: "hundredths of a second",
  lrc: "hundredths of a second",
  sub: "frames",
};
/** What else is left out of a file. */
const facts: Readonly<Record<string, string>> = {
  ass: "Speakers' names, comments and details of the script are left out.",
  ssa: "Speakers' names, comments and details of the script are left out.",
  vtt: "Names of subtitles and speakers, comments and the header's information are left out.",
  ttml: "Titles, descriptions, speakers and languages are left out.",
  smi: "The title is left out.",
  lrc: "The song's title and other details are left out.",
};
/** Formats whose texts need no end. */
const endless = /^(?:smi|sub|ttml)$/;
const joined: Readonly<Record<string, string>> = {
  lrc: "Multi-line subtitles become one line, and overlapping subtitles follow each other.",
  smi: "Overlapping subtitles follow each other.",
};

function expectationsOf(from: string, to: string): readonly Expectation[] {
  const told = (code: NoteCode, message: string | undefined) => (message === undefined ? [] : [expecting(code, message)]);
  const isMarked = to !== "vtt" && to !== "ttml" && to !== "txt";
  const unit = units[to];
  return [
    ...expectingAll("ENCODING_GUESSED", !plain.has(from) && "STYLING_DROPPED", from === "sub" && "FRAME_RATE_GUESSED"),
    ...told("TRACKS_LEFT_OUT", from === "smi" ? "Only the first of several languages is converted." : undefined),
    ...told("NUMBERS_ROUNDED", unit === undefined ? undefined : `Times are rounded to ${unit}.`),
    ...told("MEDIA_CHANGED", endless.test(from) ? "Texts without an end are shown for some seconds." : undefined),
    ...told("METADATA_DROPPED", facts[from]),
    ...told("STRUCTURE_FLATTENED", joined[to]),
    ...told("CHARACTERS_REPLACED", isMarked ? "Characters with a special meaning in the format are replaced." : undefined),
  ];
}

const hops: readonly Hop[] = crossHops(formats, [...formats, "txt"], (from, to) => ({
  fidelity: fidelityOf(from, to),
  cost: 10,
  maxInputMb: 20,
  expects: expectationsOf(from, to),
  options: [encodingOption, ...(to === "txt" ? [] : [shift]), ...(from === "sub" || to === "sub" ? [fps] : [])],
}));

export const subtitleEngine = workerEngine(worker, {
  id: "subtitle",
  label: "Filemill subtitles",
  lane: "document",
  hops,
});
