/** The program that inspectors run: ours, joined into one file when the service starts. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundled } from "#kit/bundled.ts";
import type { SandboxCommand } from "../domain/sandbox.ts";

const entry = fileURLToPath(new URL("./inside/serve.ts", import.meta.url));
const [program, script] = ["/opt/node", "/opt/filemill/inspector.cjs"] as const;

/**
 * One file of JavaScript costs an inspector 36 MB and most of its start less than the sixty modules with their types, for which it would
 * load Node's compiler of TypeScript.
 */
async function writeProgram(folder: string): Promise<string> {
  const { outputFiles } = await bundled({
    entryPoints: [entry],
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node24",
    write: false,
    legalComments: "none",
    logLevel: "silent",
  });
  const path = join(folder, "inspector.cjs");
  await writeFile(path, outputFiles[0]?.contents ?? "", { mode: 0o444 });
  return path;
}

/** How an inspector is started. `folder`: ours, in which the program is kept for as long as inspectors run. */
export async function inspectorCommandIn(folder: string): Promise<Omit<SandboxCommand, "folder" | "onLine">> {
  return {
    program,
    args: ["--max-semi-space-size=1", `--max-old-space-size=${heapMb}`, script],
    env: { MALLOC_ARENA_MAX: "1", NODE_ENV: "production" },
    readOnly: { [process.execPath]: program, [await writeProgram(folder)]: script },
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

/** For the listing of an archive with a hundred thousand members. */
const heapMb = 384;
