/** One rule for picture metadata on every route: it is carried over, or a note names it (decision 56). */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tellable } from "#services/conversion/domain/tellable.ts";
import { opened } from "#test/harness/opened.ts";
import { openMill } from "./mill.ts";

const execute = promisify(execFile);

/** As ExifTool names them. */
const told = {
  taken: "ExifIFD:DateTimeOriginal",
  author: "IFD0:Artist",
  place: "GPS:GPSLatitude",
  xmp: "XMP-photoshop:Headline",
  iptc: "IPTC:By-line",
} as const;

const mill = opened(() => openMill({ MEDIA_SLOTS: 1, DOCUMENT_SLOTS: 1 }));
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "filemill-metadata-"));
  await execute("convert-im6.q16", ["-size", "64x48", "gradient:red-blue", join(folder, "plain.jpg")]);
  await tag(join(folder, "plain.jpg"), "Marked by a wombat");
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function tag(path: string, comment?: string): Promise<void> {
  const exif = ["-Artist=Quokka", "-DateTimeOriginal=2021:03:04 05:06:07", "-GPSLatitude=51.5", "-GPSLatitudeRef=N"];
  const others = ["-XMP-photoshop:Headline=Numbat", "-IPTC:By-line=Bilby", ...(comment === undefined ? [] : [`-Comment=${comment}`])];
  await execute("exiftool", ["-q", "-overwrite_original", ...exif, ...others, path]);
}

/** Samples written by other programs, which pass on the metadata. */
async function sampleOf(format: string): Promise<string> {
  const [plain, path] = [join(folder, "plain.jpg"), join(folder, `sample.${format}`)];
  if (format === "heic") await execute("heif-enc", [plain, "-o", path]);
  else if (format === "jxl") await execute("cjxl", [plain, path, "--lossless_jpeg=1"]);
  else {
    await execute("convert-im6.q16", [plain, "+profile", "*", path]);
    await tag(path);
  }
  return path;
}

async function tagsOf(path: string): Promise<ReadonlySet<string>> {
  const { stdout } = await execute("exiftool", ["-j", "-G1", "-a", path]);
  const [tags = {}] = JSON.parse(stdout) as readonly Record<string, unknown>[];
  return new Set(Object.keys(tags));
}

async function converted(from: string, to: string, options?: Record<string, string>) {
  const source = await sampleOf(from);
  const job = await mill.watch(await mill.submit(await readFile(source), { from, to, ...(options && { options }) }));
  expect(job.error).toBeUndefined();
  const path = join(folder, `${from}-${Object.values(options ?? {}).join("")}.${to}`);
  await writeFile(path, await readFile(mill.blobs.pathOf(job.result?.id ?? "")));
  return { source, path, notes: new Map(job.notes.map(({ code, message }) => [code, message])) };
}

/** Pairs for every engine that writes pictures, and with routes of two and three hops. */
const pairs = [
  ["jpg", "png"],
  ["jpg", "webp"],
  ["jpg", "avif"],
  ["jpg", "tiff"],
  ["jpg", "gif"],
  ["jpg", "heic"],
  ["jpg", "psd"],
  ["jpg", "bmp"],
  ["jpg", "jpg"],
  ["png", "jpg"],
  ["png", "jp2"],
  ["png", "heic"],
  ["webp", "png"],
  ["tiff", "jpg"],
  ["tiff", "psd"],
  ["heic", "jpg"],
  ["heic", "webp"],
  ["psd", "png"],
  ["psd", "avif"],
] as const;

describe("picture metadata", () => {
  it.each(pairs)("from %s to %s is carried over or named in a note", async (from, to) => {
    const { source, path, notes } = await converted(from, to);
    const [before, after] = [await tagsOf(source), await tagsOf(path)];
    const lost = Object.entries(told).filter(([, name]) => before.has(name) && !after.has(name));
    const named = Object.entries(told).filter(([kind]) => notes.get("METADATA_DROPPED")?.includes(tellable[kind as keyof typeof told]));
    expect(before.has(told.place)).toBe(true);
    expect(named.map(([kind]) => kind)).toEqual(lost.map(([kind]) => kind));
    expect(notes.has("PLACE_KEPT")).toBe(after.has(told.place));
  });

  it.each([
    ["jpg", "png"],
    ["png", "heic"],
    ["png", "jxl"],
    ["heic", "jpg"],
    ["psd", "png"],
    ["jxl", "jpg"],
  ] as const)("from %s to %s is dropped on request", async (from, to) => {
    const { path, notes } = await converted(from, to, { metadata: "strip" });
    const after = await tagsOf(path);
    expect(Object.values(told).filter((name) => after.has(name))).toEqual([]);
    expect([...notes.keys()].filter((code) => /METADATA|PLACE/.test(code))).toEqual([]);
  });

  it("survives the way back from JPEG XL to JPEG, with a note about the place", async () => {
    const { path, notes } = await converted("jxl", "jpg");
    expect(notes.has("PLACE_KEPT")).toBe(true);
    expect([...(await tagsOf(path))]).toEqual(expect.arrayContaining(Object.values(told)));
  });

  it("has no thumbnail of a cropped picture", async () => {
    const [path, small] = [join(folder, "small.jpg"), join(folder, "thumbnail.jpg")];
    await execute("convert-im6.q16", ["-size", "64x48", "gradient:red-blue", path]);
    await execute("convert-im6.q16", ["-size", "16x12", "xc:red", small]);
    await execute("exiftool", ["-q", "-overwrite_original", "-Artist=Quokka", `-ThumbnailImage<=${small}`, path]);
    expect([...(await tagsOf(path))]).toContain("IFD1:ThumbnailImage");
    const job = await mill.watch(await mill.submit(await readFile(path), { from: "jpg", to: "jpg", options: { crop: "32x32+0+0" } }));
    const after = await tagsOf(mill.blobs.pathOf(job.result?.id ?? ""));
    expect([...after].filter((name) => name.startsWith("IFD1") || name === "IFD0:Artist")).toEqual(["IFD0:Artist"]);
  });
});
