/** Line-based subtitles: SubRip, WebVTT, YouTube's SBV, MicroDVD and LRC lyrics. */
import { decodeEntities, escapeMarkup } from "../entities.ts";
import { noteAlso, noteOnce } from "../exchange.ts";
import {
  type Context,
  type Cue,
  clockOf,
  createSpans,
  endAfter,
  inOrder,
  isStyled,
  msOf,
  noteOverlaps,
  noteRounded,
  plain,
  spansOfTags,
  taggedOf,
  textOf,
  trimmed,
  usualFps,
  withSafe,
} from "./cues.ts";

type Blocks = {
  /** A line of two times. */
  readonly times: RegExp;
  /** A line that was meant to be one. */
  readonly almost: RegExp;
  readonly spansOf: (body: string) => Cue["spans"];
  readonly notes: Context["notes"];
  readonly onName?: (name: string) => void;
};

/** Cues from blocks that start with a line of two times. */
function cuesOfBlocks(text: string, { times, almost, spansOf, notes, onName }: Blocks): Cue[] {
  const lines = text.replace(/\r\n?/g, "\n").split("\n");
  const starts: number[] = [];
  for (const [at, line] of lines.entries()) {
    // A lone line of two times right after a cue's times is its text.
    const isText = starts.at(-1) === at - 1 && (lines[at + 1] ?? "").trim() === "";
    if (times.test(line) && !isText) starts.push(at);
    else if (!isText && almost.test(line)) noteOnce(notes, "INPUT_DAMAGED", `Times could not be read, first in line ${at + 1}.`);
  }
  const numberAt = (at: number): number => (/^\s*\d+\s*$/.test(lines[at] ?? "") ? Number(lines[at]) : Number.NaN);
  // A number directly before the times, without a blank line, if the cues are numbered.
  const isNumbered = (at: number, next: number): boolean => numberAt(next - 1) === numberAt(at - 1) + 1;
  return starts.flatMap((at, index) => {
    const [, from = "", to = ""] = times.exec(lines[at] ?? "") ?? [];
    onName?.((lines[at - 1] ?? "").trim());
    const startMs = msOf(from);
    const endMs = msOf(to);
    if (startMs === undefined || endMs === undefined) return [];
    const next = starts[index + 1];
    // A line directly before the next times is the next cue's number or name if a blank line precedes it.
    const hasName =
      next !== undefined && (lines[next - 1] ?? "").trim() !== "" && ((lines[next - 2] ?? "").trim() === "" || isNumbered(at, next));
    const body = lines.slice(at + 1, next === undefined ? lines.length : hasName ? next - 1 : next);
    const untimed = body.findIndex((line, place) => line.trim() === "" && numberAt(at + place + 2) === numberAt(at - 1) + 1);
    if (untimed >= 0 && untimed + 1 < body.length)
      noteOnce(notes, "INPUT_DAMAGED", `A subtitle has no times and was added to the one before, first in line ${at + untimed + 3}.`);
    return [{ startMs, endMs, spans: spansOf(body.join("\n")) }];
  });
}

/** With a fraction behind any sign, and the dash that word processors make of hyphens. */
const srtTimes = /^\s*(-?(?:\d+:){1,2}\d+(?:[.,:]\d+)?)\s*[-\u2013\u2014]+>\s*(-?(?:\d+:){1,2}\d+(?:[.,:]\d+)?)/;
const almostTimes = /^\s*-?\d+:[^<>]*>\s*-?\d/;

/** Other names in angle brackets are text: `<laughs>`. */
const srtTags = /^<\/?(b|i|u|s|em|strong|strike|del|font|span|br|p|c|v|ruby|rt|lang)(?=[\s/>.=])/i;

export function parseSrt(text: string, { notes }: Context): Cue[] {
  // Coordinates, after the times.
  if (text.split("\n").some((line) => srtTimes.test(line) && /\bX1:\d/.test(line))) notes.set("STYLING_DROPPED", undefined);
  noteStart(text, srtTimes, notes);
  const spansOf = (body: string) => spansOfTags(body, notes, (part) => part, srtTags);
  return cuesOfBlocks(text, { times: srtTimes, almost: almostTimes, spansOf, notes });
}

/** Text before the first times belongs to no subtitle. */
function noteStart(text: string, times: RegExp, notes: Context["notes"]): void {
  const lines = text.split(/\r\n?|\n/);
  const first = lines.findIndex((line) => times.test(line));
  if (lines.slice(0, Math.max(0, first)).some((line) => /[^\s\d\ufeff]/.test(line)))
    noteOnce(notes, "INPUT_DAMAGED", "Text before the first subtitle was left out.");
}

