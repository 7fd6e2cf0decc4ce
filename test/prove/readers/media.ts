/** Audio and video, decoded by GStreamer without FFmpeg components, or by FFmpeg if GStreamer has no decoder. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { KnownFile } from "#test/prove/samples.ts";
import { bytesFrom } from "./program.ts";

export type Sound = {
  readonly reader: string;
  readonly rate: number;
  readonly channels: number;
  /** 16-bit, interleaved. */
  readonly samples: Int16Array;
};

export type Film = {
  readonly reader: string;
  readonly width: number;
  readonly height: number;
  readonly framesPerSecond: number;
  /** Luma only, one byte per pixel. */
  readonly frames: readonly Buffer[];
};

/** Codecs that only FFmpeg decodes here; trying GStreamer would waste time. */
const onlyFfmpegKnows = {
  sound: new Set("wma wmv asf tta alac eac3 adx".split(" ")),
  film: new Set("avi divx flv wmv asf rm swf amv".split(" ")),
};

export function soundOf(file: KnownFile, writer?: string): Promise<Sound> {
  const parts = ["!", "audioconvert", "!", "audio/x-raw,format=S16LE", "!", "wavenc"];
  const args = ["-map", "0:a:0", "-c:a", "pcm_s16le", "-f", "wav"];
  return decoded(file, "sound", { parts, args, writer }, parseWave);
}

export function filmOf(file: KnownFile, writer?: string): Promise<Film> {
  // Through another layout: decoders pad their frames, and the encoder would write the padding too.
  const parts = ["!", "videoconvert", "!", "video/x-raw,format=Y444", "!", "videoconvert", "!", "video/x-raw,format=I420", "!", "y4menc"];
  const args = ["-map", "0:v:0", "-pix_fmt", "yuv420p", "-strict", "-1", "-f", "yuv4mpegpipe"];
  return decoded(file, "film", { parts, args, writer }, parseY4m);
}

type Ways = { readonly parts: readonly string[]; readonly args: readonly string[]; readonly writer: string | undefined };

async function decoded<T>(file: KnownFile, what: "sound" | "film", ways: Ways, parse: (bytes: Buffer, reader: string) => T): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "filemill-media-"));
  const out = join(folder, "out");
  try {
    if (!onlyFfmpegKnows[what].has(file.format)) {
      try {
        await bytesFrom(
          "timeout",
          "--foreground",
          "6",
          "gst-launch-1.0",
          "-q",
          "filesrc",
          `location=${file.path}`,
          "!",
          "decodebin",
          ...ways.parts,
          "!",
          "filesink",
          `location=${out}`,
        );
        return parse(await readFile(out), "gstreamer");
      } catch {
        // FFmpeg may support more.
      }
    }
    await bytesFrom("ffmpeg", "-v", "error", "-nostdin", "-y", "-i", file.path, ...ways.args, out);
    return parse(await readFile(out), ways.writer === "ffmpeg" ? "self" : "ffmpeg");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function parseWave(bytes: Buffer, reader: string): Sound {
  if (bytes.toString("latin1", 0, 4) !== "RIFF") throw new Error("no sound could be decoded");
  let [at, rate, channels] = [12, 0, 0];
  while (at + 8 <= bytes.length) {
    const size = bytes.readUInt32LE(at + 4);
    const id = bytes.toString("latin1", at, at + 4);
    if (id === "fmt ") [channels, rate] = [bytes.readUInt16LE(at + 10), bytes.readUInt32LE(at + 12)];
    if (id === "data") {
      const body = Uint8Array.prototype.slice.call(bytes, at + 8, at + 8 + Math.min(size, bytes.length - at - 8));
      return { reader, rate, channels, samples: new Int16Array(body.buffer, 0, Math.floor(body.length / 2)) };
    }
    at += 8 + size + (size % 2);
  }
  throw new Error("no sound could be decoded");
}

function parseY4m(bytes: Buffer, reader: string): Film {
  const headEnd = bytes.indexOf(0x0a);
  const head = bytes.toString("latin1", 0, Math.max(0, headEnd));
  const width = Number(/ W(\d+)/.exec(head)?.[1]);
  const height = Number(/ H(\d+)/.exec(head)?.[1]);
  const [, over = "25", under = "1"] = / F(\d+):(\d+)/.exec(head) ?? [];
  if (!(width > 0 && height > 0)) throw new Error("no film could be decoded");
  const chroma = Math.ceil(width / 2) * Math.ceil(height / 2) * 2;
  const frames: Buffer[] = [];
  for (let at = headEnd + 1; at < bytes.length; ) {
    const start = bytes.indexOf(0x0a, at) + 1;
    if (start === 0 || start + width * height > bytes.length) break;
    frames.push(bytes.subarray(start, start + width * height));
    at = start + width * height + chroma;
  }
  if (frames.length === 0) throw new Error("no film could be decoded");
  return { reader, width, height, framesPerSecond: Number(over) / Math.max(1, Number(under)), frames };
}
