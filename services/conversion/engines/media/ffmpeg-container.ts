/** What ffmpeg needs to know about a format: how to read it, how to write it, which codecs can be copied into it. */
import { words } from "../shared/hop-table.ts";

export type Container = {
  /** The demuxer to force; no other family of formats is accepted. */
  readonly demuxer?: string;
  readonly muxer?: string;
  readonly muxerArgs?: readonly string[];
  /** Encoder and its arguments; absent if the format holds no such stream or is only read. */
  readonly audio?: readonly string[];
  readonly video?: readonly string[];
  /** Codecs, by ffprobe's names, that can be copied. */
  readonly copyAudio?: readonly string[];
  readonly copyVideo?: readonly string[];
  readonly subtitles?: string;
  readonly cover?: boolean;
  /** Holds one video stream and never any sound. */
  readonly isSilent?: boolean;
  /** Stores no start times: all tracks start with the film, and silence must fill the gap before a later one. */
  readonly beginsAtOnce?: boolean;
  /** One audio stream only. */
  readonly singleAudio?: boolean;
  /** Stores sound losslessly; decides the fidelity between such formats. */
  readonly exact?: boolean;
  readonly isSpeech?: boolean;
  /** Accepted values of the audioCodec and videoCodec options besides the default. */
  readonly audioChoices?: readonly string[];
  readonly videoChoices?: readonly string[];
  /** An audio bit rate makes no sense. */
  readonly fixedRate?: boolean;
  readonly maxChannels?: number;
  /** Accepted bits per sample, if sound is stored losslessly. */
  readonly depths?: readonly string[];
};

export const isoDemuxer = "mov";
export const x264 = words("libx264 -pix_fmt yuv420p");
export const iso = { demuxer: isoDemuxer, muxerArgs: words("-movflags +faststart") };
export const aac = words("aac");
export const mpeg2 = words("mpeg2video -q:v 4 -pix_fmt yuv420p");
export const allCodecs = words(
  "aac mp3 mp2 ac3 eac3 dts flac alac opus vorbis truehd mlp wavpack tta pcm_u8 pcm_s16le pcm_s24le pcm_s32le pcm_f32le pcm_f64le h264 hevc av1 vp8 vp9 mpeg4 mpeg1video mpeg2video theora mjpeg prores ffv1",
);

/** Whether films are written with the rotation and the edit list of their source, as in the MP4 family alone. */
export const holdsEdits = ({ muxer = "" }: Container): boolean => /^(mp4|mov|ipod|3gp|3g2|f4v)$/.test(muxer);
