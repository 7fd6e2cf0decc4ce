/** Time as an oracle: code that inspects untrusted input must take CPU time in proportion to its length. */
import { FilemillError } from "#contract/errors.ts";
import type { Hop } from "#services/conversion/domain/engine.ts";
import type { ByteSource } from "#services/conversion/domain/guards/byte-source.ts";
import type { QuestionKind } from "#services/conversion/domain/questions.ts";
import { dataEngine } from "#services/conversion/engines/data/data.ts";
import { mailEngine } from "#services/conversion/engines/documents/mail.ts";
import type { Work } from "#services/conversion/engines/inside/exchange.ts";
import { convertMailOrCards } from "#services/conversion/engines/inside/mail/work.ts";
import { convertData } from "#services/conversion/engines/inside/records/convert.ts";
import { convertSubtitle } from "#services/conversion/engines/inside/subtitle/convert.ts";
import { subtitleEngine } from "#services/conversion/engines/media/subtitle.ts";
import { answering } from "#services/conversion/inspectors/inside/answers.ts";
import { withBoxes } from "#services/conversion/inspectors/inside/docx-boxes.ts";
import { withCodeStyles, withMarkedCode } from "#services/conversion/inspectors/inside/docx-code.ts";
import { withGrids } from "#services/conversion/inspectors/inside/docx-grids.ts";
import { withHeadings } from "#services/conversion/inspectors/inside/docx-headings.ts";
import type { Dice } from "./mutate.ts";
import type { Seed } from "./seeds.ts";

/** CPU time for a file of less than a megabyte; a conversion may take longer than a look. */
const maxMsOf = (kind: (typeof kinds)[number]) => (kind === "work" ? 15_000 : 1000);
/** A shorter time says nothing about growth. */
const tellingMs = 100;
/** Allowed factor for twice the input: a garbage collection may come in between. */
const maxGrowth = 3;
/** How much of a file most inspectors read at once. */
const headBytes = 65_536;
const longestBytes = 1_000_000;

type Repetition = { readonly format: string; readonly start: Buffer; readonly token: Buffer; readonly end: Buffer };

/** Tokens that open something unclosed, separate things, or are ambiguous. */
const tokens = [
  ..."\0 \t\r\n#%&;,:.-+=*/\\|!?@_~^'\"()[]{}<>019aeSP\xff\xc3\x8e",
  ...'# |#\n| #|0 |1\n|- |--|=\n|/*|*/|//|/* */|\\\'8e|\\u1?|\\par |{\\f0|\\bin1 |{|}|{{|}}|[[|]]|[ti:x]|[1:1]|(a|a)|a,|,,|""|\'\'|"a":|{"a":|[{'.split(
    "|",
  ),
  ...'<!---->|<!--|-->|<![CDATA[|]]>|<?x ?>|<?x |<!a>|<!a[|]>|<a>|</a>|<a/>|<a |a="|a="1" |<svg |<svg>|<x:svg |width="1|width="1" | viewBox="'.split(
    "|",
  ),
  ...'<!ENTITY a "|<!ENTITY % a|&a;|&a|<!DOCTYPE a [|<Workbook |<p class=|<meta |<text |font-family:|url(|{a:b}|@import |999\n|999\n\n|0\nSECTION'.split(
    "|",
  ),
  ...'From a |From: a\n|a: b\n| b\n|Subject: =?|=?utf-8?q?|BEGIN:VCARD\n|EXR |NAXIS1 |WIDTH |static char|"1 1 1 1",|P1 |1 1 |0\n1\n|1\r\n'.split(
    "|",
  ),
  ...'"asset":{|"type":|"FeatureCollection"|00:00:01,000 --> |{1}{1}|[1][1]|PK\x01\x02|PK\x03\x04|PK\x05\x06|IHDR|IDAT|\0\0\0\x08free'.split(
    "|",
  ),
].map((token) => Buffer.from(token, "latin1"));
const starts = [
  ...'|P1 |P4\n|P6 |#|<?xml?>|<?xml version="1.0"?>|<svg |<svg xmlns="" |<!DOCTYPE svg [|<html>|{|[|[{|{"a":|<w:style |<w:style w:type="paragraph"><w:name w:val="|<w:p><w:r><w:rFonts w:ascii="courier"|%!PS|%PDF-1.4\n'.split(
    "|",
  ),
  ..."0\nSECTION\n|999\n|/* XPM */|#define a_width 1\n|SIMPLE  =|From a|From: a\nTo: b\n|BEGIN:VCARD\n|WEBVTT\n\n|[Script Info]\n|1\n00:00:01,000 --> ".split(
    "|",
  ),
  ..."solid |ply\nformat |GIF89a|\x89PNG\r\n\x1a\n|\xff\xd8\xff|II*\0|RIFF\0\0\0\0WEBP|PK\x03\x04|\x1f\x8b\x08|\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1|OggS|\0\0\0\x18ftypmif1|ID3|\xff\xfe|\xfe\xff|\xef\xbb\xbf".split(
    "|",
  ),
].map((start) => Buffer.from(start, "latin1"));

