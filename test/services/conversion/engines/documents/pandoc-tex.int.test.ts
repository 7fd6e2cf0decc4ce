import { expect, it } from "vitest";
import { pandocEngine } from "#services/conversion/engines/documents/pandoc.ts";
import { converting } from "#test/services/conversion/engines/shared/converting.ts";

const convert = converting(pandocEngine);
const tex = (body: string, preamble = "") => `\\documentclass{article}\n${preamble}\n\\begin{document}\n${body}\n\\end{document}\n`;

it("keeps signs, boxes, scaled tables and columns of TeX", async () => {
  const given = tex(
    "30\\,\\textdegree C, 5 \\texteuro{}, \\fbox{boxed} \\makebox[1cm][c]{made}\\marginpar{Aside}\n\n" +
      "\\resizebox{\\textwidth}{!}{\\begin{tabular}{ll} zebra & 1 \\\\ llama & 2 \\\\ \\end{tabular}}\n\n" +
      "\\begin{multicols}{2}okapi\\end{multicols}",
  );
  const { text, notes } = await convert(given, "tex", "md");
  expect(text.replaceAll("\u00a0", " ")).toMatch(/30[ \u2006]°C, 5 €, boxed made\[\^1\]/);
  expect(text).toMatch(/\| zebra +\| 1 +\|\n[^\n]*\n\| llama +\| 2 +\|\n\nokapi\n\n\[\^1\]: Aside/);
  expect(notes).toEqual([]);
});

it("shows the keys of citations, and notes the list of references and other missing files", async () => {
  const given = tex(
    "See \\cite{knuth,lamport} and \\citep[p.~3]{foo}. \\input{more} \\unknown{lost}\n\\bibliography{refs}",
    "\\unknown{style}",
  );
  for (const to of ["md", "txt"]) {
    const { text, messages } = await convert(given, "tex", to);
    expect(text.replace(/\\/g, "").replaceAll("\u00a0", " ")).toContain("See [knuth; lamport] and [foo p. 3].");
    expect(messages.get("TEXT_LEFT_OUT")).toBe(
      "Other files that the document includes were left out: more.tex (line 4). " +
        "Parts of unknown kinds were left out, or only their text was kept: \\unknown (line 4). The list of references was left out.",
    );
  }
  expect((await convert(given, "tex", "org")).text).toContain("[cite:@knuth; @lamport]");
});

it("notes captions without a picture, labels that an author gave to items, and references to unknown numbers", async () => {
  const list = (label: string) => `\\begin{enumerate}\\item one \\item${label} two\\end{enumerate}`;
  const figure = (content: string) => `\\begin{figure}${content}\\caption[short]{Quokkas on \\emph{sand}}\\label{f}\\end{figure}`;
  const lost = await convert(tex(`${list("[(z)]")}${figure("Box")}See \\ref{f}.`), "tex", "txt");
  expect(lost.messages.get("TEXT_LEFT_OUT")).toBe(
    "Parts that are not read here were left out: captions, labels of list items. References to unknown numbers became the names of their labels.",
  );
  const kept =
    tex(`${list("")}\\begin{itemize}\\item[--] dash\\end{itemize}\\begin{description}\\item[Word] is said\\end{description}% \\caption{gone}
    \\begin{table}\\caption{A table, with 20\\% of "a}\\begin{tabular}{l}x\\\\\\end{tabular}\\label{t}\\end{table}See \\ref{t}.`);
  expect((await convert(kept, "tex", "txt")).notes).toEqual([]);
});

it("finds the words of captions that Pandoc writes with other signs", async () => {
  const caption = 'As in Part~one and M\\"{u}nchen, Fran\\c{c}ais, na\\"\\i ve “words”\\index{hidden key} and so on...';
  const given = tex(`\\begin{table}\\caption{${caption}}\\begin{tabular}{l}x\\\\\\end{tabular}\\end{table}`);
  expect((await convert(given, "tex", "txt")).notes).toEqual([]);
});

it("notes templates of wikis", async () => {
  for (const to of ["md", "docx"]) {
    const { messages } = await convert("{{Infobox person|name=Ann}}\n\nText {{convert|5|km}}.\n", "mediawiki", to);
    expect(messages.get("TEXT_LEFT_OUT")).toBe("Parts in other languages were left out: {{Infobox person, {{convert.");
  }
});

it("says that pages with the macros of mdoc cannot be read", async () => {
  await expect(convert(".Dd January 1, 2020\n.Dt LS 1\n.Sh NAME\n.Nm ls\n.Nd list\n", "man", "md")).rejects.toThrow(/mdoc/);
});
