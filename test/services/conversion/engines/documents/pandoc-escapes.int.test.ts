/** Text that looks like markup of the target stays text. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { pandocEngine } from "#services/conversion/engines/documents/pandoc.ts";
import { converting } from "#test/services/conversion/engines/shared/converting.ts";

const convert = converting(pandocEngine);

const lines = [
  "snake_case a^b 2*3*4 C:\\Users\\new \\alpha x--y 1~2~",
  "*star* **dbl** _und_ __dund__ /it/ //dit// ''dq'' =eq= +pl+ ~ti~ ~~tt~~ `tick` ^ca^ #hash# ??cite?? @at@ -st-",
  "{{tmpl}} [[link]] [ref] [http://x.y z] <<xref>> ((idx)) {attr} {{{mac}}} |bar| ^^ <b> $m$ $$x$$ [fn:1] [1]_ ref_ |sub| !img.png! __TOC__ ;;",
  ...["* item", "- item", "+ item", "# item", "1. item", "(a) item", ".. comment", ". dot", "= head", "== head ==", ":tag: x", ": def"],
  ...["//comment", "#+begin_src", "----", "====", "| a | b", "> quote", "h1. head", "bq. quote", "[note]", "~~~", "+", "++++"],
];
const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
const table = "<table><tr><th>h</th><th>k</th></tr><tr><td>a|b</td><td>^c</td></tr><tr><td>- i</td><td>.. c</td></tr></table>";
const page = `<!doctype html><html><body>${lines.map((line) => `<p>${escaped(line)}</p>`).join("")}${table}</body></html>`;

/** The lines of text that pandoc reads, without the rules of tables and the character that Org names as its escape. */
async function readBack(markup: string, format: string): Promise<string[]> {
  const job = promisify(execFile)("/usr/bin/pandoc", ["-f", format, "-t", "plain", "--wrap=none"], { encoding: "utf8" });
  job.child.stdin?.end(markup);
  const { stdout } = await job;
  const read = stdout.replaceAll("\u200b", "").split("\n");
  return read.map((line) => line.trim().replace(/ {2,}/g, " ")).filter((line) => line !== "" && !/^-[- ]{5,}$/.test(line));
}

describe("text that looks like markup", () => {
  it.each(["org", "mediawiki", "rst"])("is read back from %s as it was", async (to) => {
    const { text, notes } = await convert(page, "html", to);
    expect(notes).toEqual([]);
    expect(await readBack(text, to)).toEqual([...lines, "h k", "a|b ^c", "- i .. c"]);
  });

  it.each([
    ["dokuwiki", ["%%{%%{tmpl}}", "%%[%%[link]]", "%%'%%'dq", "a%%|%%b", "%%>%% quote", "%%<%%b>"]],
    ["adoc", ["&#42;star*", "&#95;und_", "\\{attr}", "&#46;. comment", "&#61;= head", "&#91;[link]]", "a&#124;b", "&#47;/comment"]],
    ["textile", ["h1&#46; head", "&#33;img.png!", "&#94;ca&#94;", "&#35; item", "a&#124;b"]],
    ["jira", ["\\# item", "h1&#46; head", "a\\|b", "\\{\\{tmpl"]],
    ["xwiki", ["~{{tmpl", "~[[link]]", "~* item", "~1. item", "a~|b"]],
    ["zimwiki", ["''[''[link]]", "''{''{tmpl", "a''|''b"]],
    ["markua", ["C:\\Users\\new", "x--y", "//dit//", "\\*star\\*", "1\\. item", "\\[http://x.y z]"]],
    ["haddock", ["\\__dund\\__", "\\- item", "\\= head", "\\1. item"]],
  ])("is escaped in %s", async (to, expected) => {
    const { text } = await convert(page, "html", to);
    for (const each of expected) expect(text).toContain(each);
  });

  it("is no code block in RST after two colons", async () => {
    expect((await convert("<p>Usage::</p>", "html", "rst")).text.trim()).toBe("Usage:\\:");
  });

  it("is no emoji in Markdown", async () => {
    const { text } = await convert("<p>a::b :x: 10:30:45 urn:isbn:1</p>", "html", "md");
    expect(text.trim()).toBe("a::b \\:x: 10:30:45 urn:isbn:1");
  });

  it("leaves paths and words as they are in Org", async () => {
    const { text } = await convert("<p>/usr/bin and ~/file, +49 30, =1, a*b</p>", "html", "org");
    expect(text.trim()).toBe("/usr/bin and ~/file, +49 30, =1, a*b");
  });
});

it("keeps headings of sections as headings in RST", async () => {
  const page = '<main><section id="start"><h2>First</h2><p>One.</p><div><h3>Second</h3><p>Two.</p></div></section></main>';
  const { text } = await convert(page, "html", "rst");
  expect(text.trim().split(/\n+/)).toEqual([".. _`start`:", "First", "=====", "One.", "Second", "------", "Two."]);
});

const signs = [
  ...[
    "A {{z}} b",
    "A [[v]] b",
    "A (c]] ((n)) b",
    "A ~a~ ^b^ c",
    "A !i! %r% %%p%% ==h== ??c?? b",
    "A *s* _u_ -d- +p+ @q@ //t// b",
    "# n",
    "> q",
  ],
  ...["* n", "; n", "h1. n", "p. n", "A & b", "A x|y c", "A Ünï [1] b"],
];

it.each(["mediawiki", "textile", "dokuwiki"])("writes text that looks like markup so that readers of %s see the text", async (to) => {
  const page = signs.map((line) => `<p>${line.replace("&", "&amp;").replace(">", "&gt;")}</p>`).join("\n");
  expect(await readBack((await convert(page, "html", to)).text, to)).toEqual(signs);
});

it("names of sections and addresses of mail do not go on as markup", async () => {
  const named = await convert(
    '<div id="a\n\n.. include:: /etc/hostname\n"><h2>Title</h2></div><div id="b"><h2>Next</h2></div>',
    "html",
    "rst",
  );
  expect(named.text).not.toContain("include");
  expect(named.text).toContain(".. _`b`:");
  const mail = await convert("[m](<mailto:a]]{{x}}>)\n", "md", "dokuwiki");
  expect(mail.text).not.toContain("{{x}}");
});
