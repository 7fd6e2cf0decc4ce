/** Pandoc's names for the formats, and which pairs are offered. */
import { join } from "node:path";
import type { Fidelity, Hop, OptionDefinition } from "#services/conversion/domain/engine.ts";
import { expecting, expectingAll } from "#services/conversion/domain/expectations.ts";
import { crossHops, words } from "../shared/hop-table.ts";
import { encodingOption } from "../shared/node-worker.ts";
import { integerIn, oneOf, yesOrNo } from "../shared/options.ts";
import { delimiter } from "../shared/table-options.ts";

/** The filter that pandoc also runs for every format, and its path inside the sandbox. */
export const pandocFilter = "/engine/filter.lua";
/** The filter for what these readers leave out silently. */
const unreadFilter = "/engine/pandoc-unread.lua";
const leavesOut = new Set(["docbook", "jats", "fb2"]);
/** The filters that run first, for what pandoc's reader of a format leaves out. */
export const filtersFirst = (from: string): readonly string[] => [
  ...(from === "fb2" ? ["/engine/pandoc-fictionbook.lua"] : []),
  ...(leavesOut.has(from) ? [unreadFilter] : []),
  ...(from === "tex" ? ["/engine/pandoc-tex.lua"] : []),
];
const parts = [
  "pandoc-citations.lua",
  "pandoc-embedded.lua",
  "pandoc-escapes.lua",
  "pandoc-fictionbook.lua",
  "pandoc-footnotes.lua",
  "pandoc-metadata.lua",
  "pandoc-names.lua",
  "pandoc-raw-html.lua",
  "pandoc-sections.lua",
  "pandoc-spaces.lua",
  "pandoc-structures.lua",
  "pandoc-tables.lua",
  "pandoc-tex.lua",
  "pandoc-unread.lua",
  "pandoc-xml.lua",
];
export const pandocFilters: Readonly<Record<string, string>> = {
  [join(import.meta.dirname, "pandoc-filter.lua")]: pandocFilter,
  ...Object.fromEntries(parts.map((name) => [join(import.meta.dirname, name), `/engine/${name}`])),
};

type Markup = {
  readonly reader?: string;
  readonly writer?: string;
  /** A ZIP of XML or the like, which defines its own encoding. */
  readonly isBinary?: boolean;
};

export const markups: Readonly<Record<string, Markup>> = {
  md: {
    // A path such as C:\Users is not a command of TeX, and --help has two hyphens. Headings and quotations may follow text directly.
    reader:
      "markdown-raw_tex-smart-blank_before_header-blank_before_blockquote+lists_without_preceding_blankline+autolink_bare_uris+task_lists+emoji",
    writer: "gfm+footnotes+yaml_metadata_block",
  },
  html: { reader: "html", writer: "html5" },
  docx: { reader: "docx", writer: "docx", isBinary: true },
  // Pandoc's ODT reader drops table heads and lists in cells, its RTF reader headings and links, so these are read as DOCX instead.
  odt: { writer: "odt" },
  epub: { reader: "epub", writer: "epub3", isBinary: true },
  rst: { reader: "rst", writer: "rst" },
  tex: { reader: "latex", writer: "latex" },
  org: { reader: "org", writer: "org" },
  textile: { reader: "textile", writer: "textile" },
  mediawiki: { reader: "mediawiki", writer: "mediawiki" },
  docbook: { reader: "docbook", writer: "docbook5" },
  jats: { reader: "jats", writer: "jats" },
  ipynb: { reader: "ipynb", writer: "ipynb" },
  opml: { reader: "opml", writer: "opml" },
  man: { reader: "man", writer: "man" },
  fb2: { reader: "fb2", writer: "fb2" },
  rtf: { writer: "rtf" },
  dokuwiki: { reader: "dokuwiki", writer: "dokuwiki" },
  jira: { reader: "jira", writer: "jira" },
  muse: { reader: "muse", writer: "muse" },
  haddock: { reader: "haddock", writer: "haddock" },
  creole: { reader: "creole" },
  t2t: { reader: "t2t" },
  twiki: { reader: "twiki" },
  tikiwiki: { reader: "tikiwiki" },
  vimwiki: { reader: "vimwiki" },
  csv: { reader: "csv" },
  adoc: { writer: "asciidoc" },
  txt: { writer: "plain" },
  tei: { writer: "tei" },
  ms: { writer: "ms" },
  texinfo: { writer: "texinfo" },
  context: { writer: "context" },
  xwiki: { writer: "xwiki" },
  zimwiki: { writer: "zimwiki" },
  markua: { writer: "markua" },
  icml: { writer: "icml" },
  pptx: { writer: "pptx" },
  // Pandoc's tree, converted to our own schema (see inside/pdf/document.schema.json).
  json: { writer: "json" },
};

