/** Structured subtitles: writes Advanced SubStation Alpha, reads and writes SAMI. */
import { decodeEntities, escapeMarkup } from "../entities.ts";
import { noteAlso, noteOnce } from "../exchange.ts";
import { wordJoiner } from "./ass-reading.ts";
import {
  type Context,
  type Cue,
  clockOf,
  endAfter,
  inOrder,
  noteOverlaps,
  noteRounded,
  plain,
  spansOfTags,
  taggedOf,
  textOf,
  withSafe,
} from "./cues.ts";

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
    // Braces would be commands, and players agree on no escape for them.
    const safe = span.text.replaceAll("{", "(").replaceAll("}", ")");
    const split = safe.replace(/\\(?=[Nnh])/g, `\\${wordJoiner}`);
    const at = clockOf(cue.startMs, 1, ".", 3);
    if (split !== safe)
      notes.set(
        "CHARACTERS_REPLACED",
        `An invisible character was added after a backslash, so that it is not read as a command, for example at ${at}.`,
      );
    if (safe !== span.text) notes.set("CHARACTERS_REPLACED", `Braces became parentheses, for example at ${at}.`);
    const body = split.replaceAll("\n", "\\N");
    return `${changes === "" ? "" : `{${changes}}`}${body}`;
  });
  return `Dialogue: ${first},${clockOf(cue.startMs, 1, ".", 2)},${clockOf(cue.endMs, 1, ".", 2)},Default,,0,0,0,,${text.join("")}\n`;
}

/** SAMI: a cue ends where the next one starts, which is often empty. The first language is used. */
export function parseSami(text: string, { notes }: Context): Cue[] {
  const syncs = text.split(/<sync\b/i).slice(1);
  const classes = new Set([...text.matchAll(/<p\b[^<>]*\bclass\s*=\s*["']?([\w-]+)/gi)].map(([, name = ""]) => name.toLowerCase()));
  const [first] = classes;
  noteHead(text, notes);
  if (classes.size > 1) notes.set("TRACKS_LEFT_OUT", "Only the first language was converted.");
  const marks = syncs.flatMap((sync) => {
    const startMs = Number(/^[^>]*\bstart\s*=\s*["']?(-?\d+)/i.exec(sync)?.[1] ?? Number.NaN);
    const body = sync.slice(sync.indexOf(">") + 1).replace(/<\/(body|sami|sync)>[\s\S]*$/i, "");
    // One paragraph for each language; several of one language are lines.
    const paragraphs = withoutComments(body)
      .split(/(?=<p\b)/i)
      .filter((paragraph) => {
        const language = /^<p\b[^<>]*\bclass\s*=\s*["']?([\w-]+)/i.exec(paragraph)?.[1]?.toLowerCase();
        return paragraph.trim() !== "" && (language === undefined || first === undefined || language === first);
      });
    if (Number.isNaN(startMs)) noteOnce(notes, "INPUT_DAMAGED", "Texts without a time were left out.");
    if (Number.isNaN(startMs) || paragraphs.length === 0) return [];
    // Line ends in the file are blanks; only <br> breaks a line.
    return [{ startMs, spans: spansOfTags(paragraphs.join("<br>").replace(/[ \t\r\n]+/g, " "), notes, decodeEntities) }];
  });
  return marks.flatMap(({ startMs, spans }, index) => {
    const text = spans
      .map((span) => span.text)
      .join("")
      .replaceAll("\u00a0", " ")
      .trim();
    return text === "" ? [] : [{ startMs, endMs: marks[index + 1]?.startMs ?? endAfter(startMs, 5000, notes), spans }];
  });
}

/** Notes header content; our own headers have none. */
function noteHead(text: string, notes: Context["notes"]): void {
  const head = text.split(/<body\b/i, 1)[0] ?? "";
  if (/<title\b[^<>]*>\s*[^<\s]/i.test(head)) noteAlso(notes, "METADATA_DROPPED", "The title was left out.");
  const [, , style = ""] = /<style\b([^<>]*)>([^<]*(?:<!--[^<]*)?)/i.exec(head) ?? [];
  const isSaid = style.split(/[{};]/).some((declaration) => {
    const [name = "", value] = declaration.toLowerCase().split(":", 2);
    return value !== undefined && !facts.has(name.trim()) && !ownLooks.has(`${name.trim()}:${value.trim()}`);
  });
  if (isSaid) notes.set("STYLING_DROPPED", undefined);
}

const facts = new Set(["name", "lang", "samitype"]);
const ownLooks = new Set(["font-family:arial", "text-align:center"]);

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

export function writeSami(given: readonly Cue[], { notes }: Context): string {
  const cues = inOrder(given);
  noteOverlaps(cues, notes);
  // HTML collapses repeated blanks.
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
