import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openLog } from "#kit/log.ts";
import type { Sandbox } from "#services/conversion/domain/sandbox.ts";
import { engines } from "#services/conversion/engines/registry.ts";
import { openInspectors } from "#services/conversion/inspectors/open-inspectors.ts";
import { openSandbox } from "#services/conversion/sandbox/index.ts";
import { defaultsOf, hopOf } from "#test/contract/engine.ts";
import { type Entries, entriesIn } from "#test/contract/entries.ts";
import { zipFile } from "#test/harness/zip-file.ts";

const corpus = join(import.meta.dirname, "../../../../corpus/typical");
const cut = (bytes: Buffer) => bytes.subarray(0, bytes.length >> 1);
const cutShort = (bytes: Buffer) => bytes.subarray(0, Math.ceil(bytes.length / 10));
const zeroed = (bytes: Buffer) => Buffer.concat([bytes.subarray(0, bytes.length >> 2), Buffer.alloc(bytes.length - (bytes.length >> 2))]);
const another = () => Buffer.from("This is only a text, and nothing else.\n".repeat(20));

type Damage = (bytes: Buffer) => Buffer;
/** For each engine: a hop, the kind of sample, and how the sample is damaged. */
const rows: Readonly<Record<string, readonly [from: string, to: string, kind: string, damage: Damage]>> = {
  sharp: ["png", "webp", "image", cut],
  imagemagick: ["bmp", "png", "image", cut],
  "imagemagick-exr": ["exr", "png", "image", another],
  libheif: ["heic", "png", "image", cut],
  libjxl: ["jxl", "png", "image", cut],
  libraw: ["dng", "tiff", "image", cut],
  dcmtk: ["dcm", "png", "image", cut],
  icnsutils: ["icns", "png", "image", cutShort],
  "ffmpeg-stills": ["png", "tga", "image", cut],
  rsvg: ["svg", "pdf", "vector", cut],
  dwg: ["dwg", "dxf", "vector", cut],
  svgo: ["svg", "svg", "vector", cut],
  potrace: ["pbm", "svg", "image", another],
  libtiff: ["tiff", "pdf", "image", cut],
  mupdf: ["epub", "pdf", "ebook", cut],
  ghostscript: ["ps", "pdf", "vector", cut],
  tesseract: ["png", "txt", "written", cut],
  ffmpeg: ["wav", "flac", "audio", another],
  fluidsynth: ["mid", "wav", "audio", cutShort],
  libreoffice: ["odt", "pdf", "document", cut],
  chromium: ["htmlz", "pdf", "ebook", cut],
  pandoc: ["docx", "html", "document", cut],
  pdf: ["pdf", "html", "document", cutShort],
  "office-change": ["docx", "docx", "document", cutShort],
  "pdf-change": ["pdf", "pdf", "document", cutShort],
  poppler: ["pdf", "txt", "document", cut],
  "poppler-tiff": ["pdf", "tiff", "document", cut],
  data: ["json", "yaml", "data", cut],
  archive: ["zip", "tar", "archive", cut],
  mail: ["ics", "csv", "email", cut],
  gdal: ["geojson", "kml", "geo", cut],
  gpsbabel: ["tcx", "gpx", "geo", cut],
  assimp: ["stl", "obj", "model", another],
  meshoptimizer: ["ply", "ply", "model", cut],
  shapes: ["3mf", "glb", "model", cut],
  graphviz: ["gv", "svg", "diagram", cut],
  calibre: ["htmlz", "epub", "ebook", cut],
  djvulibre: ["djvu", "pdf", "document", zeroed],
  subtitle: ["srt", "vtt", "subtitle", zeroed],
  "join-pdf": ["zip", "pdf", "pictures", cut],
  "join-tiff": ["zip", "tiff", "pictures", cut],
  "join-comic": ["zip", "cbz", "pictures", cut],
  "join-html": ["zip", "html", "pictures", cut],
  "join-media": ["zip", "gif", "pictures", cut],
  fonttools: ["ttf", "ttf", "font", cut],
  fontforge: ["ttf", "pfb", "font", cut],
};

let folder: string;
let sandbox: Sandbox & AsyncDisposable;
let entries: Entries;
let inspector: Awaited<ReturnType<typeof openInspectors>>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "filemill-bad-"));
  const settings = { scratchDir: join(folder, "scratch"), mode: "required", firstUid: 61_800, memoryBytes: 2 * 2 ** 30 } as const;
  sandbox = await openSandbox({ ...settings, log: openLog("silent") });
  inspector = await openInspectors({ sandbox, folder, log: () => undefined });
  entries = entriesIn(folder);
});
afterAll(async () => {
  await entries[Symbol.asyncDispose]();
  await inspector[Symbol.asyncDispose]();
  await sandbox[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

async function sampleOf(kind: string, format: string): Promise<Buffer> {
  if (kind === "pictures") return zipFile([{ name: "1.png", content: await sharp(join(corpus, "image/typical.png")).png().toBuffer() }]);
  if (kind !== "written") return await readFile(join(corpus, kind, `typical.${format}`));
  const words = '<svg xmlns="http://www.w3.org/2000/svg" width="600" height="120"><rect width="600" height="120" fill="white"/>';
  return await sharp(Buffer.from(`${words}<text x="30" y="80" font-family="DejaVu Sans" font-size="44">Quokka and zebra</text></svg>`))
    .png()
    .toBuffer();
}

describe.each(engines.map((engine) => [engine.id, engine] as const))("the engine %s", (id, engine) => {
  it("converts a valid file and rejects a damaged one as invalid input", async () => {
    const row = rows[id];
    if (row === undefined) throw new Error(`${id} has no bad file`);
    const [from, to, kind, damage] = row;
    await using open = await engine.open({ sandbox, inspector, slots: 1, spare: 0, log: () => undefined });
    const hop = hopOf(engine, from, to);
    const good = await sampleOf(kind, from);
    const convert = async (name: string, content: Buffer): Promise<void> => {
      const path = join(folder, `${id}-${name}.${from}`);
      await writeFile(path, content, { mode: 0o644 });
      const input = { path, format: from, sizeBytes: content.length };
      const { convert: convertEntry } = entries;
      const bounds = {
        convertEntry,
        timeoutMs: 150_000,
        signal: new AbortController().signal,
        note: () => undefined,
        progress: () => undefined,
      };
      await open.run({ hop, input, outputPath: `${path}.${to}`, options: defaultsOf(hop), ...bounds });
    };
    await convert("good", good);
    await expect(convert("bad", damage(good))).rejects.toMatchObject({ code: "INVALID_INPUT" });
  });
});
