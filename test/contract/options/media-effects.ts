import {
  becomes,
  bytes,
  differs,
  effectsOf,
  gains,
  larger,
  latin1,
  loses,
  loudness,
  seconds,
  size,
  smaller,
  stream,
  text,
} from "./effect.ts";

const toMp3 = { hop: "wav>mp3", sample: "sound.wav" } as const;
const toMkv = { hop: "mp4>mkv", sample: "film.mp4" } as const;
const toItself = { hop: "mp4>mp4", sample: "film.mp4" } as const;
const shown = { hop: "zip>gif", sample: "pictures.zip" } as const;
const played = { hop: "mid>wav", sample: "piece.mid" } as const;
const encoded = { crf: 30 };

export const mediaEffects = [
  ...effectsOf("ffmpeg", [
    { ...toMp3, option: "sampleRate", given: { sampleRate: "22050" }, figure: stream("a", "sample_rate"), shows: becomes("22050") },
    { ...toMp3, option: "channels", given: { channels: 1 }, figure: stream("a", "channels"), shows: becomes("1") },
    { hop: "wav>flac", sample: "sound.wav", option: "normalise", given: { normalise: true }, figure: bytes, shows: larger },
    { hop: "wav>flac", sample: "sound.wav", option: "volume", given: { volume: -30 }, figure: bytes, shows: smaller },
    {
      hop: "flac>wav",
      sample: "sound.flac",
      option: "bitDepth",
      given: { bitDepth: "24" },
      figure: stream("a", "bits_per_sample"),
      shows: becomes("24"),
    },
    { ...toMp3, option: "start", given: { start: 1 }, figure: seconds, shows: smaller },
    { ...toMp3, option: "duration", given: { duration: 1 }, figure: seconds, shows: smaller },
    { hop: "wav>wav", sample: "sound.wav", option: "speed", given: { speed: 2 }, figure: seconds, shows: becomes(1.5) },
    { ...toMp3, option: "audioBitrate", given: { audioBitrate: 32 }, figure: bytes, shows: smaller },
    { ...toMkv, option: "audioCodec", given: { audioCodec: "flac" }, figure: stream("a", "codec_name"), shows: becomes("flac") },
    { hop: "mkv>wav", sample: "tracks.mkv", option: "track", given: { track: 2 }, figure: seconds, shows: becomes(2) },
    { ...toMkv, option: "videoCodec", given: { videoCodec: "vp9" }, figure: stream("v", "codec_name"), shows: becomes("vp9") },
    { ...toMkv, option: "crf", given: { crf: 45 }, base: encoded, figure: bytes, shows: smaller },
    { ...toMkv, option: "preset", given: { ...encoded, preset: "ultrafast" }, base: encoded, figure: bytes, shows: differs },
    { ...toMkv, option: "fps", given: { fps: 10 }, figure: stream("v", "r_frame_rate"), shows: becomes("10/1") },
    { ...toMkv, option: "width", given: { width: 80 }, figure: stream("v", "width"), shows: becomes("80") },
    { ...toMkv, option: "height", given: { height: 60 }, figure: stream("v", "height"), shows: becomes("60") },
    {
      ...toMkv,
      option: "fit",
      given: { fit: "fill", width: 80, height: 80 },
      base: { width: 80, height: 80 },
      figure: stream("v", "height"),
      shows: becomes("80"),
    },
    { ...toMkv, option: "videoBitrate", given: { videoBitrate: 50 }, base: encoded, figure: bytes, shows: smaller },
    { ...toMkv, option: "rotate", given: { rotate: "90" }, figure: stream("v", "width"), shows: becomes("120") },
    { hop: "mp4>mov", sample: "located.mp4", option: "metadata", given: { metadata: "strip" }, figure: latin1, shows: loses(/48\.85/) },
    { ...toItself, option: "speed", given: { speed: 0.5 }, figure: seconds, shows: larger },
    { hop: "mp4>avi", sample: "film.mp4", option: "videoBitrate", given: { videoBitrate: 50 }, figure: bytes, shows: smaller },
    { ...toItself, option: "maxMb", given: { maxMb: 0.03 }, figure: bytes, shows: smaller },
    { ...toItself, option: "crop", given: { crop: "80x60+10+20" }, figure: size, shows: becomes("80x60") },
    { hop: "mp4>gif", sample: "film.mp4", option: "loop", given: { loop: 1 }, figure: latin1, shows: loses(/NETSCAPE/) },
    { ...toMkv, option: "mute", given: { mute: true }, figure: stream("a", "codec_name"), shows: becomes("") },
    { hop: "mkv>srt", sample: "subtitles.mkv", option: "subtitle", given: { subtitle: 2 }, figure: text, shows: gains(/Zebra/) },
    { hop: "mp4>png", sample: "film.mp4", option: "at", given: { at: 2 }, figure: bytes, shows: differs },
    { hop: "mp4>png", sample: "film.mp4", option: "width", given: { width: 80 }, figure: size, shows: becomes("80x60") },
  ]),
  ...effectsOf("join-media", [
    { ...shown, option: "seconds", given: { seconds: 2.5 }, figure: seconds, shows: becomes(5) },
    { ...shown, option: "width", given: { width: 24 }, figure: size, shows: becomes("24x18") },
    { ...shown, option: "height", given: { height: 24 }, figure: size, shows: becomes("32x24") },
  ]),
  ...effectsOf("fluidsynth", [
    { ...played, option: "gain", given: { gain: 0.1 }, figure: loudness, shows: smaller },
    { ...played, option: "sampleRate", given: { sampleRate: "22050" }, figure: stream("a", "sample_rate"), shows: becomes("22050") },
    { ...played, option: "reverb", given: { reverb: false }, figure: latin1, shows: differs },
  ]),
  ...effectsOf("subtitle", [
    { hop: "srt>vtt", sample: "latin.srt", option: "encoding", given: { encoding: "koi8-r" }, figure: text, shows: loses(/Jürgen/) },
    { hop: "srt>vtt", sample: "latin.srt", option: "shift", given: { shift: 10 }, figure: text, shows: loses(/00:01\.000/) },
    { hop: "sub>srt", sample: "frames.sub", option: "fps", given: { fps: 12 }, figure: text, shows: loses(/00:00:01,00/) },
  ]),
];
