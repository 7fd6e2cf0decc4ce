/** What ffmpeg must know of a format: how to read it, how to write it, which codecs may be copied into it. */
import { words } from "../shared/hop-table.ts";

export type Container = {
  /** Demuxer that is forced; its family is all that the input may be. */
  readonly demuxer?: string;
  readonly muxer?: string;
  readonly muxerArgs?: readonly string[];
  /** Encoder and its arguments; absent: the format holds no such stream, or is only read. */
  readonly audio?: readonly string[];
  readonly video?: readonly string[];
  /** Codecs (names of ffprobe) that need no new encoding. */
  readonly copyAudio?: readonly string[];
  readonly copyVideo?: readonly string[];
  readonly subtitles?: string;
  readonly cover?: boolean;
  /** Holds one stream of pictures and never any sound. */
  readonly isSilent?: boolean;
  /** Tells no time of its tracks: all begin with the film, and silence must fill what is before. */
  readonly beginsAtOnce?: boolean;
  /** One audio stream only. */
  readonly singleAudio?: boolean;
  /** The sound is stored exactly; decides the fidelity between such formats. */
  readonly exact?: boolean;
  readonly isSpeech?: boolean;
  /** Accepted values of the audioCodec and videoCodec options beside the default. */
  readonly audioChoices?: readonly string[];
  readonly videoChoices?: readonly string[];
  /** Bit rates of sound make no sense. */
  readonly fixedRate?: boolean;
  readonly maxChannels?: number;
  /** Accepted bits a sample, where the sound is stored exactly. */
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
