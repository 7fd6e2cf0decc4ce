/** Location and identity are removed on request. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { ffmpegEngine } from "#services/conversion/engines/media/ffmpeg.ts";
import { sharpEngine } from "#services/conversion/engines/pictures/sharp.ts";
import { useBench } from "#test/contract/engine.ts";
import { twoColours } from "./picture-samples.ts";

const execute = promisify(execFile);
const place = "+48.8577+002.2950/";

async function ffmpeg(...args: readonly string[]): Promise<void> {
  await execute("ffmpeg", ["-nostdin", "-v", "error", "-y", ...args]);
}
const words = (text: string): readonly string[] => text.split(" ");
const tone = words("-f lavfi -i sine=duration=1");
const film = words("-f lavfi -i testsrc2=size=64x48:rate=10:duration=1");
const tags = ["-metadata", "title=Quokka", "-metadata", "artist=Numbat", "-metadata", `location=${place}`];

describe("metadata of sound and film", () => {
  const bench = useBench(ffmpegEngine);

  async function located(from: string): Promise<string> {
    const path = join(bench.folder, `located.${from}`);
    if (from !== "mp3") {
      await ffmpeg(...film, ...tone, ...words("-pix_fmt yuv420p -metadata:s:a language=deu"), ...tags, path);
      return path;
    }
    const cover = join(bench.folder, "cover.jpg");
    await twoColours(32, 32)
      .withExif({ IFD0: { Artist: "Wombat" } })
      .jpeg()
      .toFile(cover);
    await ffmpeg(...tone, "-i", cover, ...words("-map 0 -map 1 -c:v copy -disposition:v attached_pic"), ...tags, path);
    return path;
  }

  it.each([
    ["mp4", "mov"],
    ["mov", "mp4"],
    ["mp4", "mkv"],
    ["mp4", "webm"],
    ["mp4", "m4a"],
    ["mp3", "m4a"],
    ["mp3", "flac"],
    ["mp3", "ogg"],
  ])("is stripped on request: %s to %s", async (from, to) => {
    const source = await located(from);
    const kept = await readFile((await bench.convert(source, from, to)).path, "latin1");
    expect(kept).toContain("Quokka");
    const { path } = await bench.convert(source, from, to, { metadata: "strip" });
    const stripped = await readFile(path, "latin1");
    expect(["Quokka", "Numbat", "48.85", "Wombat"].filter((word) => stripped.includes(word))).toEqual([]);
    const { stdout } = await execute("ffprobe", [
      "-v",
      "error",
      "-show_entries",
      "stream=codec_type:stream_tags=language",
      "-of",
      "csv=p=0",
      path,
    ]);
    expect(stdout.match(/^(audio|video)/gm)).toEqual(from === "mp3" || to === "m4a" ? ["audio"] : ["video", "audio"]);
    if (to === "mkv") expect(stdout).toMatch(/^audio,(deu|ger)/m);
  });
});

describe("metadata of pictures", () => {
  const bench = useBench(sharpEngine);

  it.each([
    ["jpg", "png"],
    ["jpg", "webp"],
    ["jpg", "tiff"],
    ["jpg", "avif"],
    ["png", "jpg"],
    ["tiff", "jpg"],
    ["webp", "png"],
  ] as const)("is stripped on request: %s to %s", async (from, to) => {
    const source = join(bench.folder, `located.${from}`);
    const xmp =
      '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description xmlns:exif="http://ns.adobe.com/exif/1.0/" exif:GPSLatitude="48,51.46N" exif:UserComment="Numbat"/></rdf:RDF></x:xmpmeta>';
    await twoColours()
      .withExif({ IFD0: { Artist: "Quokka" }, IFD3: { GPSLatitude: "48/1 51/1 27/1", GPSLatitudeRef: "N" } })
      .withXmp(xmp)
      .toFormat(from === "jpg" ? "jpeg" : from)
      .toFile(source);
    const said = async (options = {}) => await readFile((await bench.convert(source, from, to, options)).path, "latin1");
    // In TIFF, libvips reads and writes only XMP.
    const isTiff = from === "tiff" || to === "tiff";
    expect(await said()).toContain(isTiff ? "Numbat" : "Quokka");
    const stripped = await said({ metadata: "strip" });
    expect(["Quokka", "Numbat", "GPS", "48,51"].filter((word) => stripped.includes(word))).toEqual([]);
  });
});
