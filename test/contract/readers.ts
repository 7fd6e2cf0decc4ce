/** What a file is, said by tools that had no part in making it. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

export type Reading = {
  /** As `file` says. */
  readonly mime: string;
  /** Of pictures and films, as ffprobe says. */
  readonly width?: number;
  readonly height?: number;
  readonly codec?: string;
  readonly pixelFormat?: string;
  readonly durationS?: number;
  /** Of PDF, as pdfinfo says. */
  readonly pages?: number;
  /** Of zip containers, as unzip says. */
  readonly entries?: readonly string[];
};

/** Reads a file by every reader that knows its type. */
export async function readingOf(path: string): Promise<Reading> {
  const mime = (await textOf("file", ["--brief", "--mime-type", path])).trim();
  if (mime === "application/pdf") return { mime, pages: Number(/^Pages:\s+(\d+)/m.exec(await textOf("pdfinfo", [path]))?.[1]) };
  if (/^application\/(zip|epub\+zip|vnd\.(oasis|openxmlformats))/.test(mime)) {
    return { mime, entries: (await textOf("unzip", ["-Z1", path])).trim().split("\n") };
  }
  if (/^(image|video|audio)\//.test(mime) && mime !== "image/svg+xml") return { mime, ...(await probeOf(path)) };
  return { mime };
}

async function probeOf(path: string): Promise<Partial<Reading>> {
  const said = await textOf("ffprobe", ["-v", "error", "-of", "json", "-show_streams", "-show_format", path]).catch(() => "{}");
  const { streams = [], format = {} }: { streams?: Record<string, unknown>[]; format?: Record<string, unknown> } = JSON.parse(said);
  const stream = streams.find((each) => each["codec_type"] === "video") ?? streams[0];
  if (stream === undefined) return {};
  return {
    ...(Number(stream["width"]) > 0 ? { width: Number(stream["width"]), height: Number(stream["height"]) } : {}),
    ...(typeof stream["codec_name"] === "string" ? { codec: stream["codec_name"] } : {}),
    ...(typeof stream["pix_fmt"] === "string" ? { pixelFormat: stream["pix_fmt"] } : {}),
    ...(Number(format["duration"]) > 0 ? { durationS: Number(format["duration"]) } : {}),
  };
}

async function textOf(program: string, args: readonly string[]): Promise<string> {
  return (await run(program, [...args], { maxBuffer: 16 * 2 ** 20, env: { PATH: "/usr/bin:/bin", LANG: "C.UTF-8" } })).stdout;
}

/** MIME types by which `file` names each format. */
export const mimesOf: Readonly<Record<string, readonly string[]>> = {
  jpg: ["image/jpeg"],
  png: ["image/png"],
  webp: ["image/webp"],
  gif: ["image/gif"],
  avif: ["image/avif"],
  tiff: ["image/tiff"],
  svg: ["image/svg+xml"],
  pdf: ["application/pdf"],
};
