import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { JobState } from "#gen/filemill/job/v1/job_pb.ts";
import { opened } from "#test/harness/opened.ts";
import { halfTransparent, twoColours } from "./engines/pictures/picture-samples.ts";
import { accountId, type Mill, openMill } from "./mill.ts";

/** A film with a single frame of 0.04 seconds and none after it. */
async function tinyFilm(mill: Mill): Promise<Uint8Array> {
  const path = join(mill.dataDir, "tiny.mp4");
  const source = ["-f", "lavfi", "-i", "testsrc=s=13x7:r=25", "-frames:v", "1"];
  await promisify(execFile)("ffmpeg", ["-nostdin", "-y", "-v", "error", ...source, "-c:v", "png", "-pix_fmt", "monob", path]);
  return readFile(path);
}

/** The colour of the right half, which is transparent in the source. */
async function rightOf(path: string): Promise<string> {
  const format = "%[fx:u.p{w-3,h/2}.r>0.97&&u.p{w-3,h/2}.g>0.97&&u.p{w-3,h/2}.b>0.97]";
  return (await promisify(execFile)("convert-im6.q16", [path, "-format", format, "info:"])).stdout === "1" ? "white" : "another";
}

describe("a file that one engine rejects", () => {
  const mill = opened(() => openMill({ MEDIA_SLOTS: 1, DOCUMENT_SLOTS: 1 }));

  it("is converted by the next best route with a note: a TIFF with 16 bits per sample", async () => {
    const pixels = new Uint16Array(20 * 10 * 3).fill(40_000);
    const raw = sharp(pixels, { raw: { width: 20, height: 10, channels: 3 } }).toColourspace("rgb16");
    const tiff = await raw.tiff({ compression: "deflate" }).toBuffer();
    const { plan } = await mill.catalogue.planRoute({ from: "tiff", to: "pdf" });
    // libtiff cannot place these on a page.
    expect(plan?.hops.map(({ engine }) => engine)).toEqual(["libtiff"]);
    const job = await mill.watch(await mill.submit(tiff, { from: "tiff", to: "pdf" }));
    expect(job.error).toBeUndefined();
    expect(job.state).toBe(JobState.DONE);
    expect(job.attempts).toBe(1);
    expect(job.notes.map(({ code }) => code)).toContain("ALTERNATE_ROUTE");
    const { stdout } = await promisify(execFile)("pdfinfo", [mill.blobs.pathOf(job.result?.id ?? "")]);
    expect(stdout).toMatch(/^Pages: +1$/m);
    await expect.poll(async () => (await mill.leftovers()).scratch).toEqual([]);
  });

  it.each([
    ["heic", "jpg", "heif-enc", [], false],
    ["jxl", "jpg", "cjxl", ["-d", "0"], false],
    ["jxl", "ppm", "cjxl", ["-d", "0"], true],
  ] as const)("has transparency flattened onto white from %s to %s", async (from, to, encoder, args, byAnotherWay) => {
    const [source, made] = ["alpha.png", `alpha.${from}`].map((name) => join(mill.dataDir, name)) as [string, string];
    await halfTransparent().png().toFile(source);
    await promisify(execFile)(encoder, encoder === "cjxl" ? [source, made, ...args] : [source, "-o", made]);
    const job = await mill.watch(await mill.submit(await readFile(made), { from, to }));
    expect(job.error).toBeUndefined();
    const codes = job.notes.map(({ code }) => code);
    expect(codes).toContain("ALPHA_FLATTENED");
    expect(codes.includes("ALTERNATE_ROUTE")).toBe(byAnotherWay);
    const { expectedNotes } = await mill.catalogue.getRoute({ from, to });
    expect(expectedNotes.map(({ code }) => code)).toContain("ALPHA_FLATTENED");
    expect(await rightOf(mill.blobs.pathOf(job.result?.id ?? ""))).toBe("white");
  });

  it("is converted by the next best route: a CMYK JPEG to JPEG XL", async () => {
    const jpeg = await twoColours().toColourspace("cmyk").jpeg().toBuffer();
    expect((await sharp(jpeg).metadata()).space).toBe("cmyk");
    const job = await mill.watch(await mill.submit(jpeg, { from: "jpg", to: "jxl" }));
    expect(job.error).toBeUndefined();
    expect(job.notes.map(({ code }) => code)).toEqual(expect.arrayContaining(["PROFILE_CONVERTED", "ALTERNATE_ROUTE"]));
  });

  it("keeps red and blue in place: a TIFF with transparency to PDF", async () => {
    const tiff = await halfTransparent().tiff({ compression: "lzw" }).toBuffer();
    const job = await mill.watch(await mill.submit(tiff, { from: "tiff", to: "pdf" }));
    expect(job.error).toBeUndefined();
    const page = join(mill.dataDir, "page");
    await promisify(execFile)("pdftoppm", ["-r", "72", "-singlefile", mill.blobs.pathOf(job.result?.id ?? ""), page]);
    const { stdout } = await promisify(execFile)("convert-im6.q16", [
      `${page}.ppm`,
      "-crop",
      "1x1+3+3",
      "-format",
      "%[fx:u.r>0.7] %[fx:u.b<0.3]",
      "info:",
    ]);
    expect(stdout).toBe("1 1");
  });

  it("fails if an option leaves no other route", async () => {
    const job = await mill.watch(await mill.submit(await tinyFilm(mill), { from: "mp4", to: "webp", options: { start: "0.03" } }));
    expect(job.state).toBe(JobState.FAILED);
    expect(job.error?.message).toMatch(/could not be converted/);
    await mill.jobs.deleteJob({ accountId, jobId: job.id });
  });
});
