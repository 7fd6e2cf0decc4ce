/** Renders MIDI as sound with FluidSynth and a General MIDI sound font. */
import { constants, existsSync } from "node:fs";
import { open } from "node:fs/promises";
import { FilemillError } from "#contract/errors.ts";
import { defineEngine, type EngineHost, type HopTask, type OptionDefinition } from "#services/conversion/domain/engine.ts";
import { expecting } from "#services/conversion/domain/expectations.ts";
import { throwIfFailed } from "../shared/bad-input.ts";
import { numberOption, stringOption } from "../shared/hop-table.ts";
import { oneOf } from "../shared/options.ts";
import { inputInside, openToolSession, versionLineOf } from "../shared/tool-run.ts";

const program = "/usr/bin/fluidsynth";
/** Best first. */
const soundFonts = [
  "/usr/share/sounds/sf2/FluidR3_GM.sf2",
  "/usr/share/soundfonts/FluidR3_GM.sf2",
  "/usr/share/sounds/sf2/TimGM6mb.sf2",
  "/usr/share/soundfonts/default.sf2",
];
const maxSeconds = 3600;
/** For the last note to die away; the player itself would add seconds of silence. */
const tailSeconds = 0.8;
const bytesPerFrame = 4;
const headerBytes = 44;

const options: readonly OptionDefinition[] = [
  { name: "gain", type: "number", min: 0.1, max: 5, default: 0.6, description: "Volume; values above 1 can distort" },
  oneOf("sampleRate", ["22050", "44100", "48000", "96000"], "Samples per second", "44100"),
  { name: "reverb", type: "boolean", default: true, description: "Reverb" },
];

const expects = [expecting("METADATA_DROPPED", "Names, lyrics and other words of the piece are left out.")];

const badInput = [/not a SoundFont or MIDI file|look like a MIDI file|Unexpected end of file/];

async function run({ sandbox, inspector }: EngineHost, task: HopTask): Promise<void> {
  const soundFont = soundFonts.find((path) => existsSync(path));
  if (soundFont === undefined) throw new FilemillError("INTERNAL", "There is no sound font.");
  const { seconds, words } = await inspector.ask("midiLength", [task.input.path], { signal: task.signal });
  if (seconds > maxSeconds) throw new FilemillError("INPUT_TOO_COMPLEX", "The piece plays for more than an hour.");
  if (words.length > 0) task.note("METADATA_DROPPED", `What the piece says besides its notes was left out (${words.join(", ")}).`);
  await using session = await openToolSession(sandbox, task);
  const rate = stringOption(task.options, "sampleRate") ?? "44100";
  const end = await session.run({
    program,
    args: [
      ...["-n", "-i", "-q", "-f", "/dev/null", "-g", String(numberOption(task.options, "gain") ?? 0.6), "-r", rate],
      ...["-R", task.options.reverb === false ? "0" : "1"],
      ...["-F", "/job/out", "-T", "wav", "-O", "s16", soundFont, inputInside],
    ],
    limits: { fileBytes: 2 ** 31 - 1, folderBytes: 2 ** 31 },
  });
  throwIfFailed(end, badInput, "The file is damaged or is not MIDI.");
  // Moved out of the tool's reach before it is modified here.
  await session.adopt("out");
  await cut(task.outputPath, Math.ceil((seconds + tailSeconds) * Number(rate)));
}

/** Truncates the sound to this many frames. @see RIFF WAVE: its size at 4 and that of its samples at 40, if no other chunk precedes them */
async function cut(path: string, frames: number): Promise<void> {
  await using file = await open(path, constants.O_RDWR | constants.O_NOFOLLOW);
  const header = Buffer.alloc(headerBytes);
  await file.read(header, 0, headerBytes, 0);
  const bytes = Math.min(frames * bytesPerFrame, (await file.stat()).size - headerBytes);
  if (header.toString("latin1", 36, 40) !== "data" || bytes <= 0) {
    throw new FilemillError("CONVERSION_FAILED", "The piece produced no audio.");
  }
  header.writeUInt32LE(bytes + headerBytes - 8, 4);
  header.writeUInt32LE(bytes, 40);
  await file.write(header, 0, headerBytes, 0);
  await file.truncate(headerBytes + bytes);
}

export const fluidsynthEngine = defineEngine({
  id: "fluidsynth",
  label: "FluidSynth",
  lane: "media",
  packages: ["fluidsynth", "timgm6mb-soundfont"],
  // How a piece sounds depends on the synthesiser.
  hops: [{ from: "mid", to: "wav", fidelity: "reduced", cost: 500, maxInputMb: 5, options, expects }],
  badInput,
  async probe(sandbox) {
    if (!soundFonts.some((path) => existsSync(path))) return undefined;
    const line = await versionLineOf(sandbox, program, ["--version"]);
    return line === undefined ? undefined : /version (\d[\d.]*)/.exec(line)?.[1];
  },
  run,
});
