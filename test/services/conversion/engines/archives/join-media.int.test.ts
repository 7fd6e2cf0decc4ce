/** Sounds, animations and films from several files: nothing of a part changes unless it is named. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { joinMediaEngine } from "#services/conversion/engines/archives/join-media.ts";
import { seconds, stream } from "#test/contract/options/effect.ts";
import { joining } from "#test/services/conversion/engines/archives/joining.ts";
import { halfTransparent } from "#test/services/conversion/engines/pictures/picture-samples.ts";

const run = promisify(execFile);
const picture = (width: number, height: number, background: string) =>
  sharp({ create: { width, height, channels: 3, background } })
    .png()
    .toBuffer();
const { folder, join: made } = joining(joinMediaEngine);

/** A file that ffmpeg writes, with its name in the archive. */
async function part(name: string, ...args: readonly string[]) {
  const path = join(folder(), name);
  await run("ffmpeg", ["-nostdin", "-v", "error", "-y", ...args, "-bitexact", path]);
  return { name, content: await readFile(path) };
}

const drawn = (size: string, rate: number) => ["-f", "lavfi", "-i", `testsrc2=size=${size}:rate=${rate}:duration=1`];
const tone = (rate: number, length: number) => ["-f", "lavfi", "-i", `sine=r=${rate}:d=${length}`];
const plain = ["-pix_fmt", "yuv420p"];

/** Red, green and blue in the middle of a frame, read with the matrix of high definition. */
async function middle(path: string, at: number): Promise<readonly number[]> {
  const filter = "scale=in_color_matrix=bt709,format=rgb24,crop=1:1:(iw-1)/2:(ih-1)/2";
  const args = ["-v", "error", "-ss", String(at), "-i", path, "-frames:v", "1", "-vf", filter, "-f", "rawvideo", "-"];
  return [...(await run("ffmpeg", args, { encoding: "buffer" })).stdout];
}

describe("engine join-media, animations", () => {
  it("shows pictures of any shape for the requested time", async () => {
    const parts = [
      { name: "1.png", content: await picture(64, 48, "red") },
      { name: "2.png", content: await picture(30, 90, "blue") },
      { name: "3.png", content: await halfTransparent().png().toBuffer() },
    ];
    const { path, notes } = await made(parts, "gif", { seconds: 0.5 });
    const { pages, width, height, delay, loop } = await sharp(path, { pages: -1 }).metadata();
    expect({ pages, width, height: Number(height) / Number(pages), delay, loop }).toEqual({
      pages: 3,
      width: 64,
      height: 48,
      delay: [500, 500, 500],
      loop: 0,
    });
    expect(notes.get("ENTRIES_CHANGED")).toMatch(/^2\.png: Fitted into 64 × 48 pixels\. 3\.png: .*Transparency was replaced with black\.$/);
  });

  it("shows the colours of a picture with a profile", async () => {
    const wide = await sharp({ create: { width: 32, height: 32, channels: 3, background: { r: 200, g: 50, b: 50 } } })
      .withIccProfile("p3")
      .png()
      .toBuffer();
    const { path, notes } = await made([{ name: "wide.png", content: wide }], "gif");
    const [red = 0, green = 0, blue = 0] = await sharp(path).removeAlpha().raw().toBuffer();
    expect([Math.abs(red - 200), Math.abs(green - 50), Math.abs(blue - 50)].every((difference) => difference <= 3)).toBe(true);
    expect(notes.get("ENTRIES_CHANGED")).toContain("sRGB");
  });
});