/** A generated or valid start, a repeated token, and a character that comes too late; sometimes two tokens alternate. */
export function repetitionOf({ format, content }: Seed, dice: Dice): Repetition {
  const pick = (from: readonly Buffer[]): Buffer => from[dice.below(from.length)] ?? Buffer.alloc(0);
  const start = dice.below(4) === 0 ? content.subarray(0, 1 + dice.below(Math.min(content.length, 512))) : pick(starts);
  const cut = content.subarray(dice.below(content.length));
  const own = cut.subarray(0, 1 + dice.below(12));
  const token = Buffer.concat([dice.below(4) === 0 ? own : pick(tokens), ...(dice.below(2) === 0 ? [pick(tokens)] : [])]);
  return { format, start, token, end: Buffer.from(dice.below(2) === 0 ? "x" : "") };
}

export function fileOf({ start, token, end }: Repetition, bytes: number): Buffer {
  const times = Math.max(1, Math.floor((bytes - start.length - end.length) / token.length));
  return Buffer.concat([start, Buffer.alloc(times * token.length, token), end]);
}

/** The shortest file that took too long, and the reason; undefined if none did. */
export async function slowFileOf(repetition: Repetition): Promise<{ readonly content: Buffer; readonly wrong: string } | undefined> {
  const shortest = fileOf(repetition, 200);
  for (const bytes of [200, headBytes / 2, headBytes, longestBytes]) {
    const content = bytes === 200 ? shortest : fileOf(repetition, bytes);
    const wrong = (await tryLook(content, repetition.format)) ?? (bytes === headBytes ? await growthOf(repetition) : undefined);
    if (wrong !== undefined) return { content, wrong };
  }
  return undefined;
}

async function growthOf(repetition: Repetition): Promise<string | undefined> {
  for (const kind of kinds) {
    const times = async (bytes: number): Promise<number> => {
      const content = fileOf(repetition, bytes);
      const each = [await look(kind, content, repetition.format), await look(kind, content, repetition.format)];
      return Math.min(...each.map(({ ms }) => ms));
    };
    const whole = await times(headBytes);
    if (whole > tellingMs && whole > maxGrowth * (await times(headBytes / 2))) return `${kind} takes more than linear time`;
  }
  return undefined;
}

/** Undefined if everything is as it should be; otherwise what was wrong. */
export async function tryLook(content: Buffer, format: string): Promise<string | undefined> {
  for (const kind of kinds) {
    const { ms, error } = await look(kind, content, format);
    if (ms > maxMsOf(kind)) return `${kind} took ${Math.round(ms)} ms of the processor for ${content.length} bytes`;
    if (error !== undefined && !(error instanceof FilemillError)) return `${kind} threw ${String(error)}`;
  }
  return undefined;
}

/** Engines that are only our own code and libraries in its process. */
const works: readonly { readonly hops: readonly Hop[]; readonly work: Work }[] = [
  { hops: dataEngine.hops, work: convertData },
  { hops: mailEngine.hops, work: convertMailOrCards },
  { hops: subtitleEngine.hops, work: convertSubtitle },
];

const kinds = ["sniff", "inspect", "check", "textEncoding", "wordCode", "work"] as const satisfies readonly (
  | QuestionKind
  | "wordCode"
  | "work"
)[];

/** Converts to one target; a refusal, however worded, is the worker's to word. */
async function convert(content: Buffer, format: string): Promise<void> {
  const found = works.find(({ hops }) => hops.some(({ from }) => from === format));
  const to = found?.hops.find(({ from }) => from === format)?.to;
  if (found === undefined || to === undefined) return;
  const question = { work: "", from: format, to, options: {} };
  await Promise.resolve()
    .then(() => found.work(content, question, new Map(), () => Promise.reject(new Error("Nobody answers."))))
    .catch(() => undefined);
}

async function look(kind: (typeof kinds)[number], content: Buffer, format: string): Promise<{ ms: number; error: unknown }> {
  const before = process.cpuUsage();
  const error = await (async () => {
    if (kind === "work") await convert(content, format);
    else if (kind !== "wordCode")
      await answering[kind](sourceOf(content), { fileName: `a.${format}`, format, withGuards: true, isPage: true }, []);
    else {
      withBoxes(content.toString());
      withGrids(content.toString());
      withCodeStyles(content.toString());
      withMarkedCode(content.toString(), content.toString());
      withHeadings(content.toString(), content.toString());
    }
  })().catch((cause: unknown) => cause);
  const { user, system } = process.cpuUsage(before);
  return { ms: (user + system) / 1000, error };
}

function sourceOf(content: Buffer): ByteSource {
  const read = async (offset: number, length: number): Promise<Buffer> => {
    const from = Number.isSafeInteger(offset) && offset >= 0 ? offset : content.length;
    return content.subarray(from, from + Math.max(0, Math.min(length, 262_144)));
  };
  return { sizeBytes: content.length, head: content.subarray(0, headBytes), read };
}
