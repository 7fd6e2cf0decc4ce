import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { pandocEngine } from "#services/conversion/engines/documents/pandoc.ts";
import { useBench } from "#test/contract/engine.ts";

const run = promisify(execFile);
const bench = useBench(pandocEngine);

const lines = [
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
  const page = lines.map((line) => `<p>${line.replace("&", "&amp;").replace(">", "&gt;")}</p>`).join("\n");
  const { path } = await bench.convert(await bench.put("signs.html", page), "html", to);
  const { stdout } = await run("pandoc", ["-f", to, "-t", "plain", "--wrap=none", path]);
  expect(stdout.split("\n").filter((line) => line !== "")).toEqual(lines);
});

it("writes the cells of tables in outlines, which have no tables", async () => {
  const page = "<h1>A</h1><table><tr><th>Animal</th><th>Count</th></tr><tr><td>Quokka</td><td>42</td></tr></table>";
  const { path } = await bench.convert(await bench.put("table.html", page), "html", "opml");
  expect(await readFile(path, "utf8")).toMatch(/_note="Animal\tCount\s+&#10;Quokka\t42"/);
});
