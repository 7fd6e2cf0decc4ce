/** The common model of all subtitles: timed text, with bold, italics and underline at most. */
import { type Notes, noteAlso, noteOnce, type Options } from "../exchange.ts";

export type Style = { readonly bold: boolean; readonly italic: boolean; readonly underline: boolean };
export type Span = Style & { readonly text: string };

/** Times in milliseconds. Lines of text are separated by line feeds within the spans. */
export type Cue = { readonly startMs: number; readonly endMs: number; readonly spans: readonly Span[] };

export type Context = {
  readonly options: Options;
  readonly notes: Notes;
  /** Frames per second, if given. */
  readonly fps: number | undefined;
  /** Repeated blanks are preserved, in formats where that is not the default. */
  readonly keepsBlanks?: boolean;
};

/** The frame rate of cinema film, which most films have. */
export const usualFps = 24_000 / 1001;

export const plain: Style = { bold: false, italic: false, underline: false };

export function textOf(cue: Cue): string {
  return cue.spans.map((span) => span.text).join("");
}

export const isStyled = (cue: Cue): boolean => cue.spans.some((span) => span.bold || span.italic || span.underline);

/** Collects spans while text with markup is parsed. */
export function createSpans() {
  const spans: Span[] = [];
  let style = plain;
  return {
    add(text: string): void {
      const last = spans.at(-1);
      if (text === "") return;
      if (last !== undefined && last.bold === style.bold && last.italic === style.italic && last.underline === style.underline) {
        spans[spans.length - 1] = { ...last, text: last.text + text };
      } else spans.push({ ...style, text });
    },
    set(change: Partial<Style>): void {
      style = { ...style, ...change };
    },
    get style(): Style {
      return style;
    },
    spans,
  };
}

/** Trims blanks and blank lines, which would end a cue in most formats. */
export function trimmed(spans: readonly Span[]): readonly Span[] {
  const whole = spans.map((span) => ({ ...span, text: span.text.replace(/\r\n?/g, "\n") }));
  const text = whole.map((span) => span.text).join("");
  const kept = createSpans();
  const blank = new Set([...text.matchAll(/\n[ \t]*(?=\n)/g)].flatMap(({ index, 0: line }) => [...line].map((_, place) => index + place)));
  let at = 0;
  const end = text.trimEnd().length;
  const start = text.length - text.trimStart().length;
  for (const span of whole) {
    kept.set(span);
    for (const letter of span.text) {
      if (at >= start && at < end && !blank.has(at)) kept.add(letter);
      at += letter.length;
    }
  }
  return kept.spans;
}

const styleOfTag: Readonly<Record<string, keyof Style>> = { b: "bold", strong: "bold", i: "italic", em: "italic", u: "underline" };

/** The tags that SubRip, WebVTT and SAMI share with HTML; others are dropped and noted, or text if only some names are `tags`. */
export function spansOfTags(text: string, notes: Notes, decode: (text: string) => string, tags = /^/): readonly Span[] {
  const found = createSpans();
  for (const [at, part] of text.split(/(<\/?[a-zA-Z][^<>]*>|<\d+:[\d:.]*>|\{\\[^{}]*\})/).entries()) {
    // Between tags: an unclosed tag is text.
    if (at % 2 === 0 || (/^<\/?[a-z]/i.test(part) && !tags.test(part))) {
      found.add(decode(part));
      continue;
    }
    const tag = /^<(\/?)([a-zA-Z]+)/.exec(part);
    const [, slash, name = ""] = tag ?? [];
    const style = styleOfTag[name.toLowerCase()];
    if (/^br$/i.test(name)) found.add("\n");
    else if (style !== undefined) found.set({ [style]: slash === "" });
    else if (/^v$/i.test(name)) noteAlso(notes, "METADATA_DROPPED", "Speakers' names were left out.");
    // A class without a name says nothing.
    else if (!/^(p|sync)$/i.test(name) && !/^<\/?c>$/.test(part)) notes.set("STYLING_DROPPED", undefined);
  }
  return trimmed(found.spans);
}

