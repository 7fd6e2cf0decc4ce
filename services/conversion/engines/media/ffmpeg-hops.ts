/** Which pairs ffmpeg offers, with the options of each. */
import type { Fidelity, Hop, OptionDefinition } from "#services/conversion/domain/engine.ts";
import { expecting, expectingAll } from "#services/conversion/domain/expectations.ts";
import type { Expectation } from "#services/conversion/domain/notes.ts";
import { partOptions } from "#services/conversion/domain/parts.ts";
import { crossHops, ownHops, uniqueHops } from "../shared/hop-table.ts";
import { integerIn } from "../shared/options.ts";
import type { Container } from "./ffmpeg-container.ts";
import { audioFormats, pictureFormats, subtitleFormats } from "./ffmpeg-formats.ts";
import { atOption, gifOptions, ownFilmOptions, rateOptions, speed, stillOptions, trim, videoOptions } from "./ffmpeg-options.ts";
import { videoFormats } from "./ffmpeg-video-formats.ts";

function audioFidelity(source: Container, target: Container): Fidelity {
  if (target.exact === true && source.exact === true) return "lossless";
  return target.isSpeech === true ? "reduced" : "high";
}

/** Their tags may have an encoding that they do not declare. */
const undeclared = /^(wav|aiff|mp3)$/;

function soundExpectations(source: Container, target: Container): readonly Expectation[] {
  const cover = target.cover === true ? "a cover picture that is neither JPEG nor PNG" : "the cover picture";
  return [
    expecting("TRACKS_LEFT_OUT"),
    expecting("METADATA_DROPPED", {
      message: `Tags and chapters that the format does not support, and ${cover}, are left out.`,
      of: "tags",
    }),
    soundChanged,
    ...(undeclared.test(source.demuxer ?? "")
      ? [
          expecting("ENCODING_GUESSED", {
            message: "The encoding of tags that do not declare it is guessed.",
            isOfSource: true,
            of: "tags",
          }),
        ]
      : []),
  ];
}

const toneMapped = expecting(
  "PROFILE_CONVERTED",
  "High dynamic range is mapped to standard dynamic range if the video is encoded with eight bits.",
);

const soundChanged = expecting(
  "MEDIA_CHANGED",
  "Audio with more channels, a higher sample rate or more bits than the format supports is converted.",
);

const hardened = expecting("ALPHA_FLATTENED", { message: "Partly transparent pixels become fully transparent or opaque.", of: "alpha" });

const unstyled = expecting("STYLING_DROPPED", { message: "Styles and positions of subtitles are left out.", of: "tracks" });

/** Film that is copied keeps all its tracks, which not every format can hold. */
function filmExpectations(target: Container): readonly Expectation[] {
  const tracks = target.singleAudio === true ? "audio except the default one" : "video except the first";
  return [
    expecting("TRACKS_LEFT_OUT", {
      message: `Tracks of ${tracks}, and subtitles that the format does not support, are left out.`,
      of: "tracks",
    }),
    expecting("ALPHA_FLATTENED"),
    toneMapped,
    ...(target.subtitles === undefined ? [] : [unstyled]),
    expecting("METADATA_DROPPED", {
      message: "Tags, languages, chapters and covers that the format does not support are left out.",
      of: "tags",
    }),
    expecting("MEDIA_CHANGED", "Video and audio beyond the limits of the format's codecs are converted to fit."),
  ];
}

const readers = (table: Readonly<Record<string, Container>>) => Object.keys(table).filter((id) => table[id]?.demuxer !== undefined);
const writers = (table: Readonly<Record<string, Container>>) => Object.keys(table).filter((id) => table[id]?.muxer !== undefined);

const fromAudio = crossHops(readers(audioFormats), writers(audioFormats), (from, to) => {
  const [source, target] = [audioFormats[from], audioFormats[to]];
  if (source === undefined || target === undefined) return undefined;
  const options = [...rateOptions(target), ...trim];
  const cost = target.exact === true ? 120 : 250;
  return { fidelity: audioFidelity(source, target), cost, maxInputMb: 500, options, expects: soundExpectations(source, target) };
});

const ownKept = ({ fixedRate, exact }: Container) =>
  expectingAll(exact !== true && fixedRate !== true && "SOURCE_KEPT").map((each) => ({ ...each, option: "audioBitrate" }));

/** To compress, cut or normalise. Streams that no option affects are copied. */
const ownSound = ownHops(writers(audioFormats), (format) => {
  const target = audioFormats[format] ?? {};
  const options = [...rateOptions(target), speed, ...trim];
  return { fidelity: "high", cost: 250, maxInputMb: 500, options, expects: [...soundExpectations(target, target), ...ownKept(target)] };
});

const soundOfVideo = crossHops(readers(videoFormats), writers(audioFormats), (from, to) => {
  const target = audioFormats[to];
  if (videoFormats[from]?.isSilent === true || target === undefined || to === "rf64" || to === "w64") return undefined;
  const options = [...partOptions("track"), ...rateOptions(target), ...trim];
  return {
    fidelity: "extract",
    cost: 300,
    maxInputMb: 500,
    options,
    part: "track",
    expects: soundExpectations(videoFormats[from] ?? {}, target),
  };
});

