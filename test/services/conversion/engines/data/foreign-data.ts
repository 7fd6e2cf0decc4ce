/** Content of structured data files, as independent readers see it. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { runInNewContext } from "node:vm";
import { decode as decodeCbor } from "cborg";
import { loadAll } from "js-yaml";
import { decode as decodeMsgpack } from "notepack.io";

const run = promisify(execFile);
const byPython = new Set("json ndjson toml plist xml xlsx2003 fods csv tsv psv ini properties sqlite xlsx ods".split(" "));

/** Names and values as text, in order; undefined for a format without an independent reader here. */
export async function leavesOf(path: string, format: string): Promise<readonly string[] | undefined> {
  if (byPython.has(format)) {
    const script = join(import.meta.dirname, "foreign-data.py");
    return JSON.parse((await run("/usr/bin/python3", ["-I", script, path, format], { maxBuffer: 64 * 2 ** 20 })).stdout);
  }
  const bytes = await readFile(path);
  switch (format) {
    case "yaml":
      return leaves(loadAll(bytes.toString("utf8")));
    case "json5":
      return leaves(runInNewContext(`(${bytes.toString("utf8")})`));
    case "cbor":
      return leaves(decodeCbor(bytes, { useMaps: true }));
    case "msgpack":
      return leaves(decodeMsgpack(bytes));
    case "md":
      return cellsOf((await run("pandoc", ["-f", "gfm", "-t", "html", path])).stdout);
    default:
      return undefined;
  }
}

function cellsOf(page: string): string[] {
  const entities: Readonly<Record<string, string>> = { "&quot;": '"', "&amp;": "&", "&lt;": "<", "&gt;": ">" };
  return [...page.matchAll(/<t[dh](?: [^>]*)?>(.*?)<\/t[dh]>/gs)].map(([, text = ""]) =>
    text.replace(/&\w+;/g, (name) => entities[name] ?? name),
  );
}

export function leaves(value: unknown): string[] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value.flatMap(leaves);
  if (value instanceof Map) return [...value].flatMap(([name, each]) => [String(name), ...leaves(each)]);
  if (typeof value === "object" && !(value instanceof Date))
    return Object.entries(value).flatMap(([name, each]) => [name, ...leaves(each)]);
  return [String(value)];
}
