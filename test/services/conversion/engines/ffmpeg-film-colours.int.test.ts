/** The colours of films, told by numbers against a picture of the same colours. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ffmpegEngine } from "#services/conversion/engines/ffmpeg.ts";
import { type Bench, openBench } from "#test/contract/engine.ts";

const execute = promisify(execFile);
let bench: Bench;
beforeAll(async () => {
  bench = await openBench(ffmpegEngine);
});
afterAll(() => bench[Symbol.asyncDispose]());

const words = (text: string): readonly string[] => text.split(" ");

async function ffmpeg(...args: readonly string[]): Promise<string> {
  return (await execute("ffmpeg", ["-nostdin", "-hide_banner", "-y", ...args])).stderr;
}

async function told(path: string, ...names: readonly string[]): Promise<readonly string[]> {
  const args = ["-v", "error", "-select_streams", "v:0", "-show_entries", `stream=${names.join(",")}`, "-of", "json"];
  const [stream] = JSON.parse((await execute("ffprobe", [...args, path])).stdout).streams;
  return names.map((name) => String(stream[name] ?? "unknown"));
}

const bars = words("-f lavfi -i smptebars=size=320x240:rate=10:duration=1");
const standard = "format=yuv444p,setparams=colorspace=bt709:color_primaries=bt709:color_trc=bt709:range=tv";

/** How like the first frame is to the same bars as RGB, in dB. */
async function likeness(path: string, matrix: string): Promise<number> {
  const reference = join(bench.folder, "bars.png");
  await ffmpeg(...bars, "-vf", `${standard},scale=in_color_matrix=bt709,format=rgb24`, "-frames:v", "1", reference);
  // The test reads by the matrix that the file must be of, and not by what it says.
  const compare = `[0:v]scale=320:240:in_color_matrix=${matrix}:flags=area,format=rgb24[a];[a][1:v]psnr`;
  const answer = await ffmpeg("-i", path, "-i", reference, "-lavfi", compare, ...words("-frames:v 1 -f null -"));
  const average = /average:(\S+)/.exec(answer)?.[1] ?? "";
  return average === "inf" ? 100 : Number(average);
}

describe("finding I 2: a film of high dynamic range came out as grey fog", () => {
  async function hdr(transfer: string): Promise<string> {
    const path = join(bench.folder, `${transfer}.mp4`);
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
    const result = await bench.convert(await hdr(transfer), "mp4", to);
    expect(await likeness(result.path, matrixOf[to] ?? "auto")).toBeGreaterThan(24);
    const [found] = await told(result.path, "color_transfer");
    expect(["unknown", "bt709", "iec61966-2-1"]).toContain(found);
    expect(result.notes.has("PROFILE_CONVERTED")).toBe(true);
  });

  it("to MOV with another codec says what it is", async () => {
    const { path } = await bench.convert(await hdr("smpte2084"), "mp4", "mov", { videoCodec: "h264" });
    expect(await told(path, "pix_fmt", "color_space", "color_transfer", "color_primaries")).toEqual(["yuv420p", "bt709", "bt709", "bt709"]);
  });

  it.each(["hevc", "av1"])("stays as it is, with ten bits, in %s", async (videoCodec) => {
    const result = await bench.convert(await hdr("smpte2084"), "mp4", "mkv", { videoCodec, width: 160 });
    expect(await told(result.path, "pix_fmt", "color_space", "color_transfer", "color_primaries")).toEqual([
      "yuv420p10le",
      "bt2020nc",
      "smpte2084",
      "bt2020",
    ]);
    expect(result.notes.has("PROFILE_CONVERTED")).toBe(false);
  });
});
