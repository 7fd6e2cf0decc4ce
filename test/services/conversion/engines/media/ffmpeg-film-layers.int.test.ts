/** Films with more than plain frames: with an alpha channel, or interlaced. */
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { execute, ffmpeg, ffmpegBench, words } from "./ffmpeg-bench.ts";

const { convert, pathOf } = ffmpegBench();

describe.each(["libvpx-vp9", "libvpx"])("transparency of a film encoded by %s is", (encoder) => {
  /** The left half is red, the right one transparent. */
  async function halfRed(): Promise<string> {
    const path = pathOf(`${encoder}.webm`);
    const alpha = "format=yuva420p,geq=lum='p(X,Y)':cb='cb(X,Y)':cr='cr(X,Y)':a='if(lt(X,32),255,0)'";
    await ffmpeg(
      ...words("-f lavfi -i color=red:size=64x48:rate=10:duration=1"),
      "-vf",
      alpha,
      "-c:v",
      encoder,
      ...words("-auto-alt-ref 0"),
      path,
    );
    return path;
  }

  it.each(["png", "gif", "webp"])("kept in %s", async (to) => {
    const { path } = await convert(await halfRed(), "webm", to);
    const { data, info } = await sharp(path).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
    const alphaAt = (x: number) => data[(24 * info.width + x) * 4 + 3];
    expect([alphaAt(8), alphaAt(56)]).toEqual([255, 0]);
  });

  it.each(["jpg", "mp4", "mov"])("flattened with a note in %s", async (to) => {
    const { path, notes } = await convert(await halfRed(), "webm", to);
    const still = pathOf("still.png");
    await ffmpeg("-i", path, "-frames:v", "1", still);
    const { data, info } = await sharp(still).removeAlpha().raw().toBuffer({ resolveWithObject: true });
    const greenAt = (x: number) => data[(24 * info.width + x) * 3 + 1] ?? Number.NaN;
    expect(greenAt(8)).toBeLessThan(30);
    expect(greenAt(56)).toBeGreaterThan(240);
    expect(notes.has("ALPHA_FLATTENED")).toBe(true);
  });
});

it.each([102, 255])("a film that is partly transparent, by %d of 255, is hardened in a GIF with a note", async (alpha) => {
  const path = pathOf("veiled.mov");
  const veil = `format=argb,geq=r=255:g=0:b=0:a=${alpha}`;
  await ffmpeg(...words("-f lavfi -i color=red:size=64x48:rate=5:duration=1"), "-vf", veil, ...words("-c:v qtrle"), path);
  expect((await convert(path, "mov", "gif")).notes.has("ALPHA_FLATTENED")).toBe(alpha === 102);
});

describe("a film with an alpha channel that is opaque", () => {
  it.each([
    ["avi", "-pix_fmt pal8 -c:v rawvideo"],
    ["mov", "-pix_fmt argb -c:v qtrle"],
  ])("was said to be flattened: %s", async (from, coding) => {
    const path = pathOf(`opaque.${from}`);
    await ffmpeg(...words("-f lavfi -i testsrc2=size=64x48:rate=10:duration=1"), ...words(coding), path);
    expect((await convert(path, from, "mp4")).notes.has("ALPHA_FLATTENED")).toBe(false);
  });

  it("and one that does is still flattened", async () => {
    const path = pathOf("clear.mov");
    const source = "color=red:size=64x48:rate=10:duration=1,format=argb,colorchannelmixer=aa=0.5";
    await ffmpeg("-f", "lavfi", "-i", source, "-c:v", "qtrle", path);
    expect((await convert(path, "mov", "mp4")).notes.has("ALPHA_FLATTENED")).toBe(true);
  });
});

describe("an interlaced film comes out without combing", () => {
  const sources = {
    mpg: "-c:v mpeg2video -flags +ildct+ilme -q:v 3",
    dv: "-target pal-dv",
    mkv: "-c:v libx264 -x264-params interlaced=1:tff=1 -pix_fmt yuv420p",
  } as const;
  /** Moving bars at fifty fields per second. */
  const moving = "testsrc2=size=720x576:rate=50:duration=1";

  async function interlaced(from: keyof typeof sources): Promise<string> {
    const path = pathOf(`fields.${from}`);
    const [mode, field] = from === "dv" ? ["interleave_bottom", "bff"] : ["interleave_top", "tff"];
    const filters = `tinterlace=${mode},setfield=${field}`;
    await ffmpeg("-f", "lavfi", "-i", moving, "-vf", filters, ...words(sources[from]), "-r", "25", path);
    return path;
  }

  /** Number of frames that FFmpeg's filter detects as interlaced. */
  async function combed(path: string): Promise<number> {
    const answer = await ffmpeg("-i", path, ...words("-an -vf setfield=prog,idet -f null -"));
    const [, top = "", bottom = ""] = /Multi frame detection: TFF: *(\d+) BFF: *(\d+)/.exec(answer) ?? [];
    return Number(top) + Number(bottom);
  }

  it.each([
    ["mpg", "mp4"],
    ["mpg", "webm"],
    ["dv", "mp4"],
    ["mkv", "avi"],
  ] as const)("%s to %s", async (from, to) => {
    const source = await interlaced(from);
    const before = await combed(source);
    expect(before).toBeGreaterThan(15);
    const { path, notes } = await convert(source, from, to);
    expect(notes.get("MEDIA_CHANGED")).toContain("Frames: progressive instead of interlaced.");
    // The filter always takes a few of the sample's thin lines for combing.
    expect(await combed(path)).toBeLessThan(before / 3);
    const args = words("-v error -select_streams v:0 -show_entries frame=interlaced_frame -read_intervals %+#3 -of csv=p=0");
    const flags = (await execute("ffprobe", [...args, path])).stdout.match(/[01]/g) ?? [];
    expect(flags.length).toBeGreaterThan(0);
    expect(flags.filter((flag) => flag !== "0")).toEqual([]);
  });

  it("a grey film has no note about colours", async () => {
    const path = pathOf("grey.avi");
    await ffmpeg("-f", "lavfi", "-i", "testsrc2=size=64x48:rate=5:duration=1", ...words("-pix_fmt gray -c:v rawvideo"), path);
    expect([...(await convert(path, "avi", "mp4")).notes]).toEqual([]);
  });

  it("leaves a progressive film as it is", async () => {
    const path = pathOf("whole.mpg");
    await ffmpeg("-f", "lavfi", "-i", "testsrc2=size=320x240:rate=25:duration=1", ...words("-c:v mpeg2video -q:v 2"), path);
    const result = await convert(path, "mpg", "mp4", { crf: 12 });
    const answer = await ffmpeg("-i", result.path, "-i", path, ...words("-lavfi ssim -f null -"));
    expect(Number(/All:(\S+)/.exec(answer)?.[1])).toBeGreaterThan(0.97);
  });
});

it.each(["gif", "webp", "png"])("a film of odd height keeps it in %s", async (to) => {
  const path = pathOf("odd.mp4");
  await ffmpeg(...words("-f lavfi -i testsrc2=size=121x67:rate=5:duration=1 -pix_fmt yuv444p -c:v libx264"), path);
  const { width, height, pageHeight } = await sharp((await convert(path, "mp4", to)).path, { animated: true }).metadata();
  expect([width, pageHeight ?? height]).toEqual([121, 67]);
});
