/** Engines whose sources changed since the proof file was last written: their behaviour may differ even if their declarations do not. */
import { readdir, readFile } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { gitText } from "./readers/program.ts";
import { committedProof } from "./store.ts";

const root = join(import.meta.dirname, "../..");
const folder = join(root, "services/conversion/engines");

/** Engine ids; undefined if there is no history, so that only declarations can be compared. */
export async function changedEngines(): Promise<ReadonlySet<string> | undefined> {
  const changed = await changedFiles();
  return changed === undefined ? undefined : await enginesOf(changed);
}

/** Paths relative to the engines folder, committed or not. */
async function changedFiles(): Promise<readonly string[] | undefined> {
  const git = (...args: readonly string[]) => gitText(root, ...args);
  try {
    const commit = (await git("log", "-1", "--format=%H", "--", relative(root, committedProof))).trim();
    // The oldest commit of a shallow clone cannot be compared with anything.
    if (commit === "" || (await git("rev-parse", "--is-shallow-repository")).trim() === "true") return undefined;
    const named = await git("diff", "--name-only", commit, "--", relative(root, folder));
    const unknown = await git("ls-files", "--others", "--exclude-standard", "--", relative(root, folder));
    return `${named}\n${unknown}`.split("\n").flatMap((name) => (name === "" ? [] : [relative(folder, join(root, name))]));
  } catch {
    return undefined;
  }
}

export async function enginesOf(changed: readonly string[]): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  if (changed.length === 0) return found;
  const isSource = (name: string) => name.endsWith(".ts") && !name.startsWith("inside/");
  for (const name of (await readdir(folder, { recursive: true })).filter(isSource)) {
    const text = await readFile(join(folder, name), "utf8");
    if (!/\b(?:(?:defineEngine|joinEngineOf)\(|workerEngine\(worker, )\{/.test(text)) continue;
    const sources = await sourcesOf(join(folder, name));
    if (text.includes('/node-worker.ts"')) await workOf(basename(name, ".ts"), sources);
    if (!changed.some((each) => sources.has(join(folder, each)) || text.includes(`"${folderOf(each)}"`))) continue;
    for (const [, id = ""] of text.matchAll(/^\s+id: "([\w-]+)"/gm)) found.add(id);
  }
  return found;
}

/** An engine refers to a folder of its own as a whole. */
function folderOf(path: string): string | undefined {
  const [kind, name, file] = path.split("/");
  return kind !== "inside" && file !== undefined ? name : undefined;
}

/** The file and everything below the folder that it imports or names: scripts, filters, code that runs inside the sandbox. */
async function sourcesOf(path: string, known = new Set<string>()): Promise<Set<string>> {
  if (known.has(path) || !path.startsWith(folder)) return known;
  known.add(path);
  const text = await readFile(path, "utf8").catch(() => "");
  for (const [, name = ""] of text.matchAll(/"((?:\.{1,2}\/)?[\w./-]+\.(?:ts|mjs|py|lua|xml))"/g))
    await sourcesOf(resolve(dirname(path), name), known);
  return known;
}

/** What serve.ts loads for an engine's work, given its name. */
async function workOf(work: string, known: Set<string>): Promise<void> {
  const serve = join(folder, "inside/serve.ts");
  const text = await readFile(serve, "utf8");
  const [shared = "", ...works] = text.split(/^const works\b/m);
  known.add(serve);
  for (const [, name = ""] of shared.matchAll(/from "(\.\/[^"]+)"/g)) await sourcesOf(resolve(dirname(serve), name), known);
  const loaded = new RegExp(`^  ${work}: .*import\\("([^"]+)"\\)`, "m").exec(works.join(""))?.[1];
  if (loaded !== undefined) await sourcesOf(resolve(dirname(serve), loaded), known);
}
