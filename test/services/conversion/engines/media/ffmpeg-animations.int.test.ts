/** Animations between animation formats: same delays, size and repetitions. */
import { readFile } from "node:fs/promises";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { execute, ffmpeg, ffmpegBench, words } from "./ffmpeg-bench.ts";

const { convert, pathOf } = ffmpegBench();

/** Three frames with delays in hundredths of a second; 0 plays means forever. */
async function gif(plays: number, delays = [7, 13, 90], size = "64x48"): Promise<string> {
  const path = pathOf("three.gif");
  const pictures = ["red", "blue", "green"].flatMap((colour, at) => ["-delay", String(delays[at]), `xc:${colour}`]);
  await execute("convert-im6.q16", ["-size", size, ...pictures, "-loop", String(plays), path]);
  return path;
}

/** The same as PNG. */
async function apng(plays: number, delays?: number[], size?: string): Promise<string> {
  const path = pathOf("three.apng");
  const times = words(`-vsync vfr -enc_time_base 1:100 -plays ${plays} -final_delay ${delays?.[2] ?? 90}/100 -f apng`);
  await ffmpeg("-i", await gif(plays, delays, size), ...times, path);
  return path;
}

/** From acTL and fcTL: plays, and delays in hundredths of a second. */
async function apngFacts(path: string): Promise<{ readonly plays: number; readonly delays: readonly number[] }> {
  const bytes = await readFile(path);
  const delays: number[] = [];
  for (let at = bytes.indexOf("fcTL"); at >= 0; at = bytes.indexOf("fcTL", at + 1)) {
    delays.push(Number(((bytes.readUInt16BE(at + 24) * 100) / bytes.readUInt16BE(at + 26)).toFixed(3)));
  }
  return { plays: bytes.readUInt32BE(bytes.indexOf("acTL") + 8), delays };
}

const secondsOf = async (path: string): Promise<number> =>
  Number((await execute("ffprobe", words("-v error -show_entries format=duration -of csv=p=0").concat(path))).stdout);

describe.each([0, 1, 3])("played %d times", (plays) => {
  it("GIF becomes APNG with all of its times", async () => {
    const { path, notes } = await convert(await gif(plays), "gif", "apng");
    expect(await apngFacts(path)).toEqual({ plays, delays: [7, 13, 90] });
    expect([...notes]).toEqual([]);
  });

  it("APNG becomes GIF with all of its times and points", async () => {
    const { path, notes } = await convert(await apng(plays, [7, 13, 90], "600x50"), "apng", "gif");
    const { delay, loop, width, pageHeight } = await sharp(path, { pages: -1 }).metadata();
    expect({ delay, loop, width, pageHeight }).toEqual({ delay: [70, 130, 900], loop: plays, width: 600, pageHeight: 50 });
    expect([...notes]).toEqual([]);
  });
});

it.each(["apng", "mp4", "webm"])("is not called damaged where one picture is shown longer than all others: %s", async (to) => {
  for (const delays of [
    [10, 10, 500],
    [500, 10, 10],
  ]) {
    const { path, notes } = await convert(await gif(0, delays), "gif", to);
    expect(notes.has("INPUT_DAMAGED")).toBe(false);
    if (to === "apng") expect((await apngFacts(path)).delays).toEqual(delays);
    else expect(await secondsOf(path)).toBeCloseTo(5.2, 1);
  }
});

it("APNG becomes GIF with the very colours of its pictures, up to 255", async () => {
  const { path } = await convert(await apng(0), "apng", "gif");
  const { data, info } = await sharp(path, { pages: -1 }).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const at = (picture: number) => [...data.subarray(picture * 48 * info.width * 3, picture * 48 * info.width * 3 + 3)];
  expect([at(0), at(1), at(2)]).toEqual([
    [255, 0, 0],
    [0, 0, 255],
    [0, 128, 0],
  ]);
});

it("APNG of thousandths of a second says that a GIF has hundredths", async () => {
  const path = pathOf("thirty.apng");
  await ffmpeg(...words("-f lavfi -i testsrc=size=64x48:rate=30:duration=1 -plays 0 -f apng"), path);
  const { notes } = await convert(path, "apng", "gif");
  expect(notes.get("MEDIA_CHANGED")).toBe("Frame times were rounded to hundredths of a second.");
});

it("obeys what somebody asks for instead", async () => {
  const { path } = await convert(await apng(0, [50, 50, 50]), "apng", "gif", { fps: 10, width: 32, loop: 2 });
  expect(await sharp(path, { pages: -1 }).metadata()).toMatchObject({ width: 32, loop: 2, pages: 15 });
});

it("a film says what an animation has less of", async () => {
  const path = pathOf("film.mp4");
  await ffmpeg(...words("-f lavfi -i testsrc2=size=640x48:rate=30:duration=1 -pix_fmt yuv420p"), path);
  for (const to of ["gif", "webp"]) {
    const { notes } = await convert(path, "mp4", to);
    expect(notes.get("MEDIA_CHANGED")).toBe("The animation has 12 frames per second instead of 30 and 480 pixels of width instead of 640.");
    expect([...(await convert(path, "mp4", to, { fps: 30, width: 640 })).notes]).toEqual([]);
  }
});

describe("of an APNG", () => {
  const clear = async (opacity: number): Promise<string> => {
    const path = pathOf("clear.apng");
    const source = ["-f", "lavfi", "-i", `color=red:size=64x48:rate=5:duration=1,format=rgba,colorchannelmixer=aa=${opacity}`];
    await ffmpeg(...source, ...words("-plays 1 -f apng"), path);
    return path;
  };

  it("which is not transparent nothing is flattened", async () => {
    expect([...(await convert(await clear(1), "apng", "mp4")).notes]).toEqual([]);
  });

  it("which is a little transparent that is noted", async () => {
    expect((await convert(await clear(0.97), "apng", "mp4")).notes.has("ALPHA_FLATTENED")).toBe(true);
  });
});
