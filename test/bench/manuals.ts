import { execFile } from "node:child_process";
import { access, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

const biome = ["es", "fr", "hi", "ja", "kr", "pl", "pt-BR", "ru", "uk", "zh-CN", "zh-TW"];

/** Installed manuals: Markdown by other people, with every construct, in twelve languages. */
const sources = [
  ...["commander/Readme.md", "picomatch/README.md", "cborg/README.md", "pino/docs/api.md", "@pinojs/redact/README.md", "jose/README.md"],
  ...["hyparquet/README.md", "nats/README.md", "fast-xml-parser/README.md", "@fastify/busboy/README.md", "fast-json-stringify/README.md"],
  ...["path-expression-matcher/README.md", "smol-toml/README.md", "avvio/README.md", "protobufjs/README.md", "is-unsafe/README.md"],
  ...["@js-sdsl/ordered-map/README.zh-CN.md", "depd/Readme.md", "fastify/docs/Reference/Routes.md", "fastify/docs/Reference/Reply.md"],
  ...["fastify/docs/Reference/Hooks.md", "fastify/docs/Guides/Testing.md", "fastify/docs/Guides/Database.md"],
  ...biome.map((language) => `@biomejs/biome/README.${language}.md`),
];

/** Pictures and anchors are removed: only the text is measured. */
const bare = `function Image(i) return i.caption end
function RawBlock() return {} end
function RawInline() return {} end
function Link(l)
  if #l.content == 0 then return {} end
  if not l.target:match("^http") then return l.content end
  l.content = l.content:walk({ Link = function(inner) return inner.content end })
  return l
end`;

export type Manual = { readonly truth: string; readonly html: string; readonly isEnglish: boolean };

/** Each as Markdown in the folder and as HTML; manuals that are not installed are skipped. */
export async function manualsIn(folder: string): Promise<readonly Manual[]> {
  await writeFile(join(folder, "bare.lua"), bare);
  const found = await Promise.all(sources.map((name, index) => manualAt(folder, name, index)));
  return found.filter((manual) => manual !== undefined);
}

async function manualAt(folder: string, name: string, index: number): Promise<Manual | undefined> {
  const source = join(import.meta.dirname, "../../node_modules", name);
  const isHere = await access(source).then(
    () => true,
    () => false,
  );
  if (!isHere) return undefined;
  const truth = join(folder, `${index}.truth.md`);
  const plain = ["-f", "gfm-raw_html", "-t", "gfm", "--wrap=none", `--lua-filter=${join(folder, "bare.lua")}`];
  await run("pandoc", [...plain, source, "-o", truth]);
  const { stdout } = await run("pandoc", ["-f", "gfm", "-t", "html5", "--no-highlight", truth], { maxBuffer: 2 ** 26 });
  return { truth, html: stdout, isEnglish: !/\.[a-z]{2}(?:-[A-Z]{2})?\.md$/.test(name) };
}
