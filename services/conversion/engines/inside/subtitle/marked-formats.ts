/** Subtitles with a structure of their own: Advanced SubStation Alpha and SAMI. */
import {
  type Context,
  type Cue,
  clockOf,
  createSpans,
  decodeEntities,
  escapeMarkup,
  msOf,
  noteOverlaps,
  noteRounded,
  plain,
  type Span,
  type Style,
  spansOfTags,
  taggedOf,
  textOf,
  trimmed,
  withSafe,
} from "./cues.ts";

/** Both versions: `Marked` of v4 stands where `Layer` of v4+ does, and the format line names the columns. */
export function parseAss(text: string, { notes }: Context): Cue[] {
  const [, events = ""] = text.split(/^\[Events\]\s*$/im);
  const columns = (/^Format:(.*)$/im.exec(events)?.[1] ?? "Layer,Start,End,Style,Name,MarginL,MarginR,MarginV,Effect,Text")
    .split(",")
    .map((name) => name.trim().toLowerCase());
  const lines = events.split(/\r\n?|\n/).filter((line) => /^Dialogue:/i.test(line));
  const cues = lines.flatMap((line) => {
    const cells = line.slice("Dialogue:".length).trimEnd().split(",");
    const cell = (name: string) => cells[columns.indexOf(name)] ?? "";
    const startMs = msOf(cell("start"));
    const endMs = msOf(cell("end"));
    const body = cells.slice(columns.length - 1).join(",");
    if (cell("name").trim() !== "") notes.set("METADATA_DROPPED", "Speakers' names were left out.");
    return startMs === undefined || endMs === undefined ? [] : [{ startMs, endMs, spans: assSpansOf(body, notes) }];
  });
  if ((text.match(/^Style:/gim)?.length ?? 0) > 1) notes.set("STYLING_DROPPED", undefined);
  return cues.toSorted((one, other) => one.startMs - other.startMs);
}

/** Stand for braces that are text while commands are looked for. */
const [openBrace, closeBrace] = ["\ue000", "\ue001"];
/** Keeps a backslash and the letter behind it from being a command, as ffmpeg does. */
const wordJoiner = "\u2060";

function assTextOf(part: string): string {
  const text = part
    .replace(/\\[Nn]/g, "\n")
    .replaceAll("\\h", "\u00a0")
    .replaceAll(`\\${wordJoiner}`, "\\");
  return text.replaceAll(openBrace, "{").replaceAll(closeBrace, "}");
}

function assSpansOf(body: string, notes: Context["notes"]): readonly Span[] {
  const found = createSpans();
  let draws = false;
  // As libass and ffmpeg write braces.
  const plainBody = body.replaceAll("\\{", openBrace).replaceAll("\\}", closeBrace);
  for (const part of plainBody.split(/(\{[^{}]*\})/)) {
    if (!part.startsWith("{") || !part.endsWith("}")) {
      if (!draws) found.add(assTextOf(part));
      continue;
    }
    for (const [, code = "", value = ""] of part.matchAll(/\\([a-z]+|\d?[a-z]+)([^\\}]*)/gi)) {
      const style = assStyles[code];
      if (style !== undefined) found.set({ [style]: /^[1-9]/.test(value) });
      else if (code === "r") found.set(plain);
      else {
        // A drawing is no text.
        if (code === "p") draws = /^[1-9]/.test(value);
        notes.set("STYLING_DROPPED", undefined);
      }
    }
  }
  return trimmed(found.spans);
}

const assStyles: Readonly<Record<string, keyof Style>> = { b: "bold", i: "italic", u: "underline" };

const assHead = `[Script Info]
ScriptType: v4.00+
PlayResX: 384
PlayResY: 288
ScaledBorderAndShadow: yes

[V4+ Styles]
Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, Italic, Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, MarginV, Encoding
Style: Default,Arial,16,&Hffffff,&Hffffff,&H0,&H0,0,0,0,0,100,100,0,0,1,1,0,2,10,10,10,1

[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
`;
const ssaHead = `[Script Info]
ScriptType: v4.00
PlayResX: 384
PlayResY: 288

[V4 Styles]
Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, TertiaryColour, BackColour, Bold, Italic, BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, MarginV, AlphaLevel, Encoding
Style: Default,Arial,16,16777215,16777215,0,0,0,0,1,1,0,2,10,10,10,0,1

[Events]
Format: Marked, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
`;

export function writeAss(cues: readonly Cue[], { notes }: Context): string {
  noteRounded(cues, 10, "hundredths of a second", notes);
  return assHead + cues.map((cue) => dialogueOf("0", cue, notes)).join("");
}

export function writeSsa(cues: readonly Cue[], { notes }: Context): string {
  noteRounded(cues, 10, "hundredths of a second", notes);
  return ssaHead + cues.map((cue) => dialogueOf("Marked=0", cue, notes)).join("");
}

