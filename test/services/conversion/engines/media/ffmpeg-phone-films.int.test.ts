/** Films as phones write them: rotated, with a variable frame rate. And animations that only seem transparent. */
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { ffmpegEngine } from "#services/conversion/engines/media/ffmpeg.ts";
import { useBench } from "#test/contract/engine.ts";

const execute = promisify(execFile);
const bench = useBench(ffmpegEngine);

async function ffmpeg(...args: readonly string[]): Promise<void> {
  await execute("ffmpeg", ["-nostdin", "-v", "error", "-y", ...args]);
}
async function probed(path: string, sort: string, entries: string): Promise<string> {
  const args = ["-v", "error", "-select_streams", sort, "-show_entries", entries, "-of", "csv=p=0"];
  return (await execute("ffprobe", [...args, path])).stdout.trim();
}

describe("a film with a rotation in its header", () => {
  /** Whether the upper half is red and the lower one blue when a player rotates it. */
  async function halvesOf(path: string): Promise<readonly boolean[]> {
    const still = `${path}.rgb`;
    await ffmpeg("-i", path, ...words("-frames:v 1 -vf scale=1:2:flags=area -f rawvideo -pix_fmt rgb24"), still);
    const [red = 0, , , , , blue = 0] = await readFile(still);
    return [red > 128, blue > 128];
  }

  /** Half of it is red when played, and it is in portrait format. */
  async function lying(): Promise<string> {
    const [plain, path] = [join(bench.folder, "plain.mp4"), join(bench.folder, "phone.mp4")];
    await ffmpeg(
      ...words("-f lavfi -i color=red:size=80x96:rate=10:duration=1 -f lavfi -i color=blue:size=80x96:rate=10:duration=1"),
      ...words("-filter_complex hstack -pix_fmt yuv420p"),
      plain,
    );
    await ffmpeg("-i", plain, ...words("-c copy -metadata:s:v rotate=90"), path);
    return path;
  }

  it.each(["mov", "mkv", "webm", "avi", "gif", "ts", "jpg"])("is upright in a format without such a header: %s", async (to) => {
    const source = await lying();
    const { path } = await bench.convert(source, "mp4", to);
    expect(await halvesOf(path)).toEqual(await halvesOf(source));
    const shown = join(bench.folder, `${to}.png`);
    await ffmpeg("-i", path, "-frames:v", "1", shown);
    expect(await probed(shown, "v:0", "stream=width,height")).toBe("96,160");
  });
});

it("does not take the clock of a WMV for the frame rate of its only picture", async () => {
  const path = join(bench.folder, "single.mp4");
  await ffmpeg(...words("-f lavfi -i testsrc2=size=96x64:rate=25:duration=0.04 -pix_fmt yuv420p"), path);
  const { notes } = await bench.convert(path, "mp4", "wmv");
  expect(notes.get("MEDIA_CHANGED")).toBeUndefined();
});

it.each(["mkv", "webm", "avi", "mov", "mpg"])("keeps duration and step of a film whose frame rate varies: %s", async (to) => {
  const path = join(bench.folder, "varying.mp4");
  // Every frame of the first second, every fifth of the others; the sound continues.
  const frames = ["-vf", "select='lt(t,1)+not(mod(n,5))'", ...words("-vsync vfr -pix_fmt yuv420p")];
  await ffmpeg(...words("-f lavfi -i testsrc2=size=96x64:rate=25:duration=4 -f lavfi -i sine=duration=4"), ...frames, path);
  const options = to === "mov" ? { crf: 30 } : {};
  const result = await bench.convert(path, "mp4", to, options);
  if (to === "webm") expect(result.notes.get("MEDIA_CHANGED") ?? "").not.toContain("Frame rate");
  const times = (await probed(result.path, "v:0", "packet=pts_time"))
    .split(/[\s,]+/)
    .map(Number)
    .filter(Number.isFinite);
  const sound = (await probed(result.path, "a:0", "packet=pts_time"))
    .split(/[\s,]+/)
    .map(Number)
    .filter(Number.isFinite);
  const length = (all: readonly number[]) => Math.max(...all) - Math.min(...all);
  expect(Math.abs(length(times) - 3.8), "film").toBeLessThan(0.3);
  expect(Math.abs(length(sound) - 3.97), "sound").toBeLessThan(0.15);
  expect(Math.abs(Math.min(...times) - Math.min(...sound)), "begin").toBeLessThan(0.15);
});

