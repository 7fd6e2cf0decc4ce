/** Counts subtitles: in a source only those that start with a letter or digit, because others may consist of marks alone. */
import type { ByteSource } from "#services/conversion/domain/guards/byte-source.ts";
import { contentOf } from "../remote-file.ts";
import { wholeText } from "./parts.ts";

/** Patterns for a source and for a result. */
const marks: Readonly<Record<string, readonly [RegExp, RegExp]>> = {
  srt: [/ --> [^\n]{4,200}\n[\p{L}\p{N}]/gu, / --> /g],
  vtt: [/ --> [^\n]{4,200}\n[\p{L}\p{N}]/gu, / --> /g],
  ass: [/^Dialogue:[^,\n]{0,100}(?:,[^,\n]{0,100}){8},[\p{L}\p{N}]/gmu, /^Dialogue:/gm],
  ssa: [/^Dialogue:[^,\n]{0,100}(?:,[^,\n]{0,100}){8},[\p{L}\p{N}]/gmu, /^Dialogue:/gm],
  sbv: [/^\d+:\d\d:\d\d\.\d{1,3},\d+:\d\d:\d\d\.\d{1,3}\n[\p{L}\p{N}]/gmu, /^\d+:\d\d:\d\d\.\d{1,3},/gm],
};

export async function entriesOf(file: ByteSource, format: string, isSource: boolean): Promise<number | undefined> {
  const mark = marks[format]?.[isSource ? 0 : 1];
  if (mark === undefined) return undefined;
  const text = wholeText(await contentOf(file)).replaceAll("\r\n", "\n");
  return text.match(mark)?.length ?? 0;
}
