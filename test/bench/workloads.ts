/** The most common conversions, each with the raw engine that does the same work with the same settings. */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, extname, join } from "node:path";
import { promisify } from "node:util";
import sharp, { type Sharp } from "sharp";
import { command, type WarmOffice } from "./bare-engines.ts";
import { makeDocument } from "./document.ts";
import { makeIcon } from "./icon.ts";

const run = promisify(execFile);

export type Workload = {
  readonly name: string;
  /** Path of the source. */
  readonly source: string;
  readonly to: string;
  readonly query?: string;
  /** Maximum ratios, by the number of parallel conversions. */
  readonly goals: Readonly<Record<number, number>>;
  readonly rounds: number;
  bare(from: string, to: string): Promise<unknown>;
  /** The usual command-line tool as a new process, if `bare` is something else. */
  fresh?(from: string, to: string): Promise<unknown>;
};

type Make = (folder: string, office: WarmOffice) => Promise<Workload>;

const imagemagick = command("convert", "IN", "OUT");

/** Resembles a photo: shapes, soft light and grain. */
async function makePhoto(width: number, height: number): Promise<Sharp> {
  const noise = { type: "gaussian" as const, mean: 128, sigma: 40 };
  const grain = await sharp({ create: { width, height, channels: 3, background: "#808080", noise } })
    .blur(1.2)
    .png()
    .toBuffer();
  const shapes = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><defs><linearGradient id="g" x2="0" y2="1"><stop stop-color="#48c"/><stop offset="1" stop-color="#fc8"/></linearGradient></defs><rect width="100%" height="100%" fill="url(#g)"/><circle cx="30%" cy="40%" r="20%" fill="#a42"/><rect x="55%" y="30%" width="30%" height="50%" fill="#264"/></svg>`;
  const light = await sharp(Buffer.from(shapes)).png().toBuffer();
  return sharp(light)
    .composite([{ input: grain, blend: "soft-light" }])
    .removeAlpha();
}

const pictures: readonly Make[] = [
  async (folder) => {
    const source = join(folder, "icon.png");
    await writeFile(source, await makeIcon());
    const bare = (from: string, to: string) => sharp(from).webp().toFile(to);
    return { name: "icon, PNG to WebP", source, to: "webp", goals: { 1: 1.5, 16: 1.5 }, rounds: 60, bare, fresh: imagemagick };
  },
  async (folder) => {
    const source = join(folder, "photo.png");
    await (await makePhoto(1224, 816)).png().toFile(source);
    const bare = (from: string, to: string) => sharp(from).jpeg({ quality: 80 }).toFile(to);
    const fresh = command("convert", "IN", "-quality", "80", "OUT");
    return { name: "1 MP, PNG to JPG", source, to: "jpg", query: "&quality=80", goals: { 1: 1.15, 16: 1.2 }, rounds: 15, bare, fresh };
  },
  async (folder) => {
    const source = join(folder, "photo.jpg");
    await (await makePhoto(4240, 2832)).jpeg({ quality: 90 }).toFile(source);
    const bare = (from: string, to: string) => sharp(from).webp({ quality: 80 }).toFile(to);
    const fresh = command("convert", "IN", "-quality", "80", "OUT");
    return { name: "12 MP, JPG to WebP", source, to: "webp", query: "&quality=80", goals: { 1: 1.05, 4: 1.05 }, rounds: 5, bare, fresh };
  },
  async (folder) => {
    const source = join(folder, "loop.gif");
    await run("ffmpeg", ["-v", "error", "-f", "lavfi", "-i", "testsrc2=size=320x240:rate=10:duration=3", source]);
    const bare = (from: string, to: string) => sharp(from, { animated: true }).webp().toFile(to);
    return { name: "GIF of 30 frames to WebP", source, to: "webp", goals: { 1: 1.05, 4: 1.05 }, rounds: 7, bare, fresh: imagemagick };
  },
  async (folder) => {
    const source = join(folder, "drawing.svg");
    const circles = Array.from(
      { length: 400 },
      (_, at) =>
        `<circle cx="${(at * 37) % 800}" cy="${(at * 53) % 600}" r="30" fill="#${((at * 4099) % 4096).toString(16).padStart(3, "0")}"/>`,
    );
    await writeFile(source, `<svg xmlns="http://www.w3.org/2000/svg" width="800" height="600">${circles.join("")}</svg>`);
    return {
      name: "SVG to PNG",
      source,
      to: "png",
      goals: { 1: 1.05, 4: 1.05 },
      rounds: 15,
      bare: (from, to) => sharp(from).png().toFile(to),
      fresh: command("rsvg-convert", "IN", "-o", "OUT"),
    };
  },
];

/** With its own profile, since two offices cannot share one. */
async function freshOffice(from: string, to: string): Promise<void> {
  const profile = await mkdtemp(join(tmpdir(), "filemill-profile-"));
  try {
    const target = ["--convert-to", extname(to).slice(1), "--outdir", dirname(to), from];
    await run("soffice", [`-env:UserInstallation=file://${profile}`, "--headless", "--norestore", ...target]);
  } finally {
    await rm(profile, { recursive: true, force: true });
  }
}

