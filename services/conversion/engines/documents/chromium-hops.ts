/** What the browser can print and capture, and its options. */

import type { Hop, OptionDefinition } from "#services/conversion/domain/engine.ts";
import { expecting, expectingAll } from "#services/conversion/domain/expectations.ts";
import { crossHops, words } from "../shared/hop-table.ts";
import { decimalIn, integerIn, matching, oneOf, pagesOption, yesOrNo } from "../shared/options.ts";

const media = (usual: "print" | "screen") => oneOf("media", ["print", "screen"], "CSS media type for the layout", usual);
const scripts: readonly OptionDefinition[] = [
  yesOrNo("javascript", "Run the page's scripts, without network access", { default: false }),
  integerIn("javascriptSeconds", [1, 20], "Time limit for `javascript`, in virtual time: waiting costs nothing", { default: 5, unit: "s" }),
];
const line = (name: string, place: string) =>
  matching(name, "^[^\\x00-\\x1f]{1,200}$", `Line ${place} each page, for example \`{title}: page {page} of {pages}\``);

const paper: readonly OptionDefinition[] = [
  oneOf("pageSize", words("a3 a4 a5 letter legal tabloid"), "Paper size; default: from the page's CSS, otherwise A4"),
  decimalIn("margin", [0, 100], "Margin on all sides; default: from the page's CSS, otherwise 10 mm", { unit: "mm" }),
  yesOrNo("landscape", "`true` makes all pages landscape, `false` portrait; on A4 unless `pageSize` is set"),
  { name: "scale", type: "number", min: 0.1, max: 2, default: 1, description: "Print scale" },
  { name: "background", type: "boolean", default: true, description: "Print background colours and pictures" },
  line("header", "above"),
  line("footer", "below"),
  pagesOption("Pages to keep"),
  media("print"),
];
const shot: readonly OptionDefinition[] = [
  integerIn("viewportWidth", [200, 4000], "Width of the browser window", { default: 1280, unit: "px" }),
  { name: "fullPage", type: "boolean", default: true, description: "Whole page; `false`: only the first screen (16:9)" },
  { name: "scale", type: "number", min: 0.5, max: 4, default: 1, description: "Device pixels per CSS pixel" },
  media("screen"),
];
const quality = integerIn("quality", [1, 100], "Picture quality; lower values make smaller files", { default: 90 });

const runsScripts = (from: string) => from !== "mhtml";

function expectsOf(from: string, to: string) {
  return [
    ...expectingAll("EXTERNAL_CONTENT_BLOCKED", "SCRIPTS_NOT_RUN", "FONT_SUBSTITUTED", from !== "mhtml" && "ENCODING_GUESSED"),
    ...(to === "pdf" ? [expecting("ENTRIES_LEFT_OUT", "Links to files that are not part of the page are left out.")] : []),
  ];
}

function printHop(from: string, to: string): Omit<Hop, "from" | "to"> {
  return {
    fidelity: "high",
    cost: to === "pdf" ? 300 : 350,
    maxInputMb: from === "htmlz" ? 100 : 50,
    options: [...(to === "pdf" ? paper : [...shot, ...(to === "png" ? [] : [quality])]), ...(runsScripts(from) ? scripts : [])],
    expects: expectsOf(from, to),
  };
}

/** A ZIP with an `index.html` arrives as HTMLZ (see archives/join.ts). */
export const chromiumHops: readonly Hop[] = crossHops(words("html xhtml mhtml htmlz"), words("pdf png jpg webp"), printHop);
