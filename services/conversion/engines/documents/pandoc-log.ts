/** What Pandoc's log and the filters say about content that is left out. */
import type { SandboxEnd } from "#services/conversion/domain/sandbox.ts";
import { firstNames } from "../shared/hop-table.ts";

type Log = Pick<SandboxEnd, "stdout" | "stderr">;

/** Commands of TeX that only concern the layout, and families of them. */
const layout = new Set(
  (
    "maketitle tableofcontents hspace vspace hskip vskip kern hfill vfill hfil vfil smallskip medskip bigskip pagebreak nopagebreak linebreak " +
    "nolinebreak newline newpage clearpage cleardoublepage indent noindent centering tiny scriptsize footnotesize small normalsize large Large " +
    "LARGE huge Huge selectfont fontsize onecolumn twocolumn relax protect null leavevmode ignorespaces toprule midrule bottomrule hline cline " +
    "cmidrule arraystretch quad qquad enspace thinspace phantom hphantom vphantom index label phantomsection appendix FloatBarrier balance " +
    "pause nocite begingroup endgroup bgroup egroup usepackage printindex printbibliography def let geometry tolerance penalty textwidth " +
    "linewidth columnwidth paperwidth textheight parindent parskip par baselineskip baselinestretch itemsep frenchspacing hyphenation " +
    "raggedbottom flushbottom sloppy allowdisplaybreaks hrulefill urlstyle stepcounter numberwithin linespread global long"
  ).split(" "),
);
const isLayout = (name: string): boolean =>
  layout.has(/^\\([a-zA-Z@]+)/.exec(name)?.[1] ?? "") ||
  /^\\(?:[^a-zA-Z]|listof|ragged|set|addto|addcontents|mark|make[ai]|(?:re)?new|provide|define|Declare|bibliography|(?:this)?page(?:style|numbering)|\w{1,20}(?:spacing|setup)\b)/.test(
    name,
  );

/** Whether content is lost when Pandoc skips what has this name. Otherwise that is so for elements of HTML which load something. */
const losing: Readonly<Record<string, (name: string) => boolean>> = {
  tex: (name) => !isLayout(name) && !/^\\(?:begin|end)\{[^{}]*\}(?:\[.*)?$/.test(name),
  rst: (name) => !/^\.\. (?:contents|highlight|default-role|sectnum|meta|index|section-numbering|currentmodule|_)/.test(name),
  man: (name) => /^\.[A-Z]/.test(name) && !/^\.(?:RS|RE|SM|PD|Sp|ET)\b/.test(name),
};
const loads = (name: string): boolean => /^<(?:iframe|object|embed|video|audio|canvas|applet|img|progress)\b/i.test(name);
const mostNamed = 3;

/** Sentences for a note, with the first places. */
export function unreadIn({ stdout, stderr }: Log, from: string): string[] {
  const start = Number(/^filemill:text-from=(\d+)$/m.exec(stdout)?.[1] ?? 0);
  const log = [...stderr.matchAll(/^\[(?:INFO|WARNING)\] (.{1,300})/gm)].map(([, message = ""]) => message);
  const find = (pattern: RegExp, isLost = (_name: string) => true): string[] =>
    log.flatMap((message) => {
      const name = pattern.exec(message)?.[1];
      const line = Number(/ line (\d+) column \d+/.exec(message)?.[1] ?? 0);
      if (name === undefined || !isLost(name) || (line > 0 && line <= start)) return [];
      return line > 0 && from in losing ? `${shortened(name)} (line ${line})` : shortened(name);
    });
  return [
    ...told("Other files that the document includes were left out", [
      // Not packages of TeX.
      ...find(/^Could not load include file (.+)/, (name) => !/\.(?:sty|cls)(?: at |$)/.test(name)),
      ...find(/^Ignored element (include)$/),
    ]),
    ...told("Parts of unknown kinds were left out, or only their text was kept", [
      ...find(/^Skipped '(.+)' at /, losing[from] ?? loads),
      // With an end on another line: a whole environment.
      ...find(/^Skipped '(\\begin\{.+)/, (name) => !name.includes("' at ")),
    ]),
    ...told(
      "Parts in other languages were left out",
      find(/^Not rendering Raw\w+ \(Format "(?!html|markdown)\w+"\) "(.+)$/, (name) => !name.startsWith("\\\\nocite")),
    ),
    ...told("Notes to which nothing refers were left out", find(/^Note with key '([^']+)/)),
    ...told("Formulas that could not be read stayed in TeX", find(/^Could not convert TeX math (.+)/)),
    ...told("Parts that are not read here were left out", /^filemill:unread (.+)$/m.exec(stdout)?.slice(1) ?? []),
    ...(/^filemill:bibliography$/m.test(stdout) ? ["The list of references was left out."] : []),
    ...(/^filemill:hidden$/m.test(stdout) ? ["Hidden text was left out."] : []),
    ...(/^filemill:references$/m.test(stdout) ? ["References to unknown numbers became the names of their labels."] : []),
    ...(/^filemill:links$/m.test(stdout) ? ["Links to places that the document does not have became plain text."] : []),
    ...told("Properties of the document were left out", /^filemill:properties (.+)$/m.exec(stdout)?.slice(1) ?? []),
    ...(/^filemill:list-labels$/m.test(stdout) ? ["Letters, Roman numerals or first numbers of lists became plain numbers."] : []),
    ...(/^filemill:descriptions$/m.test(stdout) ? ["Descriptions (alternative text) of pictures were left out."] : []),
    ...(/^filemill:spans$/m.test(stdout) ? ["Merged cells became single ones beside empty cells."] : []),
  ];
}

/** The name of a command, directive, template or element, without its content. */
function shortened(written: string): string {
  const name = /^\\{0,2}begin\{([\w*]{1,40})\}|^\.\. ([\w:-]{1,40})|^<([\w-]{1,40})/.exec(written)?.slice(1).find(Boolean);
  return (
    name ??
    /^(?:\\{1,2}[a-zA-Z@]{1,40}|\{\{[\w #:.-]{1,40}|[\p{L}\p{N}_#+./^-]{1,60})/u.exec(written)?.[0].replace("\\\\", "\\").trim() ??
    "a part"
  );
}

function told(what: string, all: readonly string[]): string[] {
  const named = [...new Set(all)];
  return named.length === 0 ? [] : [`${what}: ${firstNames(named, mostNamed)}.`];
}
