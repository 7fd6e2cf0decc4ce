/** The audio and picture formats, and the encoders that options can select. */

import { words } from "../shared/hop-table.ts";
import { aac, allCodecs, type Container, iso, isoDemuxer, x264 } from "./ffmpeg-container.ts";
import { videoFormats } from "./ffmpeg-video-formats.ts";

export const audioFormats: Readonly<Record<string, Container>> = {
  mp3: {
    demuxer: "mp3",
    muxer: "mp3",
    muxerArgs: words("-id3v2_version 3"),
    audio: words("libmp3lame"),
    copyAudio: ["mp3"],
    cover: true,
    maxChannels: 2,
  },
  wav: { demuxer: "wav", muxer: "wav", audio: ["pcm_le"], exact: true, depths: ["16", "24", "32"] },
  flac: {
    demuxer: "flac",
    muxer: "flac",
    audio: words("flac"),
    copyAudio: ["flac"],
    cover: true,
    exact: true,
    depths: ["16", "24"],
    maxChannels: 8,
  },
  // Players of .ogg files expect Vorbis; .oga is for anything that Ogg can hold.
  ogg: {
    demuxer: "ogg",
    muxer: "ogg",
    audio: words("libvorbis"),
    copyAudio: ["vorbis"],
    audioChoices: words("vorbis opus flac"),
  },
  oga: {
    demuxer: "ogg",
    muxer: "oga",
    audio: words("libvorbis"),
    copyAudio: words("vorbis opus flac speex"),
    audioChoices: words("vorbis opus flac"),
  },
  opus: { demuxer: "ogg", muxer: "opus", audio: words("libopus"), copyAudio: ["opus"] },
  m4a: { ...iso, muxer: "ipod", audio: aac, copyAudio: ["aac"], cover: true },
  aac: { demuxer: "aac", muxer: "adts", audio: aac, copyAudio: ["aac"] },
  wma: { demuxer: "asf", muxer: "asf", audio: words("wmav2"), copyAudio: words("wmav2 wmav1"), maxChannels: 2 },
  aiff: {
    demuxer: "aiff",
    muxer: "aiff",
    muxerArgs: words("-write_id3v2 1"),
    audio: ["pcm_be"],
    cover: true,
    exact: true,
    depths: ["16", "24", "32"],
  },
  alac: { ...iso, muxer: "ipod", audio: words("alac"), copyAudio: ["alac"], cover: true, exact: true, depths: ["16", "24"] },
  ac3: { demuxer: "ac3", muxer: "ac3", audio: words("ac3"), copyAudio: ["ac3"], maxChannels: 6 },
  amr: { demuxer: "amr", isSpeech: true },
  awb: { demuxer: "amr", isSpeech: true },
  m4r: { ...iso, muxer: "ipod", audio: aac, copyAudio: ["aac"] },
  m4b: { ...iso, muxer: "ipod", audio: aac, copyAudio: ["aac"], cover: true },
  caf: { demuxer: "caf", muxer: "caf", audio: ["pcm_le"], exact: true, depths: ["16", "24", "32"] },
  au: { demuxer: "au", muxer: "au", audio: ["pcm_be"], exact: true, depths: ["16", "24", "32"] },
  mp2: { demuxer: "mp3", muxer: "mp2", audio: words("mp2"), copyAudio: ["mp2"], maxChannels: 2 },
  eac3: { demuxer: "eac3", muxer: "eac3", audio: words("eac3"), copyAudio: ["eac3"], maxChannels: 6 },
  mka: {
    demuxer: "matroska",
    muxer: "matroska",
    audio: words("libopus"),
    copyAudio: allCodecs,
    audioChoices: words("opus vorbis flac aac mp3"),
  },
  weba: {
    demuxer: "matroska",
    muxer: "webm",
    audio: words("libopus"),
    copyAudio: words("opus vorbis"),
    audioChoices: words("opus vorbis"),
  },
  w64: { demuxer: "w64", muxer: "w64", audio: ["pcm_le"], exact: true, depths: ["16", "24", "32"] },
  wv: { demuxer: "wv", muxer: "wv", audio: words("wavpack"), copyAudio: ["wavpack"], exact: true },
  tta: { demuxer: "tta", muxer: "tta", audio: words("tta"), copyAudio: ["tta"], exact: true },
  rf64: { demuxer: "wav", muxer: "wav", muxerArgs: words("-rf64 always"), audio: ["pcm_le"], exact: true, depths: ["16", "24", "32"] },
  aifc: { demuxer: "aiff" },
  "3ga": { demuxer: isoDemuxer },
  dts: { demuxer: "dts" },
  gsm: { demuxer: "gsm", isSpeech: true },
  spx: { demuxer: "ogg", isSpeech: true },
  voc: { demuxer: "voc" },
  ra: { demuxer: "rm" },
  sph: { demuxer: "nistsphere" },
  f4a: { demuxer: isoDemuxer },
  mlp: { demuxer: "mlp" },
  thd: { demuxer: "truehd" },
  adx: { demuxer: "adx" },
  g722: { demuxer: "g722", isSpeech: true },
  // Played by libopenmpt, which comes with FFmpeg.
  mod: { demuxer: "libopenmpt" },
  xm: { demuxer: "libopenmpt" },
  it: { demuxer: "libopenmpt" },
  s3m: { demuxer: "libopenmpt" },
};

export const pictureFormats: Readonly<Record<string, Container>> = {
  gif: { demuxer: "gif", muxer: "gif", video: words("gif") },
  webp: { muxer: "webp", video: words("libwebp_anim") },
  apng: { demuxer: "apng", muxer: "apng", video: words("apng") },
  png: { muxer: "image2", video: words("png") },
  jpg: { muxer: "image2", video: words("mjpeg -pix_fmt yuvj420p -q:v 3") },
};

/** Text subtitles within films. */
export const subtitleFormats: Readonly<Record<string, Container>> = {
  srt: { muxer: "srt", subtitles: "srt" },
  vtt: { muxer: "webvtt", subtitles: "webvtt" },
  ass: { muxer: "ass", subtitles: "ass" },
};

/** Encoders of the codec options. */
export const encoders: Readonly<Record<string, readonly string[]>> = {
  h264: x264,
  hevc: words("libx265 -pix_fmt yuv420p -tag:v hvc1 -x265-params log-level=error"),
  av1: words("libsvtav1 -pix_fmt yuv420p"),
  vp9: words("libvpx-vp9 -pix_fmt yuv420p -row-mt 1 -deadline good -cpu-used 5 -b:v 0"),
  vp8: words("libvpx -pix_fmt yuv420p -deadline realtime -cpu-used 7 -b:v 1M"),
  prores: words("prores_ks -profile:v 2 -pix_fmt yuv422p10le"),
  ffv1: words("ffv1 -level 3"),
  aac,
  alac: words("alac"),
  mp3: words("libmp3lame"),
  ac3: words("ac3"),
  opus: words("libopus"),
  vorbis: words("libvorbis"),
  flac: words("flac"),
};

/** Families in the form that ffmpeg's format whitelist expects. */
export function whiteListOf(demuxer: string): string {
  if (demuxer === "mov") return "mov,mp4,m4a,3gp,3g2,mj2";
  return demuxer === "matroska" ? "matroska,webm" : demuxer;
}

export function containerOf(format: string): Container | undefined {
  return audioFormats[format] ?? videoFormats[format] ?? pictureFormats[format] ?? subtitleFormats[format];
}