it("a mirrored film stays mirrored in a format that cannot say so", async () => {
  const path = join(bench.folder, "mirrored.mp4");
  await ffmpeg(...words("-f lavfi -i color=red:size=96x80:rate=10:duration=1 -vf drawbox=h=40:t=fill:color=blue -pix_fmt yuv420p"), path);
  const bytes = await readFile(path);
  // The track's matrix follows 36 bytes after its version; its fifth number turns the picture upside down.
  const matrix = bytes.indexOf("tkhd") + 4 + 4 + 36;
  bytes.writeInt32BE(-65_536, matrix + 16);
  bytes.writeInt32BE(80 * 65_536, matrix + 28);
  await writeFile(path, bytes);
  const { path: made } = await bench.convert(path, "mp4", "mkv");
  await ffmpeg("-i", made, ...words("-frames:v 1 -vf scale=1:2:flags=area -f rawvideo -pix_fmt rgb24"), `${made}.rgb`);
  const [red = 0, , , , , blue = 0] = await readFile(`${made}.rgb`);
  expect([red > 128, blue > 128]).toEqual([true, true]);
});

describe("when and where a phone recorded a film is kept", () => {
  const source = words("-f lavfi -i testsrc2=size=96x64:rate=25:duration=1 -pix_fmt yuv420p");

  it.each(["mov", "mkv"])("by Android, in %s", async (to) => {
    const path = join(bench.folder, "android.mp4");
    await ffmpeg(...source, ...words("-metadata creation_time=2021-03-04T05:06:07Z -metadata location=+52.5000+013.4000/"), path);
    const result = await bench.convert(path, "mp4", to);
    const { stdout } = await execute("ffprobe", ["-v", "error", "-show_entries", "format_tags", result.path]);
    expect(stdout).toMatch(/creation_time=2021-03-04T05:06:07/);
    expect(stdout).toMatch(/location=\+52\.5000\+013\.4000/i);
    expect([...result.notes]).toEqual([]);
  });

  it("by an iPhone, in mp4", async () => {
    const path = join(bench.folder, "iphone.mov");
    const told = { make: "Apple", creationdate: "2021-03-04T06:06:07+0100", "location.ISO6709": "+52.5000+013.4000+034.0/" };
    const tags = Object.entries(told).flatMap(([name, value]) => ["-metadata", `com.apple.quicktime.${name}=${value}`]);
    await ffmpeg(...source, ...tags, ...words("-movflags use_metadata_tags"), path);
    const result = await bench.convert(path, "mov", "mp4");
    const { stdout } = await execute("exiftool", ["-s", "-Keys:all", result.path]);
    expect(stdout).toMatch(/Make +: Apple/);
    expect(stdout).toMatch(/CreationDate +: 2021:03:04 06:06:07\+01:00/);
    expect(stdout).toMatch(/GPSCoordinates +: 52 deg 30' 0\.00" N, 13 deg 24' 0\.00" E/);
    expect([...result.notes]).toEqual([]);
  });
});

describe("a GIF", () => {
  const still = (path: string, ...args: readonly string[]) => execute("convert-im6.q16", [...args, "-set", "delay", "10", path]);

  it("is not called flattened if it is opaque and later frames only leave out what stays", async () => {
    const path = join(bench.folder, "layers.gif");
    await still(path, ...words("-size 64x48 xc:red ( xc:none -fill blue -draw"), "rectangle 1,1 9,9", ")");
    expect((await bench.convert(path, "gif", "mp4")).notes.has("ALPHA_FLATTENED")).toBe(false);
  });

  it("that shows what is behind it is flattened with a note", async () => {
    const path = join(bench.folder, "clear.gif");
    await still(path, ...words("-size 64x48 xc:none xc:red"));
    expect((await bench.convert(path, "gif", "webm")).notes.has("ALPHA_FLATTENED")).toBe(true);
  });
});

function words(text: string): readonly string[] {
  return text.split(" ");
}

it("keeps the time of a recording in the form of older programs", async () => {
  const path = join(bench.folder, "older.flv");
  // Under its own name, FFmpeg would write it in today's form.
  const time = ["-metadata", "creation_tima=2016-05-31 17:01:35"];
  await ffmpeg(...words("-f lavfi -i testsrc=size=32x32:rate=10:duration=1 -c:v flv -map_metadata -1"), ...time, path);
  await writeFile(path, (await readFile(path, "latin1")).replace("creation_tima", "creation_time"), "latin1");
  const { path: film, notes } = await bench.convert(path, "flv", "mp4");
  expect(await probed(film, "v", "format_tags=creation_time")).toContain("2016-05-31T17:01:35");
  expect(notes.has("METADATA_DROPPED")).toBe(false);
});
