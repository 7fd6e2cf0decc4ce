/** Reads SubStation Alpha, both versions. @see http://www.tcax.org/docs/ass-specs.htm */
import { noteAlso, noteOnce } from "../exchange.ts";
import { type Context, type Cue, clockOf, createSpans, msOf, plain, type Span, type Style, trimmed } from "./cues.ts";

type Notes = Context["notes"];
type Row = (column: string) => string;
type Reading = { readonly styles: ReadonlyMap<string, Style>; readonly notes: Notes };

const usualEvents = "Layer,Start,End,Style,Name,MarginL,MarginR,MarginV,Effect,Text";

/** `Marked` of v4 takes the place of `Layer` in v4+; the format line names the columns. */
export function parseAss(text: string, { notes }: Context): Cue[] {
  const sections = sectionsOf(text);
  const reading = { styles: stylesOf(sections, notes), notes };
  noteFacts(sections, notes);
  const cues = rowsOf(sections.get("events") ?? [], "Dialogue", usualEvents).flatMap((row) => cueOf(row, reading));
  return cues.toSorted((one, other) => one.startMs - other.startMs);
}

/** Lines by section heading. */
function sectionsOf(text: string): ReadonlyMap<string, readonly string[]> {
  const sections = new Map<string, string[]>();
  let lines: string[] = [];
  for (const line of text.split(/\r\n?|\n/)) {
    const [, name] = /^\[([^\]]+)\]\s*$/.exec(line) ?? [];
    if (name === undefined) lines.push(line);
    else {
      lines = sections.get(name.toLowerCase()) ?? [];
      sections.set(name.toLowerCase(), lines);
    }
  }
  return sections;
}

/** The last column extends to the end of the line. */
function rowsOf(lines: readonly string[], kind: string, usual: string): readonly Row[] {
  const columnsIn = (line: string) => line.split(",").map((name) => name.trim().toLowerCase());
  const told = lines.find((line) => /^Format:/i.test(line));
  const columns = columnsIn(told === undefined ? usual : told.slice("Format:".length));
  const start = `${kind.toLowerCase()}:`;
  return lines.flatMap((line) => {
    if (!line.toLowerCase().startsWith(start)) return [];
    const cells = line.slice(start.length).trimEnd().split(",");
    const last = cells.slice(columns.length - 1).join(",");
    return [(column) => (column === columns.at(-1) ? last : (cells[columns.indexOf(column)] ?? "").trim())];
  });
}

/** Defaults written by programs without styling. */
const usualLooks: Readonly<Record<string, RegExp>> = {
  fontname: /^Arial$/i,
  primarycolour: /^(&H0*ffffff&?|16777215)$/i,
  outlinecolour: /^&H0*&?$/i,
  backcolour: /^(&H0*&?|0)$/i,
  strikeout: /^0$/,
  scalex: /^100$/,
  scaley: /^100$/,
  spacing: /^0(\.0+)?$/,
  angle: /^0(\.0+)?$/,
  alignment: /^2$/,
};

function stylesOf(sections: ReadonlyMap<string, readonly string[]>, notes: Notes): ReadonlyMap<string, Style> {
  const lines = [...(sections.get("v4+ styles") ?? []), ...(sections.get("v4 styles") ?? [])];
  const rows = rowsOf(lines, "Style", "Name,Fontname,Fontsize");
  const isOn = (row: Row, column: string) => /^-?[1-9]/.test(row(column));
  const isUsual = (row: Row) => Object.entries(usualLooks).every(([column, usual]) => row(column) === "" || usual.test(row(column)));
  const marked = rows.find((row) => !isUsual(row));
  if (marked !== undefined)
    notes.set("STYLING_DROPPED", `Fonts, colours and positions of styles were left out, first of ${shown(marked("name"))}.`);
  else if (rows.length > 1) notes.set("STYLING_DROPPED", undefined);
  return new Map(
    rows.map((row) => [
      row("name").replace(/^\*/, ""),
      { bold: isOn(row, "bold"), italic: isOn(row, "italic"), underline: isOn(row, "underline") },
    ]),
  );
}

