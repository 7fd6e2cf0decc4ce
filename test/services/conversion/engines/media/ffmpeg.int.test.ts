import { execFile } from "node:child_process";
import { readFile, stat, truncate, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import sharp from "sharp";
import { beforeAll, describe, expect, it } from "vitest";
import { ffmpegEngine } from "#services/conversion/engines/media/ffmpeg.ts";
import { hopOf, testEngine, useBench } from "#test/contract/engine.ts";
import { readingOf } from "#test/contract/readers.ts";
import { soundDigestOf, streamsOf, toneSeconds, writeFilm, writeTone } from "./tone.ts";

const run = promisify(execFile);
const corpus = join(import.meta.dirname, "../../../../corpus/media");
const videoArgs: Readonly<Record<string, readonly string[]>> = {
  dv: ["-target", "pal-dv"],
  divx: ["-c:v", "mpeg4", "-c:a", "libmp3lame", "-f", "avi"],
  mk3d: ["-f", "matroska"],
  f4v: ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "aac", "-f", "f4v"],
  rm: ["-s", "160x128", "-c:v", "rv10", "-c:a", "ac3"],
  mxf: ["-c:v", "mpeg2video", "-c:a", "pcm_s16le", "-ar", "48000"],
  m4v: ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "aac", "-f", "mp4"],
  "3gp": ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "aac"],
  "3g2": ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "aac"],
  m2ts: ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "ac3"],
  mts: ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "ac3", "-f", "mpegts", "-mpegts_m2ts_mode", "1"],
  ogv: ["-c:v", "libtheora", "-c:a", "libvorbis"],
  gif: ["-an"],
  apng: ["-an", "-plays", "0", "-f", "apng"],
};
const audioArgs: Readonly<Record<string, readonly string[]>> = {
  alac: ["-c:a", "alac", "-f", "ipod"],
  m4r: ["-f", "ipod"],
  m4b: ["-f", "ipod"],
  aifc: ["-c:a", "pcm_mulaw", "-f", "aiff"],
  rf64: ["-rf64", "always", "-f", "wav"],
  weba: ["-c:a", "libopus", "-f", "webm"],
  "3ga": ["-c:a", "aac", "-f", "3gp"],
  dts: ["-c:a", "dca", "-strict", "-2"],
  ra: ["-c:a", "ac3", "-f", "rm"],
  voc: ["-c:a", "pcm_u8"],
};
const fromFiles = new Set(["amr", "gsm", "spx"]);
const made = new Map<string, Promise<string>>();

function sample(format: string, folder: string): Promise<string> {
  if (fromFiles.has(format)) return Promise.resolve(join(corpus, `tone.${format}`));
  const path = join(folder, `sample.${format}`);
  const isFilm = ffmpegEngine.hops.some((hop) => hop.from === format && (hop.to === "mp4" || hop.to === "mkv"));
  const making = made.get(path) ?? (isFilm ? writeFilm(path, ...(videoArgs[format] ?? [])) : makeSound(format, path)).then(() => path);
  made.set(path, making);
  return making;
}

async function makeSound(format: string, path: string): Promise<void> {
  if (format === "wav") return await writeTone(path);
  if (format === "sph") return await writeSphere(path);
  const tone = `${path}.tone`;
  await writeTone(tone);
  await run("ffmpeg", ["-nostdin", "-v", "error", "-y", "-f", "wav", "-i", tone, ...(audioArgs[format] ?? []), path]);
}

/** NIST SPHERE from scratch: 1024 bytes of header, then 16-bit samples. */
async function writeSphere(path: string): Promise<void> {
  const header =
    "NIST_1A\n   1024\nchannel_count -i 1\nsample_count -i 16000\nsample_rate -i 8000\nsample_n_bytes -i 2\nsample_byte_format -s2 01\nsample_coding -s3 pcm\nend_head\n";
  await writeFile(path, Buffer.concat([Buffer.from(header.padEnd(1024, " ")), Buffer.alloc(32_000, 1)]));
}

/** These have samples and tests of their own, here or in ffmpeg-subtitles.int.test.ts. */
const elsewhere = new Set("h264 hevc m2v m1v ivf nut swf mlp thd f4a adx g722 mod xm it s3m awb srt vtt ass".split(" "));

/** Each reader and each writer once; the catalogue's proof covers every pair. */
const hubs = ffmpegEngine.hops.filter(
  ({ from, to }) =>
    from === "wav" ||
    from === "mp4" ||
    to === "wav" ||
    (to === "mp4" && !["dv", "wtv"].includes(from)) ||
    (from === "webm" && to === "mkv"),
);

testEngine(
  { ...ffmpegEngine, hops: hubs.filter(({ from, to }) => from !== "wtv" && !elsewhere.has(from) && !elsewhere.has(to)) },
  {
    sample,
    check(hop, reading) {
      const hasLength = !["png", "jpg", "gif", "webp", "apng", "aac", "ac3", "eac3"].includes(hop.to) && reading.durationS !== undefined;
      if (hasLength) expect(Math.abs((reading.durationS ?? 0) - toneSeconds)).toBeLessThan(0.5);
    },
  },
);

