/** Subtitles: text and times of each cue. */
import { readFile } from "node:fs/promises";
import { XMLParser } from "fast-xml-parser";
import type { Case, Evidence } from "#test/prove/evidence.ts";
import { textFrom } from "#test/prove/readers/program.ts";
import { squeezed, withoutTags } from "#test/prove/readers/words.ts";
import type { KnownFile } from "#test/prove/samples.ts";

type Cue = { readonly startS: number; readonly endS: number; readonly text: string };

/** By FFmpeg; TTML, which FFmpeg does not read, by an XML parser. */
async function cuesOf({ path, format }: KnownFile): Promise<readonly Cue[]> {
  if (format === "ttml") return ttmlCues(await readFile(path, "utf8"));
  const blocks = (await textFrom("ffmpeg", "-v", "error", "-nostdin", "-i", path, "-map", "0:s:0", "-f", "srt", "-")).split(/\n\n+/);
  return blocks.flatMap((block) => {
    const [, times = "", ...lines] = block.trim().split("\n");
    const [start, end] = times.split(" --> ");
    const text = squeezed(withoutTags(lines.join(" ").replaceAll(/\{[^}]*\}/g, "")));
    return start === undefined || end === undefined || text === "" ? [] : [{ startS: secondsOf(start), endS: secondsOf(end), text }];
  });
}

function ttmlCues(text: string): readonly Cue[] {
  new XMLParser().parse(text, true);
  return [...text.matchAll(/<(?:\w+:)?p\b([^>]*)>([\s\S]*?)<\/(?:\w+:)?p>/g)].flatMap(([, attributes = "", inner = ""]) => {
    const startS = secondsOf(/begin="([^"]+)"/.exec(attributes)?.[1] ?? "");
    const end = /end="([^"]+)"/.exec(attributes)?.[1];
    const endS = end === undefined ? startS + secondsOf(/dur="([^"]+)"/.exec(attributes)?.[1] ?? "") : secondsOf(end);
    const words = squeezed(withoutTags(inner));
    return words === "" ? [] : [{ startS, endS, text: words }];
  });
}

function secondsOf(time: string): number {
  if (/ms$/.test(time)) return Number.parseFloat(time) / 1000;
  return time
    .replace(/s$/, "")
    .replace(",", ".")
    .split(":")
    .reduce((sum, part) => sum * 60 + Number(part), 0);
}

/** LRC has no end times, and the last cue of SAMI may have none, so a reader makes one up. */
function hasEnd({ startS, endS }: Cue, format: string): boolean {
  return format !== "lrc" && endS - startS < 3600;
}

export async function checkCues({ sample, result }: Case): Promise<Evidence> {
  const [wanted, found] = [await cuesOf(sample), await cuesOf(result)];
  if (wanted.length === 0) throw new Error("the sample has no cues");
  const pairs = wanted.flatMap((cue) => {
    const same = found.find((each) => each.text === cue.text && Math.abs(each.startS - cue.startS) < 2);
    return same === undefined ? [] : [[cue, same] as const];
  });
  const shift = Math.max(
    0,
    ...pairs.map(([a, b]) => Math.max(Math.abs(a.startS - b.startS), hasEnd(a, sample.format) ? Math.abs(a.endS - b.endS) : 0)),
  );
  return { reader: result.format === "ttml" ? "xml" : "ffmpeg", figures: { cues: pairs.length / wanted.length, shift } };
}
