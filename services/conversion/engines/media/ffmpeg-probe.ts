/** Parses ffprobe's output, in the order of its sections. */
import { FilemillError } from "#contract/errors.ts";
import type { SandboxEnd } from "#services/conversion/domain/sandbox.ts";
import { words } from "../shared/hop-table.ts";
import { inputInside, type ToolSession } from "../shared/tool-run.ts";
import { whiteListOf } from "./ffmpeg-formats.ts";

export type Fields = Readonly<Record<string, unknown>>;
export const isFields = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
export const countOf = (value: unknown): number => {
  const number = Number(value);
  return Number.isFinite(number) ? number : 0;
};
/** Rows of a section, which ffprobe numbers from 0. */
export const rowsOf = (section: unknown): readonly Fields[] => Object.values(fieldsOf(section)).filter(isFields);

/** How FFmpeg wrote times until 2016. */
const olderTime = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)$/;

export function tagsOf(tags: unknown): Readonly<Record<string, string>> {
  const told = Object.fromEntries(Object.entries(fieldsOf(tags)).map(([name, value]) => [name.toLowerCase(), String(value)]));
  const { creation_time: time } = told;
  return time === undefined ? told : { ...told, creation_time: time.replace(olderTime, "$1T$2.000000Z") };
}

/** Indices of the streams of each program that has any. */
export function programsOf(answer: Fields): readonly (readonly number[])[] {
  return rowsOf(fieldsOf(answer.programs).program)
    .map(({ streams }) => rowsOf(fieldsOf(streams).stream).map(({ index }) => countOf(index)))
    .filter((indices) => indices.length > 0);
}

/**
 * Digital rights management: MP4 has a codec of its own for it, or tells it with each packet (Common Encryption, ISO/IEC 23001-7); Matroska and
 * WebM name the key.
 */
export const protection = {
  entries: "packet=pts:packet_side_data=side_data_type",
  args: ["-read_intervals", "%+#1"],
  isIn({ streams, packets }: Fields, stderr: string): boolean {
    const first = rowsOf(fieldsOf(packets).packet).flatMap(({ side_data_list: list }) => rowsOf(fieldsOf(list).side_data));
    return (
      // FFmpeg 5 fails on what other fragments are encrypted with.
      stderr.includes("encryption info") ||
      first.some(({ side_data_type: type }) => textOf(type).startsWith("Encryption")) ||
      rowsOf(fieldsOf(streams).stream).some(
        ({ codec_tag_string: codec, tags }) => /^(enc[avts]|drm[si])$/.test(textOf(codec)) || fieldsOf(tags).enc_key_id !== undefined,
      )
    );
  },
} as const;

/** Characters of output: a film with fifty tracks and two hundred chapters needs a tenth. */
const longestAnswer = 2 ** 20;

export const inputArgs = (demuxer: string): readonly string[] => [
  ...words("-protocol_whitelist file -format_whitelist"),
  ...[whiteListOf(demuxer), "-f", demuxer],
];

/** Passes on each of the input's packets as a line of the fields named in `args`, separated by commas. */
export async function readPackets(session: ToolSession, demuxer: string, args: readonly string[], onLine: (line: string) => void) {
  return await session.run({
    program: "/usr/bin/ffprobe",
    args: ["-v", "error", ...inputArgs(demuxer), ...args, "-of", "csv=p=0", `file:${inputInside}`],
    limits: { processes: 256 },
    onLine,
  });
}

/** The first frame that passes a filter, as a line of the `framecrc` muxer. `input` ends with the input file. */
export async function firstFrame(session: ToolSession, input: readonly string[], filter: string): Promise<SandboxEnd> {
  const output = words("-vsync passthrough -enc_time_base 1:1000000 -frames:v 1 -f framecrc pipe:1");
  const args = ["-nostdin", "-v", "error", "-threads", "2", ...input, "-filter:v", filter, ...output];
  return await session.run({ program: "/usr/bin/ffmpeg", args, limits: { addressSpace: false, processes: 256 } });
}

/**
 * Queries sections and fields, named as in `-show_entries`. A text of more than 64 KiB is truncated, and may swallow the next line.
 *
 * @throws FilemillError INPUT_TOO_COMPLEX for output of more than a million characters.
 */
export async function probe(
  session: ToolSession,
  demuxer: string,
  path: string,
  entries: string,
  more: readonly string[] = [],
): Promise<{ readonly answer: Fields; readonly end: SandboxEnd }> {
  const answer = emptyFields();
  let letters = 0;
  const end = await session.run({
    program: "/usr/bin/ffprobe",
    args: ["-v", "warning", ...inputArgs(demuxer), ...more, "-show_entries", entries, "-of", "flat", `file:${path}`],
    limits: { processes: 256 },
    onLine(line) {
      letters += line.length;
      if (letters <= longestAnswer) put(answer, line);
    },
  });
  if (letters > longestAnswer) throw new FilemillError("INPUT_TOO_COMPLEX", "The file has too many streams, chapters or tags.");
  return { answer, end };
}

/** Names come from the file and must not match inherited properties. */
const emptyFields = (): Record<string, unknown> => Object.create(null);

/** Stores the value of a line such as `streams.stream.0.tags.title="A \"B\""` under its path. */
function put(fields: Record<string, unknown>, line: string): void {
  const at = line.indexOf("=");
  if (at < 0) return;
  const names = line.slice(0, at).split(".");
  const value = unquoted(line.slice(at + 1));
  // ffprobe's value for missing fields.
  if (/^(unknown|N\/A)$/.test(String(value)) && !names.includes("tags")) return;
  const last = names.pop() ?? "";
  let place = fields;
  for (const name of names) {
    const next = place[name] ?? emptyFields();
    place[name] = next;
    if (!isFields(next)) return;
    place = next;
  }
  place[last] = value;
}

/** Numbers are unquoted; in quoted strings ffprobe escapes some characters. */
function unquoted(text: string): string | number {
  if (!text.startsWith('"')) return countOf(text);
  const inner = text.slice(1, text.endsWith('"') ? -1 : undefined);
  return inner.replaceAll(/\\([nr\\"`$])/g, (_all, letter: string) => (letter === "n" ? "\n" : letter === "r" ? "\r" : letter));
}
