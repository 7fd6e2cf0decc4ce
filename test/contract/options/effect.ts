/** Effects of options: each row converts a file with and without an option, and compares what another program reads from both. */
import { execFile } from "node:child_process";
import { readFile, stat } from "node:fs/promises";
import { promisify } from "node:util";
import { expect } from "vitest";
import type { OptionValues } from "#services/conversion/domain/engine.ts";

const run = promisify(execFile);

export type Figure = string | number;

export type Effect = {
  readonly engine: string;
  readonly option: string;
  /** `from>to` */
  readonly hop: string;
  /** Name of a file in samples.ts. */
  readonly sample: string;
  /** The option and its value, with others that it requires. */
  readonly given: OptionValues;
  /** Options given in both conversions. */
  readonly base?: OptionValues;
  readonly figure: (path: string) => Promise<Figure>;
  readonly shows: (without: Figure, given: Figure) => void;
};

/** Rows of one engine. */
export function effectsOf(engine: string, rows: readonly Omit<Effect, "engine">[]): readonly Effect[] {
  return rows.map((row) => ({ engine, ...row }));
}

export const smaller: Effect["shows"] = (without, given) => expect(given).toBeLessThan(Number(without));
export const larger: Effect["shows"] = (without, given) => expect(given).toBeGreaterThan(Number(without));
export const differs: Effect["shows"] = (without, given) => expect(given).not.toBe(without);
export const becomes =
  (wanted: Figure): Effect["shows"] =>
  (without, given) => {
    expect(without).not.toBe(wanted);
    expect(given).toBe(wanted);
  };
export const gains =
  (pattern: RegExp): Effect["shows"] =>
  (without, given) => {
    expect(without).not.toMatch(pattern);
    expect(given).toMatch(pattern);
  };
export const loses =
  (pattern: RegExp): Effect["shows"] =>
  (without, given) => {
    expect(without).toMatch(pattern);
    expect(given).not.toMatch(pattern);
  };

export async function bytes(path: string): Promise<number> {
  return (await stat(path)).size;
}

export async function text(path: string): Promise<string> {
  return await readFile(path, "utf8");
}

/** For markers in binary files. */
export async function latin1(path: string): Promise<string> {
  return await readFile(path, "latin1");
}

async function said(program: string, ...args: readonly string[]): Promise<string> {
  return (await run(program, [...args], { maxBuffer: 2 ** 26 })).stdout.trim();
}

/** ImageMagick's view of the first picture. */
export const pictured =
  (format: string) =>
  (path: string): Promise<string> =>
    said("identify-im6.q16", "-format", format, `${path}[0]`);
export const size = pictured("%wx%h");

/** ffprobe's view of the first stream of a kind. */
export const stream =
  (sort: "a" | "v", entry: string) =>
  (path: string): Promise<string> =>
    said("ffprobe", "-v", "error", "-select_streams", `${sort}:0`, "-show_entries", `stream=${entry}`, "-of", "csv=p=0", path);
export async function seconds(path: string): Promise<number> {
  return Math.round(Number(await said("ffprobe", "-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", path)) * 10) / 10;
}

/** Mean level in dB relative to full scale. */
export async function loudness(path: string): Promise<number> {
  const { stderr } = await run("ffmpeg", ["-nostdin", "-i", path, "-af", "volumedetect", "-f", "null", "-"]);
  return Number(/mean_volume: (\S+) dB/.exec(stderr)?.[1]);
}

export const pdfInfo =
  (name: string) =>
  async (path: string): Promise<string> =>
    new RegExp(`^${name}:\\s+(.*)$`, "m").exec(await said("pdfinfo", path))?.[1] ?? "";
export const pdfText = (path: string): Promise<string> => said("pdftotext", path, "-");
/** Widths of the pictures in a PDF. */
export const pdfPictures = async (path: string): Promise<number> =>
  Number((await said("pdfimages", "-list", path)).split("\n").at(-1)?.trim().split(/\s+/)[3] ?? 0);
/** The text of a package member. */
export const member =
  (name: string) =>
  (path: string): Promise<string> =>
    said("bsdtar", "-xOf", path, name);
