/** Subtitles with a structure of their own: Advanced SubStation Alpha, TTML and SAMI. */
import { XMLParser, XMLValidator } from "fast-xml-parser";
import { invalid, tooComplex } from "../failure.ts";
import { assertShallowXml } from "../xml-depth.ts";
import {
  type Context,
  type Cue,
  clockOf,
  createSpans,
  decodeEntities,
  escapeMarkup,
  msOf,
  plain,
  type Span,
  type Style,
  spansOfTags,
  taggedOf,
  textOf,
  trimmed,
} from "./cues.ts";

/** Both versions: `Marked` of v4 stands where `Layer` of v4+ does, and the format line names the columns. */
export function parseAss(text: string, { notes }: Context): Cue[] {
  const [, events = ""] = text.split(/^\[Events\]\s*$/im);
  const columns = (/^Format:(.*)$/im.exec(events)?.[1] ?? "Layer,Start,End,Style,Name,MarginL,MarginR,MarginV,Effect,Text")
    .split(",")
    .map((name) => name.trim().toLowerCase());
  const cues = [...events.matchAll(/^Dialogue:(.*)$/gim)].flatMap(([, line = ""]) => {
    const cells = line.trimEnd().split(",");
    const cell = (name: string) => cells[columns.indexOf(name)] ?? "";
    const startMs = msOf(cell("start"));
    const endMs = msOf(cell("end"));
    const body = cells.slice(columns.length - 1).join(",");
    return startMs === undefined || endMs === undefined ? [] : [{ startMs, endMs, spans: assSpansOf(body, notes) }];
  });
  if ((text.match(/^Style:/gim)?.length ?? 0) > 1) notes.set("STYLING_DROPPED", undefined);
  return cues.toSorted((one, other) => one.startMs - other.startMs);
}