function dialogueOf(first: string, cue: Cue, notes: Context["notes"]): string {
  let style = plain;
  const text = cue.spans.map((span) => {
    const changes = [
      span.bold === style.bold ? "" : `\\b${Number(span.bold)}`,
      span.italic === style.italic ? "" : `\\i${Number(span.italic)}`,
      span.underline === style.underline ? "" : `\\u${Number(span.underline)}`,
    ].join("");
    style = span;
    // Braces would be commands, for which players agree on no other way to write them.
    const safe = span.text.replaceAll("{", "(").replaceAll("}", ")");
    const split = safe.replace(/\\(?=[Nnh])/g, `\\${wordJoiner}`);
    const at = clockOf(cue.startMs, 1, ".", 3);
    if (split !== safe)
      notes.set(
        "CHARACTERS_REPLACED",
        `An invisible character was added after a backslash, so that it is not read as a command, as at ${at}.`,
      );
    if (safe !== span.text) notes.set("CHARACTERS_REPLACED", `Braces became parentheses, as at ${at}.`);
    const body = split.replaceAll("\n", "\\N");
    return `${changes === "" ? "" : `{${changes}}`}${body}`;
  });
  return `Dialogue: ${first},${clockOf(cue.startMs, 1, ".", 2)},${clockOf(cue.endMs, 1, ".", 2)},Default,,0,0,0,,${text.join("")}\n`;
}

/** SAMI: a cue ends where the next begins, of which many are empty. The first language is taken. */
export function parseSami(text: string, { notes }: Context): Cue[] {
  const syncs = text.split(/<sync\b/i).slice(1);
  const classes = new Set([...text.matchAll(/<p\b[^<>]*\bclass\s*=\s*["']?([\w-]+)/gi)].map(([, name = ""]) => name.toLowerCase()));
  const [first] = classes;
  if (classes.size > 1) notes.set("TRACKS_LEFT_OUT", "Only the first language was converted.");
  const marks = syncs.flatMap((sync) => {
    const startMs = Number(/^[^>]*\bstart\s*=\s*["']?(\d+)/i.exec(sync)?.[1] ?? Number.NaN);
    const body = sync.slice(sync.indexOf(">") + 1).replace(/<\/(body|sami|sync)>[\s\S]*$/i, "");
    const language = /<p\b[^<>]*\bclass\s*=\s*["']?([\w-]+)/i.exec(body)?.[1]?.toLowerCase();
    if (Number.isNaN(startMs) || (language !== undefined && first !== undefined && language !== first)) return [];
    // Line ends in the file are blanks; only <br> ends a line.
    return [{ startMs, spans: spansOfTags(withoutComments(body).replace(/[ \t\r\n]+/g, " "), notes, decodeEntities) }];
  });
  return marks.flatMap(({ startMs, spans }, index) => {
    const text = spans
      .map((span) => span.text)
      .join("")
      .replaceAll("\u00a0", " ")
      .trim();
    return text === "" ? [] : [{ startMs, endMs: marks[index + 1]?.startMs ?? startMs + 5000, spans }];
  });
}

function withoutComments(text: string): string {
  const kept: string[] = [];
  let at = 0;
  for (let open = text.indexOf("<!--"); open >= 0; open = text.indexOf("<!--", at)) {
    const end = text.indexOf("-->", open + 4);
    if (end < 0) break;
    kept.push(text.slice(at, open));
    at = end + 3;
  }
  return kept.join("") + text.slice(at);
}

export function writeSami(cues: readonly Cue[], { notes }: Context): string {
  noteOverlaps(cues, notes);
  // In HTML several blanks are one.
  const safe = withSafe(cues, /[ \t]{2,}/g, (found) => "\u00a0".repeat(found.length - 1) + " ", notes);
  const syncs = safe.flatMap((cue, index) => {
    const next = safe[index + 1];
    const isGap = next === undefined || next.startMs > cue.endMs;
    const text = taggedOf(cue.spans, escapeMarkup).replaceAll("\n", "<br>");
    return [
      `<SYNC Start=${cue.startMs}><P Class=SUBTITLE>${text}</P></SYNC>\n`,
      ...(isGap ? [`<SYNC Start=${cue.endMs}><P Class=SUBTITLE>&nbsp;</P></SYNC>\n`] : []),
    ];
  });
  return `<SAMI>
<HEAD>
<STYLE TYPE="text/css"><!--
P { font-family: Arial; text-align: center; }
.SUBTITLE { Name: Subtitle; SAMIType: CC; }
--></STYLE>
</HEAD>
<BODY>
${syncs.join("")}</BODY>
</SAMI>
`;
}

export function writeText(cues: readonly Cue[]): string {
  return `${cues.map(textOf).join("\n")}\n`;
}
