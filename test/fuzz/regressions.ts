/** Findings as files: `<target>.<more>.<hash>`, so that a test can replay them. */
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("./regressions", import.meta.url));

export type Finding =
  | { readonly target: "engine"; readonly from: string; readonly to: string; readonly engine: string; readonly content: Buffer }
  | { readonly target: "sniff" | "look"; readonly format: string; readonly content: Buffer }
  | { readonly target: "body"; readonly content: Buffer }
  | { readonly target: "options"; readonly content: Buffer };

/** Writes the finding and returns its file name. */
export async function keep(finding: Finding): Promise<string> {
  const hash = createHash("sha256").update(finding.content).digest("hex").slice(0, 12);
  const name = [...wordsOf(finding), hash].join(".");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, name), finding.content);
  return name;
}

function wordsOf(finding: Finding): string[] {
  switch (finding.target) {
    case "engine":
      return [finding.target, finding.from, finding.to, finding.engine];
    case "sniff":
    case "look":
      return [finding.target, finding.format];
    case "body":
    case "options":
      return [finding.target];
    default:
      return finding satisfies never;
  }
}

export async function keptFindings(): Promise<readonly Finding[]> {
  // The folder does not exist before the first finding.
  const names = await readdir(folder).catch(() => []);
  return Promise.all(names.sort().map(async (name) => findingOf(name, await readFile(join(folder, name)))));
}

function findingOf(name: string, content: Buffer): Finding {
  const [target, from = "", to = "", engine = ""] = name.split(".");
  switch (target) {
    case "engine":
      return { target, from, to, engine, content };
    case "sniff":
    case "look":
      return { target, format: from, content };
    case "body":
    case "options":
      return { target, content };
    default:
      throw new Error(`${name} is not the name of a finding`);
  }
}