function assSpansOf(body: string, notes: Context["notes"]): readonly Span[] {
  const found = createSpans();
  let draws = false;
  for (const part of body.split(/(\{[^{}]*\})/)) {
    if (!part.startsWith("{") || !part.endsWith("}")) {
      if (!draws) found.add(part.replace(/\\[Nn]/g, "\n").replaceAll("\\h", "\u00a0"));
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

export const writeAss = (cues: readonly Cue[]): string => assHead + cues.map((cue) => dialogueOf("0", cue)).join("");
export const writeSsa = (cues: readonly Cue[]): string => ssaHead + cues.map((cue) => dialogueOf("Marked=0", cue)).join("");

function dialogueOf(first: string, cue: Cue): string {
  let style = plain;
  const text = cue.spans.map((span) => {
    const changes = [
      span.bold === style.bold ? "" : `\\b${Number(span.bold)}`,
      span.italic === style.italic ? "" : `\\i${Number(span.italic)}`,
      span.underline === style.underline ? "" : `\\u${Number(span.underline)}`,
    ].join("");
    style = span;
    // Braces would be commands.
    const body = span.text.replaceAll("{", "(").replaceAll("}", ")").replaceAll("\n", "\\N");
    return `${changes === "" ? "" : `{${changes}}`}${body}`;
  });
  return `Dialogue: ${first},${clockOf(cue.startMs, 1, ".", 2)},${clockOf(cue.endMs, 1, ".", 2)},Default,,0,0,0,,${text.join("")}\n`;
}

type Node = Readonly<Record<string, unknown>>;
const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null;
const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: "",
  removeNSPrefix: true,
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  ignoreDeclaration: true,
  ignorePiTags: true,
});
const maxDepth = 50;

/** Timed Text (TTML 1 and 2, DFXP). @see https://www.w3.org/TR/ttml2/ */
export function parseTtml(text: string, context: Context): Cue[] {
  if (/<!ENTITY/i.test(text)) throw tooComplex("The file declares entities of its own, which are not expanded.");
  assertShallowXml(text, maxDepth);
  if (XMLValidator.validate(text) !== true) throw invalid("The file is not XML.");
  const units = {
    fps: Number(/\bframeRate\s*=\s*["'](\d+)["']/.exec(text)?.[1] ?? 30),
    ticks: Number(/\btickRate\s*=\s*["'](\d+)["']/.exec(text)?.[1] ?? 1),
  };
  const cues: Cue[] = [];
  const visit = (nodes: unknown, baseMs: number, depth: number): void => {
    if (depth > maxDepth) throw tooComplex("The file is nested too deeply.");
    for (const node of Array.isArray(nodes) ? nodes : []) {
      if (!isNode(node)) continue;
      const name = nameOf(node);
      if (name === undefined) continue;
      const begin = ttmlMsOf(attributeOf(node, "begin"), units) ?? 0;
      if (name !== "p") visit(node[name], baseMs + (name === "body" || name === "div" ? begin : 0), depth + 1);
      else {
        const startMs = baseMs + begin;
        const duration = ttmlMsOf(attributeOf(node, "dur"), units);
        const end = ttmlMsOf(attributeOf(node, "end"), units);
        if (end === undefined && duration === undefined) continue;
        const found = createSpans();
        addTtml(node, found, context, depth);
        cues.push({ startMs, endMs: end === undefined ? startMs + (duration ?? 0) : baseMs + end, spans: trimmed(found.spans) });
      }
    }
  };
  visit(parser.parse(text), 0, 0);
  return cues;
}

const nameOf = (node: Node): string | undefined => Object.keys(node).find((name) => name !== ":@");

function attributeOf(node: Node, name: string): string | undefined {
  const attributes = node[":@"];
  const value = isNode(attributes) ? attributes[name] : undefined;
  return typeof value === "string" ? value : undefined;
}

function addTtml(node: Node, found: ReturnType<typeof createSpans>, context: Context, depth: number): void {
  if (depth > maxDepth) throw tooComplex("The file is nested too deeply.");
  const before = found.style;
  const is = (name: string, pattern: RegExp, otherwise: boolean) => {
    const value = attributeOf(node, name);
    return value === undefined ? otherwise : pattern.test(value);
  };
  found.set({
    bold: is("fontWeight", /^bold$/, before.bold),
    italic: is("fontStyle", /^(italic|oblique)$/, before.italic),
    underline: is("textDecoration", /\bunderline\b/, before.underline),
  });
  if (["color", "region", "style", "fontFamily", "fontSize", "backgroundColor"].some((name) => attributeOf(node, name) !== undefined)) {
    context.notes.set("STYLING_DROPPED", undefined);
  }
  const children = node[nameOf(node) ?? ""];
  for (const child of Array.isArray(children) ? children : []) {
    if (!isNode(child)) continue;
    const name = nameOf(child);
    if (name === "#text") found.add(String(child["#text"] ?? "").replace(/\s+/g, " "));
    else if (name === "br") found.add("\n");
    else if (name === "span") addTtml(child, found, context, depth + 1);
  }
  found.set(before);
}

/** Clock times with a fraction or frames, and offsets with a metric. */
function ttmlMsOf(text: string | undefined, { fps, ticks }: { readonly fps: number; readonly ticks: number }): number | undefined {
  if (text === undefined) return undefined;
  const [, amount, metric] = /^([\d.]+)(h|ms|m|s|f|t)$/.exec(text.trim()) ?? [];
  if (amount !== undefined) {
    const ms = { h: 3_600_000, m: 60_000, s: 1000, ms: 1, f: 1000 / fps, t: 1000 / ticks }[metric ?? "s"] ?? 1000;
    return Math.round(Number(amount) * ms);
  }
  const [, clock = "", frames] = /^(\d+:\d+:\d+):(\d+)$/.exec(text.trim()) ?? [];
  if (frames !== undefined) return (msOf(clock) ?? 0) + Math.round((Number(frames) * 1000) / fps);
  return msOf(text);
}

export function writeTtml(cues: readonly Cue[]): string {
  const lines = cues.map((cue) => {
    const body = cue.spans.map((span) => {
      const text = escapeMarkup(span.text).replaceAll("\n", "<br/>");
      const marks = [
        span.bold ? ' tts:fontWeight="bold"' : "",
        span.italic ? ' tts:fontStyle="italic"' : "",
        span.underline ? ' tts:textDecoration="underline"' : "",
      ].join("");
      return marks === "" ? text : `<span${marks}>${text}</span>`;
    });
    return `      <p begin="${clockOf(cue.startMs, 2, ".", 3)}" end="${clockOf(cue.endMs, 2, ".", 3)}">${body.join("")}</p>\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
<tt xmlns="http://www.w3.org/ns/ttml" xmlns:tts="http://www.w3.org/ns/ttml#styling" xml:lang="">
  <body>
    <div>
${lines.join("")}    </div>
  </body>
</tt>
`;
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
    return [{ startMs, spans: spansOfTags(withoutComments(body).replace(/\s+/g, " "), notes, decodeEntities) }];
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

export function writeSami(cues: readonly Cue[]): string {
  const syncs = cues.flatMap((cue, index) => {
    const next = cues[index + 1];
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
