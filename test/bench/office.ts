import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { TestServer } from "#test/harness/server.ts";
import { convert } from "./rest-client.ts";
import { meansOf, type Reasons, type Row, tableOf } from "./structure-score.ts";

const run = promisify(execFile);

/** Slides with every construct: pandoc writes the presentation, LibreOffice the other formats. */
const decks = Array.from({ length: 6 }, (_, deck) =>
  Array.from({ length: 8 }, (_, slide) => {
    const name = `Part ${deck + 1} of ${slide + 1}`;
    const bodies = [
      `- first point of ${name}\n    - detail with *stress*\n        - and deeper still\n- second point with [a link](https://example.org/${deck}/${slide})`,
      `1. take one\n2. take two\n3. take three of ${name}`,
      `| Name | Count | Share |\n|---|---|---|\n| Quokka | ${deck} | 12 % |\n| Zebra | ${slide} | 7 % |`,
      `A paragraph about ${name} with \`code()\` in it.\n\n\`\`\`\nfor each in range(${slide + 2}):\n    print(each)\n\`\`\``,
    ];
    return `# ${name}\n\n${bodies[(deck + slide) % bodies.length]}\n`;
  }).join("\n"),
);

/** Written by another program than the one that reads it, from the same text through these formats. */
const textWays: Readonly<Record<string, readonly string[]>> = {
  "docx of pandoc": ["docx"],
  "docx of LibreOffice": ["html", "odt", "docx"],
  "odt of LibreOffice": ["html", "odt"],
  "rtf of LibreOffice": ["html", "odt", "rtf"],
  "doc of LibreOffice": ["html", "odt", "doc"],
  "epub of pandoc": ["epub"],
  "html of pandoc": ["html"],
};
const slideWays: Readonly<Record<string, readonly string[]>> = {
  "pptx of pandoc": ["pptx"],
  "odp of LibreOffice": ["pptx", "odp"],
  "ppt of LibreOffice": ["pptx", "ppt"],
};

/**
 * Converts each document through the formats step by step, all together: an
 * office takes seconds to start. Syntax colours would become separate runs.
 */
async function made(folder: string, truths: readonly string[], way: readonly string[]): Promise<readonly string[]> {
  let paths = truths;
  for (const [place, format] of way.entries()) {
    const next = truths.map((truth) => `${truth.slice(0, -".truth.md".length)}.${format}`);
    if (place === 0) {
      const to = format === "html" ? "html5" : format;
      const asked = ["-f", "gfm", "-s", "-M", "pagetitle=Manual", "--no-highlight", "-t", to];
      for (const [index, path] of paths.entries()) await run("pandoc", [...asked, path, "-o", next[index] ?? ""]);
    } else {
      const filter = way[place - 1] === "html" ? ["--infilter=HTML (StarWriter)"] : [];
      const asked = [`-env:UserInstallation=file://${folder}/profile`, "--headless", ...filter, "--convert-to"];
      await run("soffice", [...asked, format === "odt" ? "odt:writer8" : format, "--outdir", folder, ...paths], { timeout: 900_000 });
    }
    paths = next;
  }
  return paths;
}

const byLibreOffice: Reasons = {
  lists: "reading HTML, LibreOffice turns notes into footnotes and leaves their list with empty items, which stay",
  links: "writing DOCX and DOC, LibreOffice decodes %40 in addresses to @",
};
/** Why a measure misses its goal. */
const reasons: Readonly<Record<string, Reasons>> = {
  "docx of LibreOffice": byLibreOffice,
  "odt of LibreOffice": byLibreOffice,
  "rtf of LibreOffice": byLibreOffice,
  "doc of LibreOffice": byLibreOffice,
};

const goal = 0.98;
const goals = { order: goal, heads: goal, levels: goal, cells: goal, lists: goal, code: goal, links: goal };

async function measured(server: TestServer, folder: string, truths: readonly string[], name: string, way: readonly string[]): Promise<Row> {
  const format = way.at(-1) ?? "";
  const pairs: (readonly [string, string])[] = [];
  for (const [index, path] of (await made(folder, truths, way)).entries()) {
    const [truth = "", bytes] = [truths[index], await readFile(path)];
    const { status, body } = await convert(server, { to: "md", name: `in.${format}`, query: "?download=wait" }, bytes);
    if (status !== 200) throw new Error(`${name}: status ${status}`);
    const result = `${truth}.${way.join(".")}.md`;
    await writeFile(result, body);
    pairs.push([truth, result]);
  }
  return { name, figures: await meansOf(pairs) };
}

type OfficeBench = {
  readonly server: TestServer;
  readonly folder: string;
  /** Paths of Markdown files. */
  readonly texts: readonly string[];
  isAsked(name: string): boolean;
  say(table: readonly string[]): void;
};

/** How much structure office documents, slides and books keep on their way to Markdown. */
export async function benchOffice({ server, folder, texts, isAsked, say }: OfficeBench): Promise<void> {
  const slides = decks.map((_, index) => join(folder, `deck-${index}.truth.md`));
  for (const [index, path] of slides.entries()) await writeFile(path, decks[index] ?? "");
  for (const [truths, ways] of [[texts, textWays] as const, [slides, slideWays] as const])
    for (const [name, way] of Object.entries(ways).filter(([each]) => isAsked(each)))
      say([`${name}: ${truths.length} documents`, ...tableOf([await measured(server, folder, truths, name, way)], goals, reasons[name])]);
}