const shown = (name: string) => name.slice(0, 40);

function noteFacts(sections: ReadonlyMap<string, readonly string[]>, notes: Notes): void {
  const isTold = (sections.get("script info") ?? []).some((line) =>
    /^(Title|Original [\w ]+|Script Updated By|Update Details):\s*\S/i.test(line),
  );
  const hasComments = (sections.get("events") ?? []).some((line) => /^Comment:/i.test(line));
  if (isTold) noteAlso(notes, "METADATA_DROPPED", "The title and other details of the script were left out.");
  if (hasComments) noteAlso(notes, "METADATA_DROPPED", "Comments were left out.");
  if (sections.has("fonts") || sections.has("graphics")) notes.set("STYLING_DROPPED", "Fonts and pictures in the file were left out.");
}

function cueOf(row: Row, { styles, notes }: Reading): readonly Cue[] {
  const [startMs, endMs] = [msOf(row("start")), msOf(row("end"))];
  if (startMs === undefined || endMs === undefined) {
    noteOnce(notes, "INPUT_DAMAGED", `Texts whose times could not be read were left out, first ${shown(row("start"))}.`);
    return [];
  }
  const at = clockOf(startMs, 1, ".", 3);
  if (row("name") !== "") noteAlso(notes, "METADATA_DROPPED", "Speakers' names were left out.");
  const isPlaced = ["marginl", "marginr", "marginv", "effect"].some((column) => /[^0]/.test(row(column)));
  if (isPlaced) noteOnce(notes, "STYLING_DROPPED", `Positions and effects of texts were left out, first at ${at}.`);
  const style = styles.get(row("style").replace(/^\*/, "")) ?? plain;
  return [{ startMs, endMs, spans: spansOf(row("text"), { style, styles, notes, at }) }];
}

/** Placeholders for literal braces while override tags are parsed. */
const [openBrace, closeBrace] = ["\ue000", "\ue001"];
/** Keeps a backslash and the next character from becoming a command, as in ffmpeg. */
export const wordJoiner = "\u2060";

function plainTextOf(part: string): string {
  const text = part
    .replace(/\\[Nn]/g, "\n")
    .replaceAll("\\h", "\u00a0")
    .replaceAll(`\\${wordJoiner}`, "\\");
  return text.replaceAll(openBrace, "{").replaceAll(closeBrace, "}");
}

const commands: Readonly<Record<string, keyof Style>> = { b: "bold", i: "italic", u: "underline" };

function spansOf(body: string, { style, styles, notes, at }: Reading & { readonly style: Style; readonly at: string }): readonly Span[] {
  const found = createSpans();
  found.set(style);
  let draws = false;
  // Escaped braces, as libass and ffmpeg write them.
  const plainBody = body.replaceAll("\\{", openBrace).replaceAll("\\}", closeBrace);
  for (const part of plainBody.split(/(\{[^{}]*\})/)) {
    if (!part.startsWith("{") || !part.endsWith("}")) {
      if (!draws) found.add(plainTextOf(part));
      continue;
    }
    if (!part.includes("\\") && /[^\s{}]/.test(part)) noteAlso(notes, "METADATA_DROPPED", "Comments were left out.");
    for (const [, code = "", value = ""] of part.matchAll(/\\(r|[a-z]+|\d?[a-z]+)([^\\}]*)/gi)) {
      const command = commands[code];
      if (command !== undefined) found.set({ [command]: /^[1-9]/.test(value) });
      else if (code === "r") found.set(styles.get(value.trim()) ?? style);
      else if (code === "p") {
        // Drawing commands are not text.
        draws = /^[1-9]/.test(value);
        if (draws) noteOnce(notes, "STYLING_DROPPED", `Drawings were left out, first at ${at}.`);
      } else
        noteOnce(notes, "STYLING_DROPPED", `Signs within texts for fonts, colours, positions and effects were left out, first at ${at}.`);
    }
  }
  return trimmed(found.spans);
}
