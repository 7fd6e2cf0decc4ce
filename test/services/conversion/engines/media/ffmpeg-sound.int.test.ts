/** Samples: what a format can hold is preserved, anything else is noted or refused. */
import { readFile, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { ffmpeg, ffmpegBench, told, words } from "./ffmpeg-bench.ts";

const { convert, pathOf } = ffmpegBench();

/** Half a second of a tone, by default at a third of full scale. */
async function tone(name: string, coding: string, { loudness = 0.3, rate = 48_000 } = {}): Promise<string> {
  const path = pathOf(name);
  await ffmpeg(...words("-f lavfi -i"), `aevalsrc=${loudness}*sin(440*2*PI*t):d=0.5:s=${rate}`, ...words(`-c:a ${coding}`), path);
  return path;
}

/** Digest of the samples as floating point, which represents all other formats exactly. */
async function digestOf(path: string): Promise<string> {
  await ffmpeg("-i", path, ...words("-map 0:a:0 -c:a pcm_f64le -f md5"), `${path}.md5`);
  return await readFile(`${path}.md5`, "utf8");
}

/** The loudest sample in dB over full scale. */
async function peakOf(path: string): Promise<number> {
  const answer = await ffmpeg("-i", path, ...words("-af astats=measure_perchannel=none -f null -"));
  return Number(/Peak level dB: (\S+)/.exec(answer)?.[1]);
}

describe("bits", () => {
  it.each([
    ["pcm_s32le", "aiff"],
    ["pcm_s32le", "caf"],
    ["pcm_s32le", "au"],
    ["pcm_s32le", "w64"],
    ["pcm_s32le", "wv"],
    ["pcm_s24le", "flac"],
    ["pcm_s24le", "alac"],
    ["pcm_s24le", "tta"],
    ["pcm_f32le", "wv"],
    ["pcm_f32le", "mka"],
    ["pcm_f64le", "caf"],
    ["pcm_f64le", "w64"],
  ])("of %s are the same in %s", async (coding, to) => {
    const source = await tone("exact.wav", coding);
    const { path, notes } = await convert(source, "wav", to);
    expect(await digestOf(path)).toBe(await digestOf(source));
    expect([...notes]).toEqual([]);
  });

  it.each([
    ["pcm_s32le", "flac", "Samples: 24 bits instead of 32 bits."],
    ["pcm_s32le", "alac", "Samples: 24 bits instead of 32 bits."],
    ["pcm_s32le", "tta", "Samples: 24 bits instead of 32 bits."],
    ["pcm_f32le", "flac", "Samples: 24 bits instead of 32 bits in floating point."],
    ["pcm_f32le", "aiff", "Samples: 32 bits instead of 32 bits in floating point."],
    ["pcm_f64le", "wv", "Samples: 32 bits in floating point instead of 64 bits in floating point."],
  ])("of %s were cut for %s in silence", async (coding, to, message) => {
    const { notes } = await convert(await tone("deep.wav", coding), "wav", to);
    expect(notes.get("MEDIA_CHANGED")).toBe(message);
  });

  it("of lossless sound in a broadcast stay 24", async () => {
    const source = await tone("deep.ts", "s302m -strict -2 -bits_per_raw_sample 24 -sample_fmt s32 -ac 2");
    const { path } = await convert(source, "ts", "flac");
    expect(await told(path, "a:0", "bits_per_raw_sample")).toEqual(["24"]);
    expect(await digestOf(path)).toBe(await digestOf(source));
  });

  it.each([
    ["wav", "flac", 24, "pcm_s24le"],
    ["wav", "wav", 24, "pcm_s24le"],
    ["wav", "alac", 20, "pcm_s24le"],
    ["wav", "flac", 16, "pcm_s16le"],
    ["w64", "flac", 24, "pcm_s24le"],
  ])("in samples with more room were taken for noise: %s to %s, %d of 32", async (from, to, valid, coding) => {
    const exact = await tone("exact.wav", coding);
    const roomy = pathOf(`roomy.${from}`);
    await ffmpeg("-i", exact, ...words("-c:a pcm_s32le"), roomy);
    const bytes = await readFile(roomy);
    // After the extensible format's header.
    bytes.writeUInt16LE(valid, bytes.indexOf("fmt ") + (from === "w64" ? 24 : 8) + 18);
    await writeFile(roomy, bytes);
    const { path, notes } = await convert(roomy, from, to);
    expect(await digestOf(path)).toBe(await digestOf(exact));
    expect([...notes]).toEqual([]);
  });

  it("are as many as the option says, without a note", async () => {
    const { path, notes } = await convert(await tone("asked.wav", "pcm_s32le"), "wav", "flac", { bitDepth: "16" });
    expect(await told(path, "a:0", "sample_fmt")).toEqual(["s16"]);
    expect([...notes]).toEqual([]);
  });
});

describe("sound over full scale", () => {
  it.each(["flac", "aiff", "alac", "tta", "mp3", "opus"])("is made quieter in %s rather than clipped", async (to) => {
    const { path, notes } = await convert(await tone("loud.wav", "pcm_f32le", { loudness: 1.5 }), "wav", to);
    expect(await peakOf(path)).toBeGreaterThan(-0.5);
    expect(await peakOf(path)).toBeLessThan(0.3);
    expect(notes.get("MEDIA_CHANGED")).toContain("The audio was made 3.5 dB quieter because its peaks exceed full scale.");
  });

  it.each(["wv", "caf", "w64"])("is the same in %s", async (to) => {
    const source = await tone("loud.wav", "pcm_f32le", { loudness: 1.5 });
    const { path, notes } = await convert(source, "wav", to);
    expect(await digestOf(path)).toBe(await digestOf(source));
    expect([...notes]).toEqual([]);
  });

  it("is noted where a decoder or an option clips its peaks", async () => {
    const quiet = await tone("quiet.wav", "pcm_s16le", { loudness: 0.9 });
    const { notes } = await convert(quiet, "wav", "flac", { volume: 6 });
    expect(notes.get("MEDIA_CHANGED")).toBe("Peaks of up to 5.1 dB over full scale were clipped.");
    const decoded = await convert(await tone("loud.mp3", "libmp3lame", { loudness: 1.5 }), "mp3", "wav");
    expect(decoded.notes.get("MEDIA_CHANGED")).toMatch(/^Peaks of up to \d\.\d dB/);
  });
});

describe("channels", () => {
  async function surround(name: string, coding: string, rate = 48_000): Promise<string> {
    const path = pathOf(name);
    const six = Array.from({ length: 6 }, () => "0.9*sin(440*2*PI*t)").join("|");
    await ffmpeg(...words("-f lavfi -i"), `aevalsrc=${six}:c=5.1:d=1:s=${rate}`, ...words(`-c:a ${coding}`), path);
    return path;
  }

  it.each([["mp3"], ["wma"], ["mp2"], ["wma", 96_000]])("are mixed without clipping in %s", async (to, rate?: number) => {
    const { path, notes } = await convert(await surround("six.wav", "pcm_s16le", rate), "wav", to);
    expect(await peakOf(path)).toBeLessThan(0);
    expect(notes.get("MEDIA_CHANGED")).toMatch(/Channels: 2 .*instead of 6 \(5\.1\)\.$/);
  });

  it.each(["m4a", "flac", "wav", "ogg"])("mixed when it is asked for are as loud as they were, in %s", async (to) => {
    const { path, notes } = await convert(await surround("six.ac3", "ac3"), "ac3", to, { channels: 2 });
    expect(await peakOf(path)).toBeLessThan(0);
    expect([...notes]).toEqual([]);
  });

  it.each([
    ["mono", "FL", "m4a"],
    ["stereo", "BL+BR", "opus"],
  ])("of one or two other speakers were refused, and are %s (%s) in %s", async (plain, layout, to) => {
    const path = pathOf("others.wav");
    const sources = layout
      .split("+")
      .map((_place, index) => `sin(${440 * (index + 1)}*2*PI*t)`)
      .join("|");
    await ffmpeg(...words("-f lavfi -i"), `aevalsrc=${sources}:c=${layout}:d=0.5:s=48000`, path);
    expect(await told((await convert(path, "wav", to)).path, "a:0", "channel_layout")).toEqual([plain]);
  });

  it.each(["5.1(side)", "5.0(side)"])("of AC-3 and DTS (%s) have their usual places in AAC", async (layout) => {
    const path = pathOf("side.wav");
    const sources = Array.from({ length: layout.startsWith("5.1") ? 6 : 5 }, (_none, index) => `0.2*sin(${440 * (index + 1)}*2*PI*t)`);
    await ffmpeg(...words("-f lavfi -i"), `aevalsrc=${sources.join("|")}:c=${layout}:d=0.5:s=48000`, path);
    const { path: made, notes } = await convert(path, "wav", "m4a");
    expect(await told(made, "a:0", "channel_layout")).toEqual([layout.slice(0, 3)]);
    expect([...notes]).toEqual([]);
  });

  /** Noise as a RIFF file whose header declares no channel layout, as recorders write it. */
  async function unnamed(channels: number): Promise<string> {
    const samples = Buffer.alloc(4410 * channels * 2);
    for (let at = 0; at < samples.length; at += 2) samples.writeInt16LE(((at * 7919) % 18_000) - 9000, at);
    const header = Buffer.alloc(44);
    header.write("RIFF\0\0\0\0WAVEfmt ", "latin1");
    header.writeUInt32LE(36 + samples.length, 4);
    header.writeUInt32LE(16, 16);
    header.writeUInt16LE(1, 20);
    header.writeUInt16LE(channels, 22);
    header.writeUInt32LE(44_100, 24);
    header.writeUInt32LE(44_100 * channels * 2, 28);
    header.writeUInt16LE(channels * 2, 32);
    header.writeUInt16LE(16, 34);
    header.write("data", 36, "latin1");
    header.writeUInt32LE(samples.length, 40);
    const path = pathOf(`unnamed-${channels}.wav`);
    await writeFile(path, Buffer.concat([header, samples]));
    return path;
  }

  const many = [3, 4, 5, 6, 7, 8].flatMap((channels) => ["flac", "alac", "wv", "tta", "caf", "aiff"].map((to) => [channels, to] as const));
  // FFmpeg does not read five of them.
  it.each(many.filter(([channels, to]) => channels !== 5 || to !== "tta"))(
    "of which the file names no places, %d, stay as they are in %s",
    async (channels, to) => {
      const source = await unnamed(channels);
      const { path, notes } = await convert(source, "wav", to);
      expect(await digestOf(path)).toBe(await digestOf(source));
      expect([...notes]).toEqual([]);
    },
  );

  it.each([3, 4, 6, 8].flatMap((channels) => ["opus", "ogg", "m4a"].map((to) => [channels, to] as const)))(
    "of which the file names no places, %d, stay as many in %s",
    async (channels, to) => {
      const { path } = await convert(await unnamed(channels), "wav", to);
      expect(await told(path, "a:0", "channels")).toEqual([String(channels)]);
    },
  );

  it("that nobody could read back are refused", async () => {
    await expect(convert(await unnamed(5), "wav", "tta")).rejects.toMatchObject({ code: "CONVERSION_FAILED" });
  });

  it("of a recorder are kept or refused", async () => {
    const source = await unnamed(10);
    expect(await digestOf((await convert(source, "wav", "caf")).path)).toBe(await digestOf(source));
    for (const to of ["flac", "mp3", "m4a"]) {
      await expect(convert(source, "wav", to)).rejects.toMatchObject({
        code: "INPUT_TOO_COMPLEX",
        message: expect.stringContaining("CAF"),
      });
    }
  });
});

describe("the sample rate", () => {
  it.each([
    [96_000, "wma", "48000"],
    [88_200, "wma", "44100"],
    [96_000, "mp3", "48000"],
    [192_000, "m4a", "96000"],
    [192_000, "mp2", "48000"],
    [22_050, "ac3", "32000"],
    [384_000, "ogg", "192000"],
    [705_600, "flac", "352800"],
    [44_100, "opus", "48000"],
  ])("%d in %s becomes %s with a note", async (rate, to, written) => {
    const { path, notes } = await convert(await tone("rate.wav", "pcm_s16le", { rate }), "wav", to);
    expect(await told(path, "a:0", "sample_rate")).toEqual([written]);
    expect(notes.get("MEDIA_CHANGED")).toContain(`Sample rate: ${written} instead of ${rate}.`);
  });

  it("is what was asked for, or the option is refused", async () => {
    const source = await tone("rate.wav", "pcm_s16le");
    expect([...(await convert(source, "wav", "mp3", { sampleRate: "22050" })).notes]).toEqual([]);
    const refused = convert(source, "wav", "mp3", { sampleRate: "96000" });
    await expect(refused).rejects.toMatchObject({
      code: "INVALID_OPTION",
      message: expect.stringMatching(/; it supports \S/),
      details: { option: "sampleRate" },
    });
  });

  it("of sound whose loudness is changed stays as it is", async () => {
    const { path } = await convert(await tone("rate.wav", "pcm_s16le", { rate: 96_000 }), "wav", "flac", { normalise: true });
    expect(await told(path, "a:0", "sample_rate")).toEqual(["96000"]);
  });
});

describe("the beginning", () => {
  /** A tone that starts at full level, so that its first sample shows. */
  async function startOf(path: string): Promise<number> {
    const raw = `${path}.raw`;
    await ffmpeg("-i", path, ...words("-map 0:a:0 -ac 1 -f s16le"), raw);
    const bytes = await readFile(raw);
    for (let at = 0; at + 1 < bytes.length; at += 2) if (Math.abs(bytes.readInt16LE(at)) > 10_000) return at / 2;
    return -1;
  }

  async function late(rate: number): Promise<string> {
    const path = pathOf("late.wav");
    await ffmpeg(...words("-f lavfi -i"), `aevalsrc=if(lt(t\\,0.25)\\,0\\,0.9*cos(1000*2*PI*(t-0.25))):d=1:s=${rate}`, path);
    return path;
  }

  it.each([
    [48_000, "mp3"],
    [48_000, "m4a"],
    [48_000, "opus"],
    [48_000, "ogg"],
    [48_000, "wma"],
    [44_100, "wma"],
    [22_050, "wma"],
    [8_000, "wma"],
  ])("of sound of %d Hz stays where it is in %s", async (rate, to) => {
    const { path } = await convert(await late(rate), "wav", to);
    expect(Math.abs((await startOf(path)) - rate / 4)).toBeLessThan(rate / 400);
  });

  it("of sound in WMA is not left out", async () => {
    const { path } = await convert(await tone("whole.wav", "pcm_s16le", { loudness: 0.9 }), "wav", "wma");
    expect(await startOf(path)).toBeLessThan(100);
  });

  it.each([["aac", 1024] as const, ["ac3", 256] as const, ["mp2", 481] as const])(
    "of %s is said to be %d samples later",
    async (to, samples) => {
      const { path, notes } = await convert(await late(48_000), "wav", to);
      expect(notes.get("MEDIA_CHANGED")).toContain(`starts ${samples} samples later`);
      expect(Math.abs((await startOf(path)) - 12_000 - samples)).toBeLessThan(100);
    },
  );
});

it("encodes one channel that declares no layout, as Speex does", async () => {
  const { path } = await convert("test/corpus/typical/audio/typical.spx", "spx", "m4a");
  expect(Math.abs((await peakOf(path)) - (await peakOf("test/corpus/typical/audio/typical.spx")))).toBeLessThan(1);
});
