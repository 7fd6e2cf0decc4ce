/** Film colours, measured against a picture of the same colours. */
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { execute, ffmpeg, ffmpegBench, told, words } from "./ffmpeg-bench.ts";

const { convert, pathOf } = ffmpegBench();

const bars = words("-f lavfi -i smptebars=size=320x240:rate=10:duration=1");
const standard = "format=yuv444p,setparams=colorspace=bt709:color_primaries=bt709:color_trc=bt709:range=tv";

/** Similarity of the first frame to the same bars in RGB, in dB. */
async function likeness(path: string, matrix: string): Promise<number> {
  const reference = pathOf("bars.png");
  await ffmpeg(...bars, "-vf", `${standard},scale=in_color_matrix=bt709,format=rgb24`, "-frames:v", "1", reference);
  // The test decodes with the matrix that the file should have, whatever it declares.
  const compare = `[0:v]scale=320:240:in_color_matrix=${matrix}:flags=area,format=rgb24[a];[a][1:v]psnr`;
  const answer = await ffmpeg("-i", path, "-i", reference, "-lavfi", compare, ...words("-frames:v 1 -f null -"));
  const average = /average:(\S+)/.exec(answer)?.[1] ?? "";
  return average === "inf" ? 100 : Number(average);
}

describe("a film of high dynamic range is mapped to standard range", () => {
  async function hdr(transfer: string): Promise<string> {
    const path = pathOf(`${transfer}.mp4`);
    const light = "zscale=matrixin=bt709:transferin=bt709:primariesin=bt709:rangein=tv:t=linear:npl=203,format=gbrpf32le";
    const wide = `zscale=p=bt2020:t=${transfer}:m=bt2020nc:r=tv:npl=203,format=yuv420p10le`;
    const encoder = words("-c:v libx265 -x265-params log-level=error:lossless=1 -tag:v hvc1");
    await ffmpeg(...bars, "-vf", `${standard},${light},${wide}`, ...encoder, path);
    return path;
  }

  const matrixOf: Readonly<Record<string, string>> = {
    jpg: "bt601",
    webp: "bt601",
    avi: "bt601",
    ogv: "bt601",
    webm: "bt709",
    mpg: "bt709",
  };
  const targets = ["jpg", "png", "gif", "webp", "avi", "ogv", "webm", "mpg"].flatMap((to) =>
    ["smpte2084", "arib-std-b67"].map((transfer) => [transfer, to] as const),
  );
  it.each(targets)("%s to %s", async (transfer, to) => {
    const result = await convert(await hdr(transfer), "mp4", to);
    expect(await likeness(result.path, matrixOf[to] ?? "auto")).toBeGreaterThan(24);
    const [found] = await told(result.path, "v:0", "color_transfer");
    expect(["unknown", "bt709", "iec61966-2-1"]).toContain(found);
    expect(result.notes.has("PROFILE_CONVERTED")).toBe(true);
  });

  it("to MOV with another codec says what it is", async () => {
    const { path } = await convert(await hdr("smpte2084"), "mp4", "mov", { videoCodec: "h264" });
    expect(await told(path, "v:0", "pix_fmt", "color_space", "color_transfer", "color_primaries")).toEqual([
      "yuv420p",
      "bt709",
      "bt709",
      "bt709",
    ]);
  });

  it.each(["hevc", "av1"])("stays as it is, with ten bits, in %s", async (videoCodec) => {
    const result = await convert(await hdr("smpte2084"), "mp4", "mkv", { videoCodec, width: 160 });
    expect(await told(result.path, "v:0", "pix_fmt", "color_space", "color_transfer", "color_primaries")).toEqual([
      "yuv420p10le",
      "bt2020nc",
      "smpte2084",
      "bt2020",
    ]);
    expect(result.notes.has("PROFILE_CONVERTED")).toBe(false);
  });

  /** What the first frame declares about the display on which it was mastered: place of red, brightest and darkest, and its content. */
  async function lightOf(path: string): Promise<readonly number[]> {
    const { stdout } = await execute("ffprobe", [...words("-v error -select_streams v:0 -read_intervals %+#1 -show_frames"), path]);
    return ["red_x", "max_luminance", "min_luminance", "max_content", "max_average"].map((name) => {
      const [above, below = 1] = (new RegExp(`^${name}=(.*)$`, "m").exec(stdout)?.[1] ?? "").split("/").map(Number);
      return Number(((above ?? 0) / below).toFixed(3));
    });
  }

  it.each([
    ["hevc", "mkv"],
    ["av1", "mkv"],
    ["prores", "mov"],
  ])("lost the brightness of its display (HDR10) in silence in %s", async (videoCodec, to) => {
    const path = pathOf("hdr10.mp4");
    const light = "hdr10=1:master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,50):max-cll=1000,400";
    const colours = "colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc";
    const encoder = words("-pix_fmt yuv420p10le -c:v libx265 -tag:v hvc1 -x265-params");
    await ffmpeg(...bars, ...encoder, `log-level=error:${colours}:${light}`, path);
    const { path: made, notes } = await convert(path, "mp4", to, { videoCodec, crf: 30 });
    if (to === "mkv") expect(await lightOf(made)).toEqual([0.68, 1000, 0.005, 1000, 400]);
    else expect(notes.get("METADATA_DROPPED")).toMatch(/^The brightness of the display/);
  });
});