describe("engine ffmpeg, in detail", () => {
  const bench = useBench(ffmpegEngine);
  let tone: string;
  let film: string;
  beforeAll(async () => {
    tone = join(bench.folder, "tone.wav");
    film = join(bench.folder, "film.mp4");
    await writeTone(tone);
    await writeFilm(film, "-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "aac", "-metadata", "title=Quokka");
  });

  it("queues film that is encoded, and neither sound nor copies", () => {
    const isQueued = (to: string) => hopOf(ffmpegEngine, "mp4", to).async === true;
    expect(["webm", "mp3", "mkv"].map(isQueued)).toEqual([true, false, false]);
  });

  it.each(["flac", "aiff", "alac", "caf", "au", "w64", "wv", "tta"])("keeps every sample from wav to %s and back", async (format) => {
    const there = await bench.convert(tone, "wav", format);
    expect(await soundDigestOf(there.path)).toBe(await soundDigestOf(tone));
    const back = await bench.convert(there.path, format, "wav");
    expect(await soundDigestOf(back.path)).toBe(await soundDigestOf(tone));
  });

  it("reads AMR wide-band, as calls are recorded, at its 16 kHz", async () => {
    const { path } = await bench.convert("test/corpus/typical/audio/typical.awb", "awb", "wav");
    expect((await streamsOf(path))[0]).toMatchObject({ sample_rate: "16000", channels: 1, duration: "3.380000" });
  });

  it("copies streams that fit", async () => {
    const { path } = await bench.convert(film, "mp4", "mkv");
    const digest = (file: string) =>
      run("ffmpeg", ["-nostdin", "-v", "error", "-i", file, "-map", "0:v", "-c", "copy", "-bsf:v", "h264_mp4toannexb", "-f", "md5", "-"]);
    expect((await digest(path)).stdout).toBe((await digest(film)).stdout);
  });

  it("writes Vorbis to .ogg, whatever the source has, unless it is asked for another codec", async () => {
    for (const format of ["flac", "opus"]) {
      const source = (await bench.convert(tone, "wav", format)).path;
      expect((await streamsOf((await bench.convert(source, format, "ogg")).path))[0]).toMatchObject({ codec_name: "vorbis" });
      const chosen = await bench.convert(source, format, "ogg", { audioCodec: format });
      expect((await streamsOf(chosen.path))[0]).toMatchObject({ codec_name: format });
    }
  });

  it("keeps the title, and the cover where the format has a place for it", async () => {
    const cover = join(bench.folder, "cover.png");
    await writeFilm(cover, "-frames:v", "1", "-an");
    const song = join(bench.folder, "song.mp3");
    const inputs = ["-i", tone, "-i", cover, "-map", "0:a", "-map", "1:v", "-disposition:v", "attached_pic"];
    await run("ffmpeg", ["-nostdin", "-v", "error", "-y", ...inputs, "-metadata", "title=Quokka", song]);
    const tagged = await bench.convert(song, "mp3", "m4a");
    expect((await streamsOf(tagged.path)).map((stream) => stream.codec_type).sort()).toEqual(["audio", "video"]);
    const { stdout } = await run("ffprobe", ["-v", "error", "-show_entries", "format_tags=title", "-of", "csv=p=0", tagged.path]);
    expect(stdout.trim()).toBe("Quokka");
    const bare = await bench.convert(song, "mp3", "wav");
    expect(bare.notes.has("METADATA_DROPPED")).toBe(true);
    const ogg = await bench.convert(song, "mp3", "ogg");
    const back = await bench.convert(ogg.path, "ogg", "mp3");
    expect((await run("ffprobe", ["-v", "error", "-show_entries", "format_tags=title", "-of", "csv=p=0", back.path])).stdout.trim()).toBe(
      "Quokka",
    );
  });

  it("obeys the options of sound", async () => {
    const { path } = await bench.convert(tone, "wav", "mp3", {
      audioBitrate: 64,
      channels: 1,
      sampleRate: "22050",
      start: 0.5,
      duration: 1,
    });
    const [stream] = await streamsOf(path);
    expect(stream).toMatchObject({ channels: 1, sample_rate: "22050", bit_rate: "64000" });
    expect(Math.abs(((await readingOf(path)).durationS ?? 0) - 1)).toBeLessThan(0.2);
    const louder = await bench.convert(tone, "wav", "flac", { normalise: true });
    expect(await soundDigestOf(louder.path)).not.toBe(await soundDigestOf(tone));
  });

  it("obeys the options of film", async () => {
    const { path } = await bench.convert(film, "mp4", "mkv", {
      width: 80,
      height: 80,
      fit: "contain",
      fps: 10,
      mute: true,
      videoCodec: "vp9",
    });
    const streams = await streamsOf(path);
    expect(streams).toHaveLength(1);
    expect(streams[0]).toMatchObject({ codec_name: "vp9", width: 80, height: 80, r_frame_rate: "10/1" });
    const small = await bench.convert(film, "mp4", "mov", { crf: 45 });
    const fine = await bench.convert(film, "mp4", "mov", { crf: 10 });
    expect((await stat(small.path)).size).toBeLessThan((await stat(fine.path)).size);
  });

  it("hides what lies under transparency, and flattens it onto white", async () => {
    const clear = join(bench.folder, "clear.mov");
    const source = ["-f", "lavfi", "-i", "color=0x804020:size=64x48:rate=5:duration=1,format=rgba,colorchannelmixer=aa=0.5"];
    await run("ffmpeg", ["-nostdin", "-v", "error", "-y", ...source, "-c:v", "png", clear]);
    for (const to of ["mp4", "avi", "jpg"]) {
      const { path, notes } = await bench.convert(clear, "mov", to);
      expect(notes.get("ALPHA_FLATTENED")).toBe("Transparency was flattened onto white.");
      const still = join(bench.folder, `${to}.png`);
      await run("ffmpeg", ["-nostdin", "-v", "error", "-y", "-i", path, "-frames:v", "1", still]);
      const [red = 0, green = 0, blue = 0] = await sharp(still).removeAlpha().resize(1, 1).raw().toBuffer();
      expect(Math.hypot(red - 0xbf, green - 0x9f, blue - 0x8f), to).toBeLessThan(12);
    }
    const kept = await bench.convert(clear, "mov", "mkv", { videoCodec: "ffv1" });
    expect(kept.notes.has("ALPHA_FLATTENED")).toBe(false);
  });

  it("takes animations and stills out of a film", async () => {
    const gif = await readingOf((await bench.convert(film, "mp4", "gif", { width: 80, fps: 5 })).path);
    expect(gif).toMatchObject({ mime: "image/gif", width: 80, height: 60 });
    const first = await readFile((await bench.convert(film, "mp4", "png", { at: 0 })).path);
    const later = await readFile((await bench.convert(film, "mp4", "png", { at: 1.5 })).path);
    expect(later.equals(first)).toBe(false);
    await expect(bench.convert(film, "mp4", "png", { at: 60 })).rejects.toMatchObject({ code: "INVALID_OPTION" });
  });

  it("says what it read of a truncated file, and refuses one that holds nothing", async () => {
    const long = join(bench.folder, "long.flac");
    await run("ffmpeg", ["-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i", "anoisesrc=duration=10:seed=1", long]);
    const { size } = await stat(long);
    await truncate(long, Math.round(size / 2));
    expect((await bench.convert(long, "flac", "mp3")).notes.has("INPUT_DAMAGED")).toBe(true);
    const cut = join(bench.folder, "cut.mp4");
    await writeFile(cut, (await readFile(film)).subarray(0, 2000));
    await expect(bench.convert(cut, "mp4", "mp3")).rejects.toMatchObject({ code: "INVALID_INPUT" });
  });

  it("refuses a film without sound as a source of sound", async () => {
    const silent = join(bench.folder, "silent.mp4");
    await writeFilm(silent, "-an", "-c:v", "libx264", "-pix_fmt", "yuv420p");
    await expect(bench.convert(silent, "mp4", "mp3")).rejects.toMatchObject({ code: "INVALID_INPUT", message: "The file has no audio." });
  });

  it("calls a container with nothing in it damaged, though ffmpeg is content", async () => {
    const hollow = join(bench.folder, "hollow.avi");
    await run("ffmpeg", ["-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i", "color=s=16x16", "-c:v", "mpeg4", "-frames:v", "0", hollow]);
    await expect(bench.convert(hollow, "avi", "mp4")).rejects.toMatchObject({ code: "INVALID_INPUT" });
    await expect(bench.convert(hollow, "avi", "mkv")).rejects.toMatchObject({ code: "INVALID_INPUT" });
  });

  it("reads no playlist, and so neither the network nor its neighbours", async () => {
    let hits = 0;
    const canary = createServer((socket) => {
      hits += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => canary.listen(0, "127.0.0.1", resolve));
    const address = canary.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const list = join(bench.folder, "list.mp4");
    await writeFile(
      list,
      `#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nhttp://127.0.0.1:${port}/a.ts\n#EXTINF:1,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n`,
    );
    await expect(bench.convert(list, "mp4", "mkv")).rejects.toMatchObject({ code: "INVALID_INPUT" });
    await expect(bench.convert(list, "ts", "mp3")).rejects.toMatchObject({ code: "INVALID_INPUT" });
    expect(hits).toBe(0);
    canary.close();
  });

  it("ends at its time limit", async () => {
    const long = join(bench.folder, "noise.mkv");
    const noise = ["-f", "lavfi", "-i", "nullsrc=s=640x480:d=120:r=25,geq=random(1)*255:128:128"];
    await run("ffmpeg", ["-nostdin", "-v", "error", "-y", ...noise, "-frames:v", "50", "-c:v", "ffv1", long]);
    await expect(bench.convert(long, "mkv", "webm", {}, 300)).rejects.toMatchObject({ code: "CONVERSION_TIMEOUT" });
  });
});
