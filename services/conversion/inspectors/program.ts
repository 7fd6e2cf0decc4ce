/** The program that inspectors run, bundled into one file when the service starts. */
import { readFile, rename, stat, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { bundled } from "#kit/bundled.ts";
import type { SandboxCommand } from "../domain/sandbox.ts";

const entry = fileURLToPath(new URL("./inside/serve.ts", import.meta.url));
const [program, script] = ["/opt/node", "/opt/filemill/inspector.cjs"] as const;

/**
 * A single JavaScript file saves an inspector 36 MB and most of its start-up time, compared with sixty modules with types, for which it
 * would load Node's TypeScript compiler.
 */
async function writeProgram(folder: string, kept: string | undefined): Promise<string> {
  const path = join(folder, "inspector.cjs");
  await writeFile(path, (kept === undefined ? undefined : await readKept(kept)) ?? (await joined(kept)), { mode: 0o444 });
  return path;
}

async function joined(kept: string | undefined): Promise<Uint8Array> {
  const { outputFiles, metafile } = await bundled({
    entryPoints: [entry],
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node24",
    write: false,
    legalComments: "none",
    logLevel: "silent",
    metafile: true,
  });
  const program = outputFiles[0]?.contents ?? new Uint8Array();
  if (kept !== undefined) await keep(kept, Object.keys(metafile.inputs), program);
  return program;
}

/** A list of the modules in its first line shows whether it is still up to date. Undefined if it is not. */
async function readKept(kept: string): Promise<Buffer | undefined> {
  try {
    const program = await readFile(kept);
    const said: unknown = JSON.parse(program.subarray(2, program.indexOf("\n")).toString());
    const modules = Array.isArray(said) ? said.map(String).filter((_, at) => at % 2 === 0) : [];
    return modules.length > 0 && JSON.stringify(await statesOf(modules)) === JSON.stringify(said) ? program : undefined;
  } catch {
    return undefined;
  }
}

async function keep(kept: string, inputs: readonly string[], program: Uint8Array): Promise<void> {
  try {
    const modules = [...inputs.filter((path) => !path.startsWith("(disabled)")).map((path) => resolve(path)), npmPackages];
    await writeFile(`${kept}.new`, Buffer.concat([Buffer.from(`//${JSON.stringify(await statesOf(modules))}\n`), program]), {
      mode: 0o600,
    });
    await rename(`${kept}.new`, kept);
  } catch {
    // The next start creates it again.
  }
}

/** Each module, followed by its state. */
async function statesOf(modules: readonly string[]): Promise<readonly string[]> {
  const facts = await Promise.all(modules.map((path) => stat(path)));
  return facts.flatMap(({ size, mtimeMs }, at) => [modules[at] ?? "", `${size} ${mtimeMs} ${process.version}`]);
}

/** Changes whenever a package is installed or removed. Then a module's imports may have changed. */
const npmPackages = fileURLToPath(new URL("../../../node_modules/.package-lock.json", import.meta.url));

/** How to start an inspector. `folder`: a private folder, where the program stays as long as inspectors run; `kept`: see InspectorHost. */
export async function inspectorCommandIn(folder: string, kept?: string): Promise<Omit<SandboxCommand, "folder" | "onLine">> {
  return {
    program,
    args: ["--max-semi-space-size=1", `--max-old-space-size=${heapMb}`, script],
    env: { MALLOC_ARENA_MAX: "1", NODE_ENV: "production" },
    readOnly: { [process.execPath]: program, [await writeProgram(folder, kept)]: script },
    limits: {
      wallMs: 0,
      cpuSeconds: 30 * 86_400,
      addressSpace: false,
      memoryBytes: 2 * heapMb * 2 ** 20,
      processes: 32,
      // It writes nothing.
      folderBytes: 2 ** 20,
      fileBytes: 2 ** 20,
      tmpBytes: 2 ** 20,
    },
  };
}

/** Enough for the listing of an archive with a hundred thousand members. */
const heapMb = 384;
