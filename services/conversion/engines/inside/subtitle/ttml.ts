/** Timed Text (TTML 1 and 2, DFXP). @see https://www.w3.org/TR/ttml2/ */
import { XMLParser, XMLValidator } from "fast-xml-parser";
import { decodeEntities, escapeMarkup } from "../entities.ts";
import { noteAlso } from "../exchange.ts";
import { invalid, tooComplex } from "../failure.ts";
import { assertShallowXml } from "../xml-depth.ts";
import { type Context, type Cue, clockOf, createSpans, endAfter, plain, type Style, textOf, trimmed } from "./cues.ts";
import { wordsTimed } from "./plain-formats.ts";
import { type Clock, clockOfDocument, msOfTime } from "./ttml-time.ts";

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
  // The parser does not decode numeric character references.
  processEntities: false,
  cdataPropName: "#cdata",
  ignoreDeclaration: true,
  ignorePiTags: true,
});
const maxDepth = 50;
/** How long, in milliseconds, a last text without an end is shown. */
const lastMs = 5000;

/** When an element is active; `isTimed` if it or an ancestor has times. */
type Interval = { readonly startMs: number; readonly endMs: number | undefined; readonly isTimed: boolean; readonly style: Style };
type Open = Omit<Cue, "endMs"> & { readonly endMs: number | undefined };
/** The attributes of styles, by identifier. */
type Styles = Map<string, Readonly<Record<string, string | undefined>>>;

export function parseTtml(text: string, context: Context): Cue[] {
  if (/<!ENTITY/i.test(text)) throw tooComplex("The file declares its own entities, which are not expanded.");
  assertShallowXml(text, maxDepth);
  if (XMLValidator.validate(text) !== true) throw invalid("The file is not XML.");
  const isLyric = /music\.apple\.com\/lyric-ttml/.test(text);
  const reading = { context, clock: clockOfDocument(text), cues: [] as Open[], styles: new Map(), isLyric };
  visit(parser.parse(text), { startMs: 0, endMs: undefined, isTimed: false, style: plain }, false, reading, 0);
  noteFacts(text, context);
  const cues = reading.cues.toSorted((one, other) => one.startMs - other.startMs);
  return cues.map((cue, index) => {
    const next = cues.slice(index + 1, index + 100).find(({ startMs }) => startMs > cue.startMs);
    return { ...cue, endMs: cue.endMs ?? next?.startMs ?? endAfter(cue.startMs, lastMs, context.notes) };
  });
}

