/** How long a MIDI piece plays, and what it says besides. @see Standard MIDI Files 1.0, RP-001 */
import { FilemillError } from "#contract/errors.ts";
import { type Answer, midiWords } from "#services/conversion/domain/questions.ts";

/** Microseconds per quarter note until the piece changes it. */
const usualTempo = 500_000;
/** More than a symphony for a hundred voices. Each costs a comparison when tempos are sorted. */
const maxTempos = 100_000;

type Tempo = { readonly tick: number; readonly microseconds: number };
type Track = { readonly ticks: number; readonly tempos: readonly Tempo[]; readonly words: ReadonlySet<Word> };
type Word = (typeof midiWords)[number];

/**
 * Seconds from the beginning to the end of the last track.
 *
 * @throws FilemillError INVALID_INPUT if it is no MIDI file, has several pieces or counts frames, which FluidSynth does not play, INPUT_TOO_COMPLEX if its tempo changes more often than that of any real piece.
 */
export function midiLengthOf(file: Buffer): Answer<"midiLength"> {
  try {
    return lengthOf(unwrapped(file));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new FilemillError("INVALID_INPUT", "The file is damaged or is not MIDI.", { cause: error });
  }
}

/** RIFF-MIDI (`.rmi`) contains the same in a chunk. */
function unwrapped(file: Buffer): Buffer {
  const isRiff = file.toString("latin1", 0, 4) === "RIFF" && file.toString("latin1", 8, 12) === "RMID";
  return isRiff ? file.subarray(file.indexOf("MThd", 12, "latin1")) : file;
}

function lengthOf(file: Buffer): Answer<"midiLength"> {
  if (file.toString("latin1", 0, 4) !== "MThd") throw new RangeError("no header");
  const division = file.readUInt16BE(12);
  const tracks: Track[] = [];
  for (let at = 8 + file.readUInt32BE(4); at + 8 <= file.length; ) {
    const end = Math.min(file.length, at + 8 + file.readUInt32BE(at + 4));
    if (file.toString("latin1", at, at + 4) === "MTrk") tracks.push(trackOf(file.subarray(at + 8, end)));
    at = end;
  }
  if (tracks.length === 0) throw new RangeError("no track");
  const ticks = tracks.reduce((most, track) => Math.max(most, track.ticks), 0);
  const tempos = tracks.flatMap((track) => track.tempos).sort((a, b) => a.tick - b.tick);
  if (tempos.length > maxTempos) throw new FilemillError("INPUT_TOO_COMPLEX", "The piece changes its tempo too often.");
  if (file.readUInt16BE(8) === 2 && tracks.length > 1) {
    throw new FilemillError("INVALID_INPUT", "The file holds several pieces (MIDI format 2), which would be played all at once.");
  }
  if (division >= 0x8000) throw new FilemillError("INVALID_INPUT", "The piece counts frames of a time code, which cannot be played.");
  const words = midiWords.filter((word) => tracks.some((track) => track.words.has(word)));
  return { seconds: playedSeconds(ticks, tempos, Math.max(1, division)), words };
}

function playedSeconds(ticks: number, tempos: readonly Tempo[], division: number): number {
  let [at, microseconds, tempo] = [0, 0, usualTempo];
  for (const next of [...tempos, { tick: ticks, microseconds: 0 }]) {
    const until = Math.min(next.tick, ticks);
    microseconds += ((until - at) / division) * tempo;
    at = until;
    tempo = next.microseconds;
  }
  return microseconds / 1e6;
}

function trackOf(bytes: Buffer): Track {
  const tempos: Tempo[] = [];
  const words = new Set<Word>();
  let [at, tick, running] = [0, 0, 0];
  const length = (): number => {
    let value = 0;
    for (let count = 0; count < 4; count++) {
      const byte = bytes.readUInt8(at++);
      value = value * 128 + (byte & 0x7f);
      if (byte < 0x80) break;
    }
    return value;
  };
  while (at < bytes.length) {
    tick += length();
    const status = bytes.readUInt8(at) >= 0x80 ? bytes.readUInt8(at++) : running;
    if (status < 0x80) throw new RangeError("an event without a status");
    if (status === 0xff) {
      const kind = bytes.readUInt8(at++);
      const size = length();
      if (kind === 0x51 && size === 3) tempos.push({ tick, microseconds: bytes.readUIntBE(at, 3) });
      const word = size > 0 ? midiWords[kind - 1] : undefined;
      if (word !== undefined) words.add(word);
      if (kind === 0x2f) break;
      at += size;
    } else if (status >= 0xf0) {
      at += length();
    } else {
      running = status;
      at += status >= 0xc0 && status < 0xe0 ? 1 : 2;
    }
  }
  return { ticks: tick, tempos, words };
}
