/** Reads any subtitle format and writes any other. */
import { type Converted, type Notes, numberOption, type Question, textOption } from "../exchange.ts";
import { Failure, invalid, tooComplex } from "../failure.ts";
import { decodeText } from "../text-decoding.ts";
import { parseAss } from "./ass-reading.ts";
import { type Context, type Cue, clockOf, textOf } from "./cues.ts";
import { parseSami, writeAss, writeSami, writeSsa, writeText } from "./marked-formats.ts";
import {
  parseLrc,
  parseMicroDvd,
  parseSbv,
  parseSrt,
  parseVtt,
  writeLrc,
  writeMicroDvd,
  writeSbv,
  writeSrt,
  writeVtt,
} from "./plain-formats.ts";
import { parseTtml, writeTtml } from "./ttml.ts";

const readers: Readonly<Record<string, (text: string, context: Context) => Cue[]>> = {
  srt: parseSrt,
  vtt: parseVtt,
  sbv: parseSbv,
  sub: parseMicroDvd,
  lrc: parseLrc,
  ass: parseAss,
  ssa: parseAss,
  ttml: parseTtml,
  smi: parseSami,
};
const writers: Readonly<Record<string, (cues: readonly Cue[], context: Context) => string>> = {
  srt: writeSrt,
  vtt: writeVtt,
  sbv: writeSbv,
  sub: writeMicroDvd,
  lrc: writeLrc,
  ass: writeAss,
  ssa: writeSsa,
  ttml: writeTtml,
  smi: writeSami,
  txt: writeText,
};

const maxCues = 200_000;
const maxMs = 1000 * 3_600_000;

export function convertSubtitle(bytes: Buffer, { from, to, options }: Question, notes: Notes): Converted {
  const read = readers[from];
  const write = writers[to];
  if (read === undefined || write === undefined) throw new Failure("INTERNAL", "No such pair.");
  const text = decodeText(bytes, textOption(options, "encoding") ?? "auto", notes).replace(/^\uFEFF/, "");
  const keepsBlanks = /<(?:\w+:)?(?:tt|body|div)\s[^<>]*\bxml:space\s*=\s*["']preserve/.test(text);
  const context = { options, notes, fps: numberOption(options, "fps"), keepsBlanks };
  const found = read(text, context);
  if (found.length > maxCues) throw tooComplex("The file has too many subtitles to convert.");
  noteOddTimes(found, notes);
  const shiftMs = Math.round((numberOption(options, "shift") ?? 0) * 1000);
  const cues = found
    .filter((cue) => textOf(cue) !== "" && cue.endMs < maxMs)
    .map((cue) => ({ ...cue, startMs: cue.startMs + shiftMs, endMs: Math.max(cue.startMs, cue.endMs) + shiftMs }))
    .filter((cue) => cue.endMs >= 0 && (cue.endMs > 0 || shiftMs >= 0))
    .map((cue) => ({ ...cue, startMs: Math.max(0, cue.startMs) }));
  if (cues.length === 0) throw invalid("The file contains no subtitles.");
  return write(cues, context);
}

function noteOddTimes(cues: readonly Cue[], notes: Notes): void {
  const odd = cues.find((cue) => textOf(cue) !== "" && (cue.endMs >= maxMs || cue.endMs < cue.startMs || cue.startMs < 0));
  if (odd === undefined) return;
  const { startMs, endMs } = odd;
  const late = endMs >= maxMs ? "beyond 1000 hours were left out" : "that end before they start got no duration";
  const what = startMs >= 0 ? late : "that start before zero were cut or left out";
  notes.set("INPUT_DAMAGED", `Subtitles ${what}, first at ${startMs < 0 ? "-" : ""}${clockOf(Math.abs(startMs), 1, ".", 3)}.`);
}