function noteFacts(text: string, { notes }: Context): void {
  const [head = ""] = text.split(/<(?:\w+:)?body\b/, 1);
  if (/<(?:\w+:)?(?:title|desc|copyright|agent|name|songwriter)\b[^<>]*>\s*[^<\s]/.test(text))
    noteAlso(notes, "METADATA_DROPPED", "Titles, descriptions and speakers were left out.");
  else if (/\sxml:lang\s*=\s*["'][^"']/.test(text)) noteAlso(notes, "METADATA_DROPPED", "The language was left out.");
  if (/<(?:\w+:)?(?:region|initial)\b/.test(head)) notes.set("STYLING_DROPPED", undefined);
}

type Reading = {
  readonly context: Context;
  readonly clock: Clock;
  readonly cues: Open[];
  readonly styles: Styles;
  /** Lyrics of Apple Music, which count all times from the start of the song. */
  readonly isLyric: boolean;
};

/** Collects styles, each with those before it that it refers to. */
function addStyles(nodes: unknown, { styles, context }: Reading): void {
  for (const node of Array.isArray(nodes) ? nodes : []) {
    const id = isNode(node) ? attributeOf(node, "id") : undefined;
    if (!isNode(node) || nameOf(node) !== "style") continue;
    noteLooks(node, context);
    if (referredBy(node).some((other) => !styles.has(other))) context.notes.set("STYLING_DROPPED", undefined);
    if (id !== undefined)
      styles.set(id, {
        fontWeight: lookOf(node, "fontWeight", styles),
        fontStyle: lookOf(node, "fontStyle", styles),
        textDecoration: lookOf(node, "textDecoration", styles),
      });
  }
}

const referredBy = (node: Node): readonly string[] => (attributeOf(node, "style") ?? "").split(/\s+/).filter((id) => id !== "");

/** An attribute of an element, or that of the last of its styles that has it. */
function lookOf(node: Node, name: string, styles: Styles): string | undefined {
  const named = referredBy(node).map((id) => styles.get(id)?.[name]);
  return attributeOf(node, name) ?? named.findLast((look) => look !== undefined);
}

function styleOf(node: Node, around: Style, styles: Styles): Style {
  const is = (name: string, pattern: RegExp, otherwise: boolean) => {
    const value = lookOf(node, name, styles);
    return value === undefined ? otherwise : pattern.test(value);
  };
  return {
    bold: is("fontWeight", /^bold$/, around.bold),
    italic: is("fontStyle", /^(italic|oblique)$/, around.italic),
    underline: is("textDecoration", /\bunderline\b/, around.underline),
  };
}

/** Returns when the last of the nodes ends: in a sequence, each starts where the previous one ended. */
function visit(nodes: unknown, within: Interval, isSequence: boolean, reading: Reading, depth: number): number {
  if (depth > maxDepth) throw tooComplex("The file is nested too deeply.");
  let at = within.startMs;
  for (const node of Array.isArray(nodes) ? nodes : []) {
    if (!isNode(node)) continue;
    const name = nameOf(node);
    if (name === undefined || name === "#text") continue;
    if (name === "head") {
      const inside = node[name];
      for (const part of Array.isArray(inside) ? inside : []) addStyles(isNode(part) ? part["styling"] : [], reading);
      continue;
    }
    noteLooks(node, reading.context);
    const interval = intervalOf(node, isSequence ? { ...within, startMs: at } : within, reading);
    if (interval === undefined) continue;
    if (name === "p") addParagraph(node, interval, reading, depth);
    const end =
      name === "p" ? interval.startMs : visit(node[name], interval, attributeOf(node, "timeContainer") === "seq", reading, depth + 1);
    at = interval.endMs ?? end;
  }
  return at;
}

/** Undefined, with a note, if a time cannot be parsed. */
function intervalOf(node: Node, within: Interval, { clock, context, styles, isLyric }: Reading): Interval | undefined {
  const times = ["begin", "end", "dur"].map((name) => attributeOf(node, name));
  const [begin, end, duration] = times.map((time) => (time === undefined ? undefined : msOfTime(time, clock)));
  const unread = times.find((time, index) => time !== undefined && [begin, end, duration][index] === undefined);
  if (unread !== undefined) {
    context.notes.set("INPUT_DAMAGED", `A time could not be read (${unread.slice(0, 40)}); its text was left out.`);
    return undefined;
  }
  const from = isLyric ? 0 : within.startMs;
  const startMs = begin === undefined ? within.startMs : from + begin;
  const ends = [
    ...(end === undefined ? [] : [from + end]),
    ...(duration === undefined ? [] : [startMs + duration]),
    ...(within.endMs === undefined ? [] : [within.endMs]),
  ];
  const isTimed = within.isTimed || times.some((time) => time !== undefined);
  const style = styleOf(node, within.style, styles);
  return { startMs, endMs: ends.length === 0 ? undefined : Math.max(startMs, Math.min(...ends)), isTimed, style };
}

/** Spans with times of their own become separate cues, but not the words of lyrics. */
function addParagraph(node: Node, interval: Interval, reading: Reading, depth: number): void {
  const { context, cues } = reading;
  const found = createSpans();
  const timed: Node[] = [];
  found.set(interval.style);
  addTtml(node, found, reading, depth, timed);
  const spans = trimmed(found.spans);
  const text = textOf({ startMs: 0, endMs: 0, spans });
  if (!interval.isTimed && text !== "") context.notes.set("INPUT_DAMAGED", `A text without a time was left out: ${text.slice(0, 40)}`);
  if (interval.isTimed && text !== "") cues.push({ ...interval, spans });
  for (const span of timed) {
    const own = intervalOf(span, interval, reading);
    if (own === undefined) continue;
    const inner = createSpans();
    inner.set(own.style);
    addTtml(span, inner, reading, depth + 1);
    cues.push({ ...own, spans: trimmed(inner.spans) });
  }
}

const nameOf = (node: Node): string | undefined => Object.keys(node).find((name) => name !== ":@");

function attributeOf(node: Node, name: string): string | undefined {
  const attributes = node[":@"];
  const value = isNode(attributes) ? attributes[name] : undefined;
  return typeof value === "string" ? value : undefined;
}

/** TTML style attributes whose names are not used for anything else. */
const looks = (
  "color region fontFamily fontShear fontSize fontVariant backgroundColor backgroundImage border direction display displayAlign disparity " +
  "extent fillLineGap letterSpacing lineHeight linePadding lineShear multiRowAlign opacity origin overflow padding position ruby shear " +
  "showBackground textAlign textCombine textEmphasis textOrientation textOutline textShadow unicodeBidi visibility wrapOption writingMode zIndex"
).split(" ");

function noteLooks(node: Node, { notes }: Context): void {
  const isStruck = /lineThrough|overline/.test(attributeOf(node, "textDecoration") ?? "");
  if (isStruck || looks.some((name) => attributeOf(node, name) !== undefined)) notes.set("STYLING_DROPPED", undefined);
}

const isTimedSpan = (node: Node): boolean => ["begin", "end", "dur"].some((name) => attributeOf(node, name) !== undefined);

/** XML white space, which does not include the no-break space. */
const evened = (text: string, { keepsBlanks }: Context) => text.replace(keepsBlanks === true ? /[\t\r\n]/g : /[ \t\r\n]+/g, " ");

/** Single blanks next to line breaks are not shown. */
const besideBreaks = (text: string, follows: boolean, precedes: boolean) =>
  text.slice(follows && text.startsWith(" ") ? 1 : 0, precedes && text.endsWith(" ") ? -1 : text.length);

function cdataOf(node: Node): string {
  const parts = node["#cdata"];
  return (Array.isArray(parts) ? parts : []).map((part) => (isNode(part) ? String(part["#text"] ?? "") : "")).join("");
}

/** Elements without text; those of other languages, such as `i`, are taken for spans. */
const facts = new Set(["metadata", "set", "image", "audio"]);

/** Adds the text of an element; timed spans are collected in `timed`, if given. */
function addTtml(node: Node, found: ReturnType<typeof createSpans>, around: Reading, depth: number, timed?: Node[]): void {
  const space = attributeOf(node, "space");
  const context = space === undefined ? around.context : { ...around.context, keepsBlanks: space === "preserve" };
  if (depth > maxDepth) throw tooComplex("The file is nested too deeply.");
  const before = found.style;
  found.set(styleOf(node, before, around.styles));
  noteLooks(node, context);
  const inside = node[nameOf(node) ?? ""];
  const children = (Array.isArray(inside) ? inside : []).filter(isNode);
  const isBreak = (place: number) => nameOf(children[place] ?? {}) === "br";
  for (const [place, child] of children.entries()) {
    const name = nameOf(child);
    const isTimed = timed !== undefined && isTimedSpan(child);
    if (isTimed && around.isLyric) noteAlso(context.notes, "METADATA_DROPPED", wordsTimed);
    if (name === "#cdata") found.add(cdataOf(child));
    else if (name === "#text") {
      const text = evened(String(child["#text"] ?? ""), context);
      found.add(decodeEntities(context.keepsBlanks === true ? text : besideBreaks(text, isBreak(place - 1), isBreak(place + 1))));
    } else if (name === "br") found.add("\n");
    else if (name === undefined || facts.has(name)) continue;
    else if (isTimed && !around.isLyric) timed.push(child);
    else addTtml(child, found, { ...around, context }, depth + 1, timed);
  }
  found.set(before);
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
    const kept = /[ \t]{2}/.test(textOf(cue)) ? ' xml:space="preserve"' : "";
    return `      <p${kept} begin="${clockOf(cue.startMs, 2, ".", 3)}" end="${clockOf(cue.endMs, 2, ".", 3)}">${body.join("")}</p>\n`;
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