/** Spans with HTML tags. */
export function taggedOf(spans: readonly Span[], escaped: (text: string) => string): string {
  return spans
    .map(({ text, bold, italic, underline }) => {
      const marks = [bold ? "b" : "", italic ? "i" : "", underline ? "u" : ""].filter((mark) => mark !== "");
      return `${marks.map((mark) => `<${mark}>`).join("")}${escaped(text)}${marks
        .reverse()
        .map((mark) => `</${mark}>`)
        .join("")}`;
    })
    .join("");
}

/** Milliseconds of `1:02:03,5`, `02:03.45`, `3.5` or `-0:00:01`. */
export function msOf(text: string): number | undefined {
  const found = /^(-)?(?:(\d+):)?(?:(\d+):)?(\d+)(?:[.,:](\d{1,9}))?$/.exec(text.trim());
  if (found === null) return undefined;
  const [, sign, first, second, seconds = "0", fraction = ""] = found;
  const [hours, minutes] = second === undefined ? ["0", first ?? "0"] : [first ?? "0", second];
  const ms = (Number(hours) * 60 + Number(minutes)) * 60_000 + Number(seconds) * 1000 + Math.round(Number(`0.${fraction || "0"}`) * 1000);
  return sign === undefined ? ms : -ms;
}

/** As `hours:minutes:seconds` and a fraction with this many digits. */
export function clockOf(ms: number, hourDigits: number, separator: string, digits: number): string {
  const unit = 10 ** (3 - digits);
  const units = Math.round(ms / unit);
  const perSecond = 1000 / unit;
  const seconds = Math.floor(units / perSecond);
  const two = (value: number) => String(value).padStart(2, "0");
  const hours = String(Math.floor(seconds / 3600)).padStart(hourDigits, "0");
  const fraction = String(units % perSecond).padStart(digits, "0");
  return `${hours}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}${separator}${fraction}`;
}

/** Replaces text that would be markup in a format without escapes. */
export function withSafe(cues: readonly Cue[], unsafe: RegExp, safe: (found: string) => string, notes: Notes): readonly Cue[] {
  return cues.map((cue) => {
    const spans = cue.spans.map((span) => ({ ...span, text: span.text.replace(unsafe, safe) }));
    if (textOf({ ...cue, spans }) === textOf(cue)) return cue;
    noteOnce(
      notes,
      "CHARACTERS_REPLACED",
      `Characters with a special meaning in the format were replaced, first at ${clockOf(cue.startMs, 1, ".", 3)}.`,
    );
    return { ...cue, spans };
  });
}

/** The end of a text that has none, and after which nothing comes. */
export function endAfter(startMs: number, lastsMs: number, notes: Notes): number {
  noteOnce(
    notes,
    "MEDIA_CHANGED",
    `Texts without an end are shown for ${lastsMs / 1000} seconds, first at ${clockOf(startMs, 1, ".", 3)}.`,
  );
  return startMs + lastsMs;
}

/** Notes times that are not exact to the millisecond; `unitMs` is the format's unit. */
export function noteRounded(cues: readonly Cue[], unitMs: number, unit: string, notes: Notes): void {
  const first = cues.flatMap(({ startMs, endMs }) => [startMs, endMs]).find((ms) => Math.round(Math.round(ms / unitMs) * unitMs) !== ms);
  if (first !== undefined) notes.set("NUMBERS_ROUNDED", `Times were rounded to ${unit}, first ${clockOf(first, 1, ".", 3)}.`);
}

/** For formats in which a subtitle ends where the next one begins. */
export const inOrder = (cues: readonly Cue[]): readonly Cue[] => cues.toSorted((one, other) => one.startMs - other.startMs);

/** In some formats a text is shown until the next one. */
export function noteOverlaps(cues: readonly Cue[], notes: Notes): void {
  const first = cues.find(({ endMs }, index) => endMs > (cues[index + 1]?.startMs ?? endMs));
  if (first !== undefined)
    notes.set(
      "STRUCTURE_FLATTENED",
      `Overlapping subtitles now end where the next one begins, first at ${clockOf(first.startMs, 1, ".", 3)}.`,
    );
}