/** Pairs whose codecs usually fit both: a copy is fast, so they are not always queued. */
const copying = [
  new Set(["mp4", "m4v", "mov", "mkv", "ts", "flv", "f4v", "3gp", "3g2", "mts", "m2ts", "mk3d"]),
  new Set(["mpg", "mpeg", "vob"]),
  new Set(["wmv", "asf"]),
  new Set(["webm", "mkv", "mk3d"]),
  new Set(["avi", "divx"]),
];
const betweenVideo = crossHops(readers(videoFormats), writers(videoFormats), (from, to) => {
  const target = videoFormats[to];
  if (target === undefined) return undefined;
  // MKV may contain anything, so a copy is likely only into a target that accepts everything.
  const copies = copying.some((family) => family.has(from) && family.has(to)) && !(from === "mkv" && to === "webm");
  const options = videoOptions(target);
  const expects = filmExpectations(target);
  return { fidelity: "high", cost: copies ? 500 : 20_000, async: !copies, maxInputMb: copies ? 500 : 300, options, expects };
});

/** Streams that no option affects are copied, which is fast. */
const ownFilm = ownHops(writers(videoFormats), (format) => {
  const target = videoFormats[format] ?? {};
  const fitted = expecting("FITTED_TO_SIZE", {
    message: "The video is encoded at a bit rate that fits the requested size.",
    option: "maxMb",
  });
  return {
    fidelity: "high",
    cost: 500,
    isLong: true,
    maxInputMb: 500,
    options: [...videoOptions(target), ...ownFilmOptions],
    expects: [...filmExpectations(target), fitted, expecting("SOURCE_KEPT")],
  };
});

const animations = crossHops([...readers(videoFormats)], ["gif", "webp"], (_from, to) => ({
  fidelity: "reduced",
  cost: 5_000,
  async: true,
  maxInputMb: 200,
  options: to === "webp" ? [...gifOptions, atOption] : gifOptions,
  expects: [
    toneMapped,
    ...(to === "gif" ? [hardened] : []),
    expecting("TRACKS_LEFT_OUT", "An animation has no audio or subtitles."),
    expecting("MEDIA_CHANGED", "An animation has fewer and smaller frames than the video, unless options say otherwise."),
  ],
}));
const stills = crossHops(readers(videoFormats), ["png", "jpg"], (_from, to) => ({
  fidelity: "extract",
  cost: 150,
  maxInputMb: 500,
  options: stillOptions,
  expects: [...expectingAll(to === "jpg" && "ALPHA_FLATTENED"), toneMapped],
}));
const fromAnimation = crossHops(readers(pictureFormats), ["mp4", "webm", "mov", "mkv", "m4v"], (_from, to) => {
  const target = videoFormats[to];
  if (target === undefined) return undefined;
  return {
    fidelity: "high",
    cost: 3_000,
    async: true,
    maxInputMb: 100,
    expects: [...expectingAll("ALPHA_FLATTENED"), expecting("MEDIA_CHANGED", "A video plays once, and its width and height are even.")],
    options: videoOptions(target).filter(
      (option) => !/^(mute|audio|normalise|volume|bitDepth|sampleRate|channels|metadata)/.test(option.name),
    ),
  };
});
/** Containers with text subtitles. */
const subtitled = readers(videoFormats).filter((id) => videoFormats[id]?.subtitles !== undefined || id === "mk3d");
const subtitleOptions: readonly OptionDefinition[] = [
  integerIn("subtitle", [1, 999], "Subtitle track of the video; default: the track marked as default, otherwise the first"),
  ...trim,
];
const subtitles = crossHops(subtitled, Object.keys(subtitleFormats), (_from, to) => ({
  fidelity: "extract",
  cost: 100,
  maxInputMb: 500,
  expects: [...expectingAll("TRACKS_LEFT_OUT"), ...(to === "ass" ? [] : [unstyled])],
  options: subtitleOptions,
}));
/** An animation keeps its frame delays, size and repetitions. */
const apng = crossHops(["apng"], ["gif"], () => ({
  fidelity: "reduced",
  cost: 500,
  maxInputMb: 50,
  options: gifOptions.map(({ default: _default, ...option }) => option),
  expects: [expecting("MEDIA_CHANGED", "Times are rounded to hundredths of a second."), hardened],
}));

export const ffmpegHops: readonly Hop[] = uniqueHops([
  ...fromAudio,
  ...ownSound,
  ...soundOfVideo,
  ...ownFilm,
  ...betweenVideo,
  ...animations,
  ...stills,
  ...subtitles,
  ...fromAnimation,
  ...apng,
  ...crossHops(["gif"], ["apng"], () => ({ fidelity: "lossless", cost: 500, maxInputMb: 50, options: [] })),
]);
