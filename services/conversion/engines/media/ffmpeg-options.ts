/** The options of sound, film, animations and stills. */
import type { OptionDefinition } from "#services/conversion/domain/engine.ts";
import { cropOption, decimalIn, integerIn, oneOf } from "../shared/options.ts";
import type { Container } from "./ffmpeg-container.ts";

export const trim: readonly OptionDefinition[] = [
  { name: "start", type: "number", min: 0, max: 86_400, unit: "s", description: "Start time" },
  { name: "duration", type: "number", min: 0.05, max: 86_400, unit: "s", description: "Duration to keep" },
];
/** For sound and film that stay in their format. */
export const speed = decimalIn("speed", [0.25, 4], "Playback speed; the pitch is kept");
/** For film that stays in its format. */
export const ownFilmOptions: readonly OptionDefinition[] = [
  speed,
  decimalIn("maxMb", [0.01, 10_000], "Maximum size of the result; a larger video is encoded in two passes at the bit rate that fits", {
    unit: "MB",
  }),
  cropOption(" of the displayed picture"),
];
const size: readonly OptionDefinition[] = [
  integerIn("width", [16, 7680], "Width; odd numbers are rounded down", { unit: "px" }),
  integerIn("height", [16, 7680], "Height; odd numbers are rounded down", { unit: "px" }),
  oneOf(
    "fit",
    ["inside", "cover", "contain", "fill"],
    "Fit to width and height: inside, cropped, padded with black, or stretched",
    "inside",
  ),
];

export function rateOptions(container: Container): readonly OptionDefinition[] {
  return [
    ...(container.exact === true || container.fixedRate === true
      ? []
      : [{ name: "audioBitrate", type: "integer", min: 16, max: 512, unit: "kbit/s", description: "Audio bit rate" } as const]),
    oneOf("sampleRate", ["8000", "16000", "22050", "24000", "32000", "44100", "48000", "96000"], "Samples per second"),
    integerIn("channels", [1, Math.min(container.maxChannels ?? 6, 6)], "Channels; 1 is mono"),
    ...(container.depths === undefined ? [] : [oneOf("bitDepth", container.depths, "Bits per sample; default: as in the source")]),
    decimalIn("volume", [-60, 30], "Gain; negative is quieter", { unit: "dB" }),
    { name: "normalise", type: "boolean", default: false, description: "Normalise loudness to -16 LUFS (EBU R 128)" },
    ...(container.audioChoices === undefined
      ? []
      : [{ name: "audioCodec", type: "enum", values: container.audioChoices, description: "Audio codec" } as const]),
    oneOf("metadata", ["strip", "keep"], "Title, author, date, place and cover; default: keep, if supported"),
  ];
}

export function videoOptions(container: Container): readonly OptionDefinition[] {
  return [
    ...(container.videoChoices === undefined
      ? []
      : [{ name: "videoCodec", type: "enum", values: container.videoChoices, description: "Video codec" } as const]),
    integerIn("crf", [0, 51], "Constant quality, lower is better; default: 23, VP9 36, AV1 35"),
    ...(container.fixedRate === true
      ? []
      : [integerIn("videoBitrate", [50, 100_000], "Video bit rate, instead of `crf`", { unit: "kbit/s" })]),
    oneOf(
      "preset",
      ["ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow"],
      "Encoding speed versus file size",
      "veryfast",
    ),
    { name: "fps", type: "number", min: 1, max: 120, unit: "1/s", description: "Frames per second" },
    ...size,
    { name: "rotate", type: "enum", values: ["0", "90", "180", "270"], default: "0", description: "Degrees to rotate clockwise" },
    { name: "mute", type: "boolean", default: false, description: "Remove the sound" },
    ...rateOptions(container),
    ...trim,
  ];
}

export const gifOptions: readonly OptionDefinition[] = [
  { name: "fps", type: "number", min: 1, max: 50, default: 12, unit: "1/s", description: "Frames per second" },
  { name: "width", type: "integer", min: 16, max: 1920, default: 480, unit: "px", description: "Maximum width; the height follows" },
  { name: "loop", type: "integer", min: 0, max: 1000, default: 0, description: "Number of times it plays; 0 repeats forever" },
  ...trim,
];
/** For formats of animations or stills. */
export const atOption = decimalIn("at", [0, 86_400], "Make a still of this moment instead of an animation", { unit: "s" });
export const stillOptions: readonly OptionDefinition[] = [
  decimalIn("at", [0, 86_400], "Moment to show; default: the first frame that is not black", { unit: "s" }),
  { name: "width", type: "integer", min: 16, max: 7680, unit: "px", description: "Width; the height follows" },
];