const documents: readonly Make[] = [
  async (folder, office) => {
    const bare = (from: string, to: string) => office.convert(from, to, "writer_pdf_Export");
    const source = await makeDocument(folder);
    return { name: "ten pages, DOCX to PDF", source, to: "pdf", goals: { 1: 1.05, 4: 1.05 }, rounds: 9, bare, fresh: freshOffice };
  },
  async (folder, office) => {
    const [text, source] = [join(folder, "slides.md"), join(folder, "slides.pptx")];
    await writeFile(text, Array.from({ length: 12 }, (_, at) => `## Slide ${at + 1}\n\n- first\n- second\n\n`).join(""));
    await run("pandoc", [text, "-o", source]);
    const bare = (from: string, to: string) => office.convert(from, to, "impress_pdf_Export");
    return { name: "twelve slides, PPTX to PDF", source, to: "pdf", goals: { 1: 1.05, 4: 1.05 }, rounds: 9, bare, fresh: freshOffice };
  },
  async (folder, office) => {
    const [text, source] = [join(folder, "prices.csv"), join(folder, "prices.xlsx")];
    await writeFile(text, Array.from({ length: 5000 }, (_, at) => `${at},name ${at},${at * 1.25},${at % 7}\n`).join(""));
    await office.convert(text, source, "Calc MS Excel 2007 XML");
    const bare = (from: string, to: string) => office.convert(from, to, "Text - txt - csv (StarCalc)");
    return { name: "5,000 rows, XLSX to CSV", source, to: "csv", goals: { 1: 1.1, 4: 1.1 }, rounds: 9, bare, fresh: freshOffice };
  },
  async (folder) => {
    const source = join(folder, "in.md");
    const bare = command("pandoc", "IN", "-o", "OUT", "-s", "--mathml", "-t", "html");
    return { name: "ten pages, MD to HTML", source, to: "html", goals: { 1: 1.15, 4: 1.15 }, rounds: 15, bare };
  },
  async (folder) => {
    const source = join(folder, "in.md");
    return {
      name: "ten pages, MD to DOCX",
      source,
      to: "docx",
      goals: { 1: 1.15, 4: 1.15 },
      rounds: 15,
      bare: command("pandoc", "IN", "-o", "OUT", "-t", "docx"),
    };
  },
  async (folder, office) => {
    const source = join(folder, "page.pdf");
    await office.convert(join(folder, "in.docx"), source, "writer_pdf_Export");
    const bare = command("pdftoppm", "-png", "-r", "150", "-f", "1", "-l", "1", "IN", "OUT");
    return { name: "first page, PDF to PNG", source, to: "png", query: "&dpi=150", goals: { 1: 1.1, 4: 1.1 }, rounds: 9, bare };
  },
];

const ffmpeg = (...args: readonly string[]) => command("ffmpeg", "-nostdin", "-v", "error", "-y", "-i", "IN", ...args, "OUT");
const film = ["-f", "lavfi", "-i", "testsrc2=size=1280x720:rate=25", "-f", "lavfi", "-i", "sine=frequency=440:sample_rate=48000"];

const media: readonly Make[] = [
  async (folder) => {
    const source = join(folder, "tone.wav");
    await run("ffmpeg", ["-v", "error", "-f", "lavfi", "-i", "anoisesrc=color=pink:duration=60:sample_rate=44100", "-ac", "2", source]);
    return { name: "60 s, WAV to MP3", source, to: "mp3", goals: { 1: 1.1 }, rounds: 5, bare: ffmpeg("-q:a", "2", "-f", "mp3") };
  },
  async (folder) => {
    const source = join(folder, "film.mp4");
    await run("ffmpeg", ["-v", "error", ...film, "-t", "6", "-c:v", "libx264", "-preset", "veryfast", "-c:a", "aac", source]);
    return {
      name: "6 s of 720p, MP4 to MP3",
      source,
      to: "mp3",
      goals: { 1: 1.1 },
      rounds: 9,
      bare: ffmpeg("-vn", "-q:a", "2", "-f", "mp3"),
    };
  },
  async (folder) => {
    const palette =
      "fps=12,scale=480:-2:flags=lanczos,split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse=dither=bayer:bayer_scale=3";
    const bare = ffmpeg("-an", "-filter_complex", palette, "-f", "gif");
    return { name: "6 s of 720p, MP4 to GIF", source: join(folder, "film.mp4"), to: "gif", goals: { 1: 1.1 }, rounds: 5, bare };
  },
  ...[40, 400].map(
    (megabytes): Make =>
      async (folder) => {
        const [piece, source] = [join(folder, "piece.mkv"), join(folder, `long-${megabytes}.mkv`)];
        const dense = [
          "-vf",
          "noise=alls=60:allf=t",
          "-c:v",
          "libx264",
          "-preset",
          "ultrafast",
          "-b:v",
          "40M",
          "-minrate",
          "40M",
          "-c:a",
          "aac",
        ];
        if (megabytes === 40) await run("ffmpeg", ["-v", "error", ...film, "-t", "8", ...dense, piece]);
        await run("ffmpeg", ["-v", "error", "-stream_loop", String(megabytes / 40 - 1), "-i", piece, "-c", "copy", source]);
        const bare = ffmpeg("-c", "copy", "-movflags", "+faststart", "-f", "mp4");
        const name = `remux of ${megabytes} MB, MKV to MP4`;
        return { name, source, to: "mp4", goals: { 1: megabytes === 40 ? 1.5 : 1.6 }, rounds: 3, bare };
      },
  ),
];

/** In order: later ones may use the output of earlier ones. */
export const workloads: readonly Make[] = [...pictures, ...documents, ...media];
