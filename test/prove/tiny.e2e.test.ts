/** Minimal files of each everyday format convert to the same minimal content, or are refused with a message: see corpus/make/tiny.py. */
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Kind } from "#formats/index.ts";
import { wordOf } from "#services/catalogue/domain/fidelity-rule.ts";
import { startServer, type TestServer } from "#test/harness/server.ts";
import { sampled } from "#test/harness/turns.ts";
import { evidenceOf } from "./check.ts";
import { pagesOf } from "./readers/words.ts";
import { type KnownFile, kindOf, type Sample } from "./samples.ts";

const tiny = join(import.meta.dirname, "../corpus/tiny");
const names = (await readdir(tiny)).sort();

let server: TestServer;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "filemill-tiny-"));
  server = await startServer();
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

/** Common targets for such files. */
const everyday: Readonly<Partial<Record<Kind, string>>> = {
  image: "png jpg webp gif avif tiff bmp ico heic jxl jp2 psd pdf",
  vector: "png jpg webp pdf",
  document: "pdf docx odt html txt md epub rtf",
  ebook: "pdf docx html txt mobi azw3",
  spreadsheet: "xlsx ods csv pdf html",
  data: "json csv yaml xml xlsx ods sqlite parquet html",
  archive: "zip tar tgz 7z txz",
  audio: "wav mp3 flac ogg opus m4a aac",
  video: "mp4 webm mkv mov gif png jpg mp3",
  subtitle: "srt vtt ass txt",
  email: "pdf html txt docx",
  model: "stl obj glb ply",
  geo: "geojson gpx kml csv",
  diagram: "svg png pdf",
};

/** A lone line holds the column names, and data formats then have no rows; a stream compressor does not support folders. */
const own: Readonly<Record<string, string>> = { csv: "xlsx ods html pdf", gz: "bz2 xz zst" };

/** Impossible conversions are refused with a fitting code. */
const refused: Readonly<Record<string, string>> = { "video mp3": "INVALID_INPUT" };

type Ended = { readonly status: string; readonly download?: string; readonly error?: { readonly code: string; readonly message: string } };

async function converted(name: string, to: string): Promise<Ended> {
  const headers = { authorization: `Bearer ${server.key}` };
  const body = new FormData();
  body.set("to", to);
  body.set("file", new Blob([new Uint8Array(await readFile(join(tiny, name)))]), name);
  const answer = await fetch(`${server.url}/api/v1/convert`, { method: "POST", body, headers });
  const { job, error }: { job?: Ended & { readonly id: string }; error?: Ended["error"] } = JSON.parse(await answer.text());
  if (job === undefined) return { status: "refused", ...(error && { error }) };
  const ask = async (): Promise<Ended> => JSON.parse(await (await fetch(`${server.url}/api/v1/jobs/${job.id}`, { headers })).text()).job;
  await expect.poll(async () => (await ask()).status, { timeout: 90_000 }).toMatch(/^(done|failed)$/);
  return ask();
}

const dataFormats = new Set("tsv json yaml ndjson xml".split(" "));

function sampleOf(name: string): Sample {
  const format = name.slice(name.indexOf(".") + 1);
  return { path: join(tiny, name), format, kind: kindOf(format), name: "tiny", contents: [dataFormats.has(format) ? "7" : "Q"] };
}

async function resultOf(name: string, to: string, download: string): Promise<KnownFile> {
  const path = join(folder, `${name}.${to}`);
  const answer = await fetch(download, { headers: { authorization: `Bearer ${server.key}` } });
  expect(answer.status).toBe(200);
  await writeFile(path, new Uint8Array(await answer.arrayBuffer()));
  return { path, format: to, kind: kindOf(to) };
}

/** By the prover's checks, if so little content allows one; otherwise by checking that the content is there. */
async function expectSame(sample: Sample, result: KnownFile): Promise<void> {
  if (sample.kind === "geo") {
    // A point has no extent to measure.
    expect(await readFile(result.path, "utf8")).toMatch(/(?=[\s\S]*\b8\b)[\s\S]*\b47\b/);
    return;
  }
  if (sample.kind === "image" && result.format === "pdf") {
    expect(await pagesOf(result.path)).toBe(1);
    return;
  }
  const readAs = () => Promise.reject(new Error("no other reader"));
  const { figures, reader } = await evidenceOf({ sample, input: sample, result, writer: "", readAs });
  // The duration of a single frame depends on its container.
  const { time: _, ...lasting } = figures;
  expect(wordOf(sample.kind === "video" ? lasting : figures, reader), JSON.stringify(figures)).not.toBe("failed");
}

const pairs = names.flatMap((name) => {
  const sample = sampleOf(name);
  const targets = (own[sample.format] ?? everyday[sample.kind] ?? "").split(" ").filter((to) => to !== sample.format);
  return targets.map((to) => ({ name, sample, to }));
});

describe("a minimal file", () => {
  it.each(sampled(pairs))("$name converts to $to", async ({ name, sample, to }) => {
    const { status, error, download } = await converted(name, to);
    const code = refused[`${sample.kind} ${to}`];
    expect([status, error?.code], error?.message).toEqual(code === undefined ? ["done", undefined] : ["failed", code]);
    if (download != null) await expectSame(sample, await resultOf(name, to, download));
  });
});
