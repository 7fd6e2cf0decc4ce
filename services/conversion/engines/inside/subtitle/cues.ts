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

/** HTML entity names of the characters from U+00A0 on, in order. */
const latin1 = (
  "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 " +
  "ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc " +
  "Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml " +
  "aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave " +
  "uacute ucirc uuml yacute thorn yuml"
).split(" ");

const named: Readonly<Record<string, string>> = {
  ...Object.fromEntries(latin1.map((name, index) => [name, String.fromCharCode(0xa0 + index)])),
  ndash: "\u2013",
  mdash: "\u2014",
  lsquo: "\u2018",
  rsquo: "\u2019",
  sbquo: "\u201a",
  ldquo: "\u201c",
  rdquo: "\u201d",
  bdquo: "\u201e",
  bull: "\u2022",
  hellip: "\u2026",
  euro: "\u20ac",
  trade: "\u2122",
  OElig: "\u0152",
  oelig: "\u0153",
  Scaron: "\u0160",
  scaron: "\u0161",
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  lrm: "\u200e",
  rlm: "\u200f",
};

export function decodeEntities(text: string): string {
  return text.replace(/&(#x[\da-f]+|#\d+|[a-z]+\d{0,2});/gi, (whole, name: string) => {
    if (!name.startsWith("#")) return named[name] ?? named[name.toLowerCase()] ?? whole;
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : whole;
  });
}

export const escapeMarkup = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

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
