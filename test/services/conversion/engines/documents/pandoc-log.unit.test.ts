import { expect, it } from "vitest";
import { unreadIn } from "#services/conversion/engines/documents/pandoc-log.ts";

const said = (from: string, stderr: string, stdout = "") => unreadIn({ stdout, stderr }, from);

it("names included files, unknown commands and environments of TeX with their lines, but not what only concerns the layout", () => {
  const log = `[INFO] Could not load include file tikz.sty at /input/document line 2 column 1
[INFO] Skipped '\\patchcmd' at /input/document line 3 column 1
[WARNING] Could not load include file chapter1.tex at /input/document line 19 column 17
[INFO] Skipped '\\maketitle' at /input/document line 20 column 1
[INFO] Skipped '\\vspace*{1em}' at /input/document line 20 column 5
[INFO] Skipped '\\hl{kept out}' at /input/document line 21 column 1
[INFO] Skipped '\\hl{kept out}' at /input/document line 21 column 1
[INFO] Skipped '\\begin{center}' at /input/document line 22 column 1
[INFO] Skipped '\\begin{tikzpicture}
\\draw;
\\end{tikzpicture}' at /input/document line 24 column 1
[INFO] Not rendering RawInline (Format "latex") "\\\\parbox{x}"
`;
  expect(said("tex", log, "filemill:text-from=10\n")).toEqual([
    "Other files that the document includes were left out: chapter1.tex (line 19).",
    "Parts of unknown kinds were left out, or only their text was kept: \\hl (line 21), tikzpicture.",
    "Parts in other languages were left out: \\parbox.",
  ]);
});

it.each([
  ["rst", "[INFO] Skipped '.. contents' at x line 1 column 1", undefined],
  ["rst", "[INFO] Skipped '.. toctree' at x line 3 column 1", "toctree (line 3)."],
  ["html", "[INFO] Skipped '<time datetime=\"2020\">' at input line 2 column 93", undefined],
  ["html", "[INFO] Skipped '<video src=\"v.mp4\" controls>' at input line 2 column 93", "video."],
  ["mediawiki", '[INFO] Not rendering RawBlock (Format "mediawiki") "{{Infobox person|name=Ann}}"', "{{Infobox person."],
  ["html", '[INFO] Not rendering RawInline (Format "html") "<wbr>"', undefined],
  ["fb2", '[INFO] Not rendering RawInline (Format "markdown") "\\\\"', undefined],
  ["md", "[WARNING] Note with key 'b' defined at x line 5 column 1 but not used.", "b."],
  ["md", "[WARNING] Could not convert TeX math \\foo{, rendering as TeX:", "\\foo."],
])("reads what %s lost: %s", (from, line, wanted) => {
  expect(said(from, `${line}\n`).map((sentence) => sentence.split(": ")[1])).toEqual(wanted === undefined ? [] : [wanted]);
});

it("counts what is beyond the first places", () => {
  const log = ["a", "b", "c", "d", "e"].map((name) => `[WARNING] Could not load include file ${name}.tex at x line 1 column 1\n`).join("");
  expect(said("org", log)).toEqual(["Other files that the document includes were left out: a.tex, b.tex, c.tex and 2 more."]);
});