/** A tag, a timing arrow, or a SubStation Alpha command. */
const srtMarks = /<\/?[a-zA-Z][^<>]*>|->|\{(?=\\)/g;
const srtSafe = (found: string) => (found === "->" ? "\u2192" : found === "{" ? "(" : `\u2039${found.slice(1)}`);

export function writeSrt(cues: readonly Cue[], { notes }: Context): string {
  return withSafe(cues, srtMarks, srtSafe, notes)
    .map((cue, index) => {
      const times = `${clockOf(cue.startMs, 2, ",", 3)} --> ${clockOf(cue.endMs, 2, ",", 3)}`;
      return `${index + 1}\n${times}\n${taggedOf(cue.spans, (text) => text)}\n`;
    })
    .join("\n");
}

/** Of a word within a line, for karaoke. */
const wordTime = /<\d+(?::\d+){1,2}(?:\.\d+)?>/g;
export const wordsTimed = "The times of individual words were left out.";
const vttTimes = /^\s*((?:\d+:)?\d+:\d+\.\d+)\s+-->\s+((?:\d+:)?\d+:\d+\.\d+)/;

function isStyledTimes(line: string): boolean {
  const arrow = line.indexOf("-->");
  return arrow >= 0 && /\b(line|position|align|size|region|vertical):/.test(line.slice(arrow));
}

/** Blocks that are no subtitles, whose names may begin with the same word. */
function isOf(sorts: readonly string[], block: string): boolean {
  const [first = "", second = ""] = block.split("\n", 2);
  return sorts.includes(first.split(/[ \t]/, 1)[0] ?? "") && !second.includes("-->");
}

/** WebVTT without style sheets, regions, comments and cue names. @see https://www.w3.org/TR/webvtt1/ */
export function parseVtt(text: string, { notes }: Context): Cue[] {
  const [head = "", ...blocks] = text.replace(/\r\n?/g, "\n").split(/\n{2,}/);
  const placed = text.split(/[\r\n]+/).find(isStyledTimes);
  if (blocks.some((block) => isOf(["STYLE", "REGION"], block))) notes.set("STYLING_DROPPED", undefined);
  if (placed !== undefined)
    noteOnce(notes, "STYLING_DROPPED", `Positions of subtitles were left out, first at ${(vttTimes.exec(placed)?.[1] ?? "").trim()}.`);
  if ((/^WEBVTT[ \t\n]+\S/.test(head) && !head.includes("-->")) || blocks.some((block) => isOf(["WEBVTT"], block)))
    noteAlso(notes, "METADATA_DROPPED", "The header's information about the file was left out.");
  if (blocks.some((block) => isOf(["NOTE"], block))) noteAlso(notes, "METADATA_DROPPED", "Comments were left out.");
  const kept = [head, ...blocks.filter((block) => !isOf(["STYLE", "REGION", "NOTE", "WEBVTT"], block))].join("\n\n");
  const named = (name: string) => {
    // Plain numbers carry no information.
    if (/^(|\d+)$/.test(name) || name.startsWith("WEBVTT")) return;
    noteOnce(notes, "METADATA_DROPPED", `Names of subtitles were left out, first ${name.slice(0, 40)}.`);
  };
  if (kept.search(wordTime) >= 0) noteAlso(notes, "METADATA_DROPPED", wordsTimed);
  const spansOf = (body: string) => spansOfTags(body.replaceAll(wordTime, ""), notes, decodeEntities);
  return cuesOfBlocks(kept, { times: vttTimes, almost: almostTimes, spansOf, notes, onName: named });
}

export function writeVtt(cues: readonly Cue[]): string {
  const blocks = cues.map(
    (cue) => `${clockOf(cue.startMs, 2, ".", 3)} --> ${clockOf(cue.endMs, 2, ".", 3)}\n${taggedOf(cue.spans, escapeMarkup)}\n`,
  );
  return ["WEBVTT\n", ...blocks].join("\n");
}

const sbvTimes = /^\s*(\d+:\d+:\d+(?:\.\d+)?)\s*,\s*(\d+:\d+:\d+(?:\.\d+)?)\s*$/;

export function parseSbv(text: string, { notes }: Context): Cue[] {
  const spansOf = (body: string) => trimmed([{ ...plain, text: body.replaceAll("[br]", "\n") }]);
  noteStart(text, sbvTimes, notes);
  return cuesOfBlocks(text, { times: sbvTimes, almost: /^\s*-?\d+:[\d:.]+,-?\d+:[\d:.]+$/, spansOf, notes });
}

export function writeSbv(cues: readonly Cue[], { notes }: Context): string {
  if (cues.some(isStyled)) notes.set("STYLING_DROPPED", undefined);
  // A line of two times would start the next cue.
  const safe = withSafe(cues, /[^\n]+/g, (line) => (sbvTimes.test(line) ? line.replace(",", ";") : line), notes);
  return safe.map((cue) => `${clockOf(cue.startMs, 1, ".", 3)},${clockOf(cue.endMs, 1, ".", 3)}\n${textOf(cue)}\n`).join("\n");
}

/** MicroDVD counts frames; a first cue `{1}{1}25` gives the frame rate. */
export function parseMicroDvd(text: string, { notes, fps }: Context): Cue[] {
  let rate = fps ?? usualFps;
  let isTold = fps !== undefined;
  const cues = text.split(/\r\n?|\n/).flatMap((line, index) => {
    const [, from, to, body = ""] = /^\{(-?\d+)\}\{(-?\d*)\}(.*)$/s.exec(line.trim()) ?? [];
    if (from === undefined) {
      if (/^\{DEFAULT\}/i.test(line)) notes.set("STYLING_DROPPED", undefined);
      else if (line.trim() !== "") noteOnce(notes, "INPUT_DAMAGED", `Lines without times were left out, first line ${index + 1}.`);
      return [];
    }
    const told = !isTold && index < 3 && /^\d{1,3}([.,]\d{1,3})?$/.test(body.trim()) ? Number(body.trim().replace(",", ".")) : 0;
    if (told > 0 && Number(from) <= 1 && Number(to) <= 1) {
      rate = told;
      isTold = true;
      return [];
    }
    const startMs = Math.round((Number(from) / rate) * 1000);
    const endMs = to === undefined || to === "" ? endAfter(startMs, 3000, notes) : Math.round((Number(to) / rate) * 1000);
    return [{ startMs, endMs, spans: microDvdSpansOf(body, notes) }];
  });
  if (!isTold)
    notes.set(
      "FRAME_RATE_GUESSED",
      `The file does not state its frame rate; ${rate.toFixed(3)} frames per second were assumed. The option fps sets another.`,
    );
  return cues;
}

/** `{y:i}` applies to a line, `{Y:i}` to the whole cue. */
function microDvdSpansOf(body: string, notes: Context["notes"]): Cue["spans"] {
  const found = createSpans();
  let whole = plain;
  for (const [index, line] of body.split("|").entries()) {
    found.set(whole);
    if (index > 0) found.add("\n");
    for (const part of line.split(/(\{[a-zA-Z]:[^{}]*\})/)) {
      const [, scope, marks = ""] = /^\{([a-zA-Z]):([^{}]*)\}$/.exec(part) ?? [];
      if (scope === undefined) found.add(part);
      else if (scope.toLowerCase() !== "y") notes.set("STYLING_DROPPED", undefined);
      else {
        found.set({ bold: /b/.test(marks), italic: /i/.test(marks), underline: /u/.test(marks) });
        if (scope === "Y") whole = found.style;
      }
    }
  }
  return trimmed(found.spans);
}

export function writeMicroDvd(cues: readonly Cue[], { notes, fps: wanted = usualFps }: Context): string {
  // Rounded as written to the file.
  const fps = Number(wanted.toFixed(3));
  noteRounded(cues, 1000 / fps, `frames, of which a second has ${fps.toFixed(3)}`, notes);
  const frame = (ms: number) => Math.round((ms / 1000) * fps);
  const lines = cues.map((cue) => {
    const [first] = cue.spans;
    const isEven = first !== undefined && cue.spans.length === 1;
    if (!isEven && isStyled(cue)) notes.set("STYLING_DROPPED", undefined);
    const marks = isEven ? `${first.bold ? "b" : ""}${first.italic ? "i" : ""}${first.underline ? "u" : ""}` : "";
    return `{${frame(cue.startMs)}}{${frame(cue.endMs)}}${marks === "" ? "" : `{Y:${[...marks].join(",")}}`}${microDvdTextOf(cue, notes)}`;
  });
  return `{1}{1}${fps.toFixed(3)}\n${lines.join("\n")}\n`;
}

/** A vertical bar breaks a line, and a letter in braces is a command. */
function microDvdTextOf(cue: Cue, notes: Context["notes"]): string {
  const text = textOf(cue);
  const safe = text.replaceAll("|", "¦").replace(/\{(?=[a-zA-Z]:)/g, "(");
  if (safe !== text) notes.set("CHARACTERS_REPLACED", `Bars or braces were replaced, first at ${clockOf(cue.startMs, 1, ".", 3)}.`);
  return safe.replaceAll("\n", "|");
}

/** The times at the start of a line: `[1:02]`, `[01:02.50]`, `[01:02:50]` with hundredths, `[1:01:02.50]` with hours. */
function stampedOf(line: string): { readonly times: readonly number[]; readonly body: string } {
  const times: number[] = [];
  let body = line.trim();
  for (let found = stamp.exec(body); found !== null; found = stamp.exec(body)) {
    const [whole, time = ""] = found;
    const ms = msOf(/^\d+:\d+:\d+$/.test(time) ? time.replace(/:(\d+)$/, ".$1") : time);
    if (ms !== undefined) times.push(ms);
    body = body.slice(whole.length).trimStart();
  }
  return { times, body };
}

const stamp = /^\[(\d+:\d+(?::\d+)?(?:\.\d+)?)\]/;

/** Lyrics store only when a line starts; it ends where the next one starts. */
export function parseLrc(text: string, { notes }: Context): Cue[] {
  if (/^[ \t]*\[(?!offset:)[a-z#]+:[^\]]/im.test(text))
    noteAlso(notes, "METADATA_DROPPED", "The song's title and other details were left out.");
  const offset = Number(/^\[offset:\s*([-+]?\d+)\s*\]/im.exec(text)?.[1] ?? 0);
  const starts = text.split(/\r\n?|\n/).flatMap((line, index) => {
    const { times, body } = stampedOf(line);
    if (times.length === 0 && body !== "" && !/^\[[a-z#]+:/i.test(body))
      noteOnce(notes, "INPUT_DAMAGED", `Lines without times were left out, first line ${index + 1}.`);
    return times.map((ms) => {
      if (body.search(wordTime) >= 0) noteAlso(notes, "METADATA_DROPPED", wordsTimed);
      return { startMs: Math.max(0, ms - offset), text: body.replaceAll(wordTime, "").trim() };
    });
  });
  const ordered = starts.toSorted((one, other) => one.startMs - other.startMs);
  let after = 0;
  return ordered.flatMap(({ startMs, text: line }, index) => {
    after = Math.max(after, index + 1);
    // Lines of one time, such as a text and its translation, are shown together, unless an empty one ends them at once.
    while (after < ordered.length && ordered[after]?.startMs === startMs && ordered[after]?.text !== "") after += 1;
    const next = ordered[after];
    // An empty line marks an end; otherwise a line lasts until the next one, within limits.
    const endMs = next?.text === "" ? next.startMs : Math.min(next?.startMs ?? startMs + 5000, startMs + 10_000);
    return line === "" ? [] : [{ startMs, endMs, spans: [{ ...plain, text: line }] }];
  });
}

export function writeLrc(given: readonly Cue[], { notes }: Context): string {
  const cues = inOrder(given);
  if (cues.some(isStyled)) notes.set("STYLING_DROPPED", undefined);
  noteRounded(cues, 10, "hundredths of a second", notes);
  noteOverlaps(cues, notes);
  const several = cues.find((cue) => textOf(cue).includes("\n"));
  if (several !== undefined)
    notes.set("STRUCTURE_FLATTENED", `Multi-line subtitles became one line, first at ${clockOf(several.startMs, 1, ".", 3)}.`);
  const time = (ms: number) => {
    const hundredths = Math.round(ms / 10);
    const two = (value: number) => String(value).padStart(2, "0");
    return `[${two(Math.floor(hundredths / 6000))}:${two(Math.floor(hundredths / 100) % 60)}.${two(hundredths % 100)}]`;
  };
  const safe = withSafe(cues, /^\[(?=\d)|<(?=\d)/g, (found) => found.replace("[", "(").replace("<", "\u2039"), notes);
  const lines = safe.flatMap((cue, index) => {
    const next = safe[index + 1];
    // An empty line ends a line that is not followed immediately.
    const isGap = next === undefined || Math.round(next.startMs / 10) > Math.round(cue.endMs / 10);
    return [`${time(cue.startMs)}${textOf(cue).replaceAll("\n", " ")}`, ...(isGap ? [time(cue.endMs)] : [])];
  });
  return `${lines.join("\n")}\n`;
}