describe("a film's pixels are read by its own matrix", () => {
  it.each(["jpg", "png", "gif", "webp", "avi"])("BT.709 to %s", async (to) => {
    const path = pathOf("high.mp4");
    const encoder = words("-c:v libx264 -qp 0 -pix_fmt yuv444p");
    await ffmpeg(...bars, "-vf", standard, ...encoder, path);
    const result = await convert(path, "mp4", to);
    expect(await likeness(result.path, to === "png" || to === "gif" ? "auto" : "bt601")).toBeGreaterThan(to === "gif" ? 28 : 30);
  });

  it.each([
    [240, "smpte170m"],
    [720, "bt709"],
  ] as const)("RGB of %d lines to MP4 is tagged with %s", async (lines, matrix) => {
    const path = pathOf(`rgb-${lines}.mov`);
    await ffmpeg(...bars, "-vf", `${standard},scale=320:${lines}:in_color_matrix=bt709:flags=neighbor,format=rgb24`, "-c:v", "qtrle", path);
    const result = await convert(path, "mov", "mp4");
    expect(await told(result.path, "v:0", "pix_fmt", "color_space", "color_range")).toEqual(["yuv420p", matrix, "tv"]);
    expect(await likeness(result.path, matrix === "bt709" ? "bt709" : "bt601")).toBeGreaterThan(26);
  });

  it("full range is not cut to that of video", async () => {
    const path = pathOf("full.mp4");
    await ffmpeg(...bars, "-vf", `${standard},scale=out_range=pc,format=yuvj420p`, ...words("-c:v libx264 -qp 1"), path);
    const result = await convert(path, "mp4", "avi");
    expect(await likeness(result.path, "bt601")).toBeGreaterThan(26);
  });

  it.each([
    ["3/2", true],
    ["8/9", true],
    ["64/45", false],
  ] as const)("an anamorphic film whose pixels are %s to MPEG-2 keeps its shape", async (pixel, isScaled) => {
    const path = pathOf("shape.mkv");
    await ffmpeg(...bars, "-vf", `scale=180:144,setsar=${pixel}`, ...words("-c:v libx264 -pix_fmt yuv420p"), path);
    const result = await convert(path, "mkv", "mpg");
    const shape = async (file: string): Promise<number> => {
      const [width = "", height = "", pixel = ""] = await told(file, "v:0", "width", "height", "sample_aspect_ratio");
      const [across = 1, down = 1] = pixel.split(":").map(Number);
      return (Number(width) * across) / (Number(height) * down);
    };
    expect(Math.abs((await shape(result.path)) / (await shape(path)) - 1)).toBeLessThan(0.015);
    expect(/Frame size/.test(result.notes.get("MEDIA_CHANGED") ?? "")).toBe(isScaled);
  });

  it.each(["jpg", "png", "gif", "webp"])("an anamorphic film to %s has square pixels", async (to) => {
    const path = pathOf("wide.mp4");
    await ffmpeg(...bars, "-vf", "scale=180:144,setsar=64/45", ...words("-c:v libx264 -pix_fmt yuv420p"), path);
    const result = await convert(path, "mp4", to);
    if (to === "webp") expect(await sizeOf(result.path)).toEqual([256, 144]);
    else expect((await told(result.path, "v:0", "width", "height")).map(Number)).toEqual([256, 144]);
  });

  const sizeOf = async (path: string): Promise<readonly (number | undefined)[]> => {
    const { width, pageHeight, height } = await sharp(path).metadata();
    return [width, pageHeight ?? height];
  };

  it.each(["jpg", "png"])("a still to %s is not black where the film begins so", async (to) => {
    const path = pathOf("dark.mkv");
    const dark = words("-f lavfi -i color=black:size=320x240:rate=10:duration=1.3");
    await ffmpeg(...dark, ...bars, "-filter_complex", "[0:v][1:v]concat", ...words("-c:v libx264 -pix_fmt yuv420p"), path);
    const brightness = async (options: { at?: number }): Promise<number> => {
      const { channels } = await sharp((await convert(path, "mkv", to, options)).path).stats();
      return Math.max(...channels.map(({ mean }) => mean));
    };
    expect(await brightness({})).toBeGreaterThan(60);
    expect(await brightness({ at: 0.5 })).toBeLessThan(3);
  });

  it.each(["jpg", "png"])("a film that is all black still makes a %s", async (to) => {
    const path = pathOf("black.mp4");
    await ffmpeg(...words("-f lavfi -i color=black:size=32x32:rate=10:duration=1 -c:v libx264 -pix_fmt yuv420p"), path);
    const { channels } = await sharp((await convert(path, "mp4", to)).path).stats();
    expect(Math.max(...channels.map(({ mean }) => mean))).toBeLessThan(3);
  });
});