describe("engine join-media, films", () => {
  it("joins pictures and films with and without sound", async () => {
    const { path, notes } = await made(
      [
        { name: "1.png", content: await picture(64, 48, "red") },
        await part("2.mp4", ...drawn("64x48", 10), ...plain),
        await part("3.mp4", ...drawn("96x64", 30), ...tone(44_100, 1), ...plain),
      ],
      "mp4",
      { seconds: 2 },
    );
    expect(await seconds(path)).toBeCloseTo(4, 1);
    expect([await stream("v", "width")(path), await stream("a", "codec_name")(path)]).toEqual(["64", "aac"]);
    expect(notes.get("ENTRIES_CHANGED")).toBe("2.mp4: Shown at 30 frames per second. 3.mp4: Fitted into 64 × 48 pixels.");
  });

  it("keeps the length and the rate of films that agree", async () => {
    const parts = [];
    for (const name of ["1.mp4", "2.mp4", "3.mp4"]) parts.push(await part(name, ...drawn("64x48", 25), ...tone(44_100, 1), ...plain));
    const { path, notes } = await made(parts, "mp4");
    expect([await stream("v", "nb_frames")(path), await stream("v", "r_frame_rate")(path)]).toEqual(["75", "25/1"]);
    expect(Math.abs((await seconds(path)) - 3)).toBeLessThan(0.01);
    expect([...notes]).toEqual([]);
  });

  it("shows a picture for the requested time beside a film of few frames", async () => {
    const slow = await part("2.mp4", "-f", "lavfi", "-i", "testsrc2=size=64x48:rate=1/5:duration=10", ...plain);
    const { path } = await made([{ name: "1.png", content: await picture(64, 48, "red") }, slow], "mp4", { seconds: 2 });
    expect(Math.abs((await seconds(path)) - 12)).toBeLessThan(0.1);
  });

  it("shows a picture and a film in the same colours", async () => {
    const red = { r: 200, g: 50, b: 50 };
    const still = sharp({ create: { width: 1280, height: 720, channels: 3, background: red } }).png();
    const source = ["-f", "lavfi", "-i", "color=c=0xC83232:s=1280x720:r=30:d=1,format=rgb24,scale=out_color_matrix=bt709,format=yuv420p"];
    const film = await part("2.mp4", ...source, ...["-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709"]);
    const { path } = await made([{ name: "1.png", content: await still.toBuffer() }, film], "mp4", { seconds: 1 });
    for (const at of [0.5, 1.5]) {
      const [r = 0, g = 0, b = 0] = await middle(path, at);
      expect([Math.abs(r - 200), Math.abs(g - 50), Math.abs(b - 50)].every((difference) => difference <= 3)).toBe(true);
    }
    expect(await stream("v", "color_space")(path)).toBe("bt709");
  });

  it("keeps the shape of a film whose pixels are not square", async () => {
    const { path } = await made([await part("1.mp4", ...drawn("64x48", 30), "-vf", "setsar=2/1", ...plain)], "mp4");
    expect([await stream("v", "width")(path), await stream("v", "height")(path)]).toEqual(["128", "48"]);
  });

  it("maps a film of high dynamic range", async () => {
    const colours = "colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc:log-level=none";
    const tags = ["-color_primaries", "bt2020", "-color_trc", "smpte2084", "-colorspace", "bt2020nc"];
    const deep = ["-c:v", "libx265", "-x265-params", colours, "-pix_fmt", "yuv420p10le", ...tags];
    const { path, notes } = await made([await part("1.mp4", ...drawn("64x48", 30), ...deep)], "mp4");
    expect(await stream("v", "color_transfer")(path)).toBe("smpte170m");
    expect(notes.get("ENTRIES_CHANGED")).toBe("1.mp4: High dynamic range was mapped to standard dynamic range (BT.709).");
  });

  it("names sound that goes on after the pictures", async () => {
    const { path, notes } = await made([await part("1.mp4", ...drawn("64x48", 30), ...tone(48_000, 3), ...plain)], "mp4");
    expect(await seconds(path)).toBeCloseTo(1, 1);
    expect(notes.get("ENTRIES_CHANGED")).toBe("1.mp4: The last 2.0 s of audio, after the pictures, were left out.");
  });

  it("names what it leaves out of a film", async () => {
    const sounds = [...tone(48_000, 1), ...tone(48_000, 1), "-map", "0", "-map", "1", "-map", "2"];
    const surround = ["-c:a", "aac", "-ac:a:0", "6", "-metadata", "title=Quokka"];
    const { path, notes } = await made([await part("1.mp4", ...drawn("64x48", 30), ...sounds, ...surround, ...plain)], "mp4");
    expect(await stream("a", "channels")(path)).toBe("2");
    expect(notes.get("ENTRIES_CHANGED")).toBe("1.mp4: Left out: 1 audio track, tags (title). The audio was mixed to stereo.");
  });
});

describe("engine join-media, sounds", () => {
  it("joins sounds of different sample rates", async () => {
    const parts = [await part("b.wav", ...tone(48_000, 0.5), "-ac", "2"), await part("a.wav", ...tone(44_100, 1), "-ac", "1")];
    const { path, notes } = await made(parts, "wav");
    expect(await seconds(path)).toBeCloseTo(1.5, 1);
    expect([await stream("a", "sample_rate")(path), await stream("a", "channels")(path)]).toEqual(["48000", "2"]);
    expect(notes.get("ENTRIES_CHANGED")).toBe("a.wav: Fitted to 48000 Hz, stereo.");
  });

  it("makes mono as loud beside stereo as it was", async () => {
    const parts = [
      await part("1.wav", ...tone(48_000, 0.5), "-ac", "1"),
      await part("2.wav", ...tone(48_000, 0.5), "-af", "volume=-20dB,pan=stereo|c0=c0|c1=c0"),
    ];
    const { path } = await made(parts, "wav");
    const { stderr } = await run("ffmpeg", ["-i", path, "-af", "astats=measure_perchannel=none", "-f", "null", "-"]);
    // A sine of FFmpeg has an eighth of full scale.
    expect(Number(/Peak level dB: (\S+)/.exec(stderr)?.[1])).toBeCloseTo(-18.06, 1);
  });

  it("keeps surround sound, and does not guess how to mix it with stereo", async () => {
    const surround = [...tone(48_000, 1), "-ac", "6", "-ar", "48000"];
    const parts = [await part("1.wav", ...surround), await part("2.wav", ...surround)];
    expect(await stream("a", "channels")((await made(parts, "wav")).path)).toBe("6");
    const stereo = await part("3.wav", ...tone(48_000, 1), "-ac", "2");
    await expect(made([...parts, stereo], "wav")).rejects.toMatchObject({ code: "INPUT_TOO_COMPLEX" });
  });

  it("keeps peaks above full scale", async () => {
    const loud = await part("1.wav", ...tone(48_000, 1), "-af", "volume=30dB", "-c:a", "pcm_f32le");
    const { path } = await made([loud, await part("2.wav", ...tone(48_000, 1))], "wav");
    expect(await stream("a", "codec_name")(path)).toBe("pcm_f32le");
    const { stderr } = await run("ffmpeg", ["-nostdin", "-i", path, "-af", "astats=measure_perchannel=none", "-f", "null", "-"]);
    expect(Number(/Peak level dB: (-?[\d.]+)/.exec(stderr)?.[1])).toBeGreaterThan(6);
  });
});