/** These writers need data files that `--sandbox` hides in Debian's build: a filter runs them, inside our sandbox only (decision 92). */
export const needsDataFiles = new Set(["docx", "odt", "pptx", "epub"]);

const standalone = yesOrNo("standalone", "Complete document; `false`: only the body", { default: true });
const contents: readonly OptionDefinition[] = [
  { name: "toc", type: "boolean", default: false, description: "Add a table of contents" },
  { name: "tocDepth", type: "integer", min: 1, max: 6, default: 3, description: "Depth of the table of contents" },
];
const numbered: OptionDefinition = { name: "numberSections", type: "boolean", default: false, description: "Number the headings" };
const highlight = oneOf(
  "highlight",
  words("none pygments tango espresso zenburn kate monochrome breezedark haddock"),
  "Colour scheme of code blocks",
  "pygments",
);
const wrap = oneOf("wrap", ["none", "auto", "preserve"], "Lines: one per paragraph, wrapped at `columns`, or as in the source", "none");
const columns = integerIn("columns", [20, 500], "Line width if `wrap` is `auto`", { default: 72 });

const dialect = oneOf("dialect", ["gfm", "commonmark"], "GitHub Markdown, or plain CommonMark, in which tables become HTML", "gfm");
const pictures = oneOf("pictures", ["embed", "describe"], "Embed pictures as data URLs, or keep only their descriptions", "embed");
const changes = oneOf(
  "changes",
  ["accept", "reject", "all"],
  "How to handle tracked changes; `all` shows them, with comments as footnotes",
  "accept",
);

const withContents = new Set(words("html tex docx odt epub pptx rst md context ms"));
const withHighlight = new Set(words("html tex docx epub pptx"));
const withNumbers = new Set(words("html tex docx odt epub context ms"));
const zipped = new Set(words("docx odt epub pptx"));

function optionsOf(from: string, to: string): readonly OptionDefinition[] {
  return [
    ...(from === "csv" ? [encodingOption, delimiter] : []),
    ...(readsChanges(from, to) ? [changes] : []),
    ...(to === "md" ? [dialect, ...(from === "csv" || from === "man" ? [] : [pictures])] : []),
    ...(to === "html" || to === "tex" ? [standalone] : []),
    ...(withContents.has(to) && to !== "pptx" ? contents : []),
    ...(withNumbers.has(to) ? [numbered] : []),
    ...(withHighlight.has(to) ? [highlight] : []),
    ...(zipped.has(to) || to === "ipynb" || to === "json" ? [] : [wrap, columns]),
  ];
}

/** Formats whose layout is lost in pandoc's document model. */
const laidOut = new Set(words("docx odt rtf html epub fb2"));
const office = new Set(words("docx odt rtf"));

function fidelityOf(from: string, to: string): Fidelity {
  if (to === "txt") return "extract";
  return laidOut.has(from) || to === "opml" || to === "pptx" || to === "haddock" ? "reduced" : "high";
}

/** Whether the option `changes` applies; for other targets pandoc accepts all tracked changes. */
export const readsChanges = (from: string, to: string): boolean =>
  from === "docx" && (to === "md" || to === "html" || to === "txt" || to === "json");

const readers = Object.keys(markups).filter((id) => markups[id]?.reader !== undefined);
const writers = Object.keys(markups).filter((id) => markups[id]?.writer !== undefined);
const tableTargets = new Set(words("md html rst tex org textile mediawiki docbook jats dokuwiki jira adoc txt"));

const blanksJoined = "Repeated spaces or line breaks in a cell become one space.";

/** Tables and man pages hold no pictures. */
function expectationsOf(from: string) {
  const isPictured = from !== "csv" && from !== "man";
  return [
    ...(from === "docx" ? [expecting("METADATA_DROPPED", "Comments are left out, and tracked changes accepted.")] : []),
    ...expectingAll(markups[from]?.isBinary !== true && "ENCODING_GUESSED", isPictured && "IMAGES_REMOVED"),
    ...(from === "csv"
      ? [
          ...expectingAll("DIALECT_GUESSED"),
          expecting("ENTRIES_LEFT_OUT", "Rows without a value are left out."),
          expecting("CHARACTERS_REPLACED", blanksJoined),
        ]
      : []),
  ];
}

export const pandocHops: readonly Hop[] = crossHops(readers, writers, (from, to) => {
  // Between office formats LibreOffice keeps the layout; a table alone is not a book.
  if (office.has(from) && office.has(to)) return undefined;
  if (from === "csv" && !tableTargets.has(to)) return undefined;
  return {
    fidelity: fidelityOf(from, to),
    cost: zipped.has(to) ? 200 : 100,
    maxInputMb: 50,
    options: optionsOf(from, to),
    expects: expectationsOf(from),
  };
});
