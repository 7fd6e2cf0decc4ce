/** Engines made of our own code and npm libraries, run by Node inside the sandbox (see inside/serve.ts). */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineEngine, type Engine, type EngineHost, type HopTask, type OpenEngine } from "#services/conversion/domain/engine.ts";
import { EngineFault } from "#services/conversion/domain/failure.ts";
import type { Sandbox } from "#services/conversion/domain/sandbox.ts";
import { answerOf, type Give, openChildEngine } from "./child-engine.ts";
import { words } from "./hop-table.ts";
import { oneOf } from "./options.ts";
import { probeMs, type ToolSession } from "./tool-run.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const here = "services/conversion/engines/inside";
const program = "/opt/node";
const heapMb = 1400;
const modulesInside = "/opt/filemill/node_modules";

/** What a worker sees: Node, its own code, and the packages that it names with their dependencies. */
function commandOf(packages: readonly string[], args: readonly string[]) {
  const entry = fileURLToPath(import.meta.resolve(packages[0] ?? ""));
  const modules = entry.slice(0, entry.lastIndexOf("/node_modules/") + "/node_modules/".length);
  const command = programCommand(args);
  const bound = [...closureOf(modules, packages)].map((name) => [join(modules, name), join(modulesInside, name)]);
  return { ...command, readOnly: { ...command.readOnly, ...Object.fromEntries(bound) } };
}

/** Node with our own code and no packages. */
function programCommand(args: readonly string[]) {
  return {
    program,
    args,
    env: { MALLOC_ARENA_MAX: "2", NODE_ENV: "production" },
    readOnly: {
      [process.execPath]: program,
      [join(root, "package.json")]: "/opt/filemill/package.json",
      [join(root, here)]: `/opt/filemill/${here}`,
    },
  };
}

/**
 * Runs one of our programs between the runs of a tool. Resolves with what it prints.
 *
 * @param script - Its path in engines/inside.
 */
export async function runOwn(session: ToolSession, script: string, args: readonly string[]): Promise<string> {
  const all = ["--no-warnings", `--max-old-space-size=${heapMb}`, `/opt/filemill/${here}/${script}`, ...args];
  // Only maps have texts whose code page is guessed.
  const command = script.startsWith("map/") ? commandOf(["chardet"], all) : programCommand(all);
  const end = await session.run({ ...command, limits: { addressSpace: false } });
  if (end.exitCode !== 0) throw new EngineFault("unexplained", `exit code ${end.exitCode}`);
  return end.stdout;
}

/** Runs one that answers with an error or with notes, and passes them on. */
export async function tellOwn(session: ToolSession, note: HopTask["note"], script: string, args: readonly string[]): Promise<void> {
  const answer = answerOf(JSON.parse(await runOwn(session, script, args)));
  if (!answer.ok) throw answer.error;
  for (const { code, message } of answer.notes) note(code, message);
}

/**
 * The packages and all their dependencies. npm installs packages side by side, or nests one inside the package that needs another version.
 */
function closureOf(modules: string, packages: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  const add = (name: string): void => {
    if (found.has(name)) return;
    const manifest = manifestOf(join(modules, name, "package.json"));
    if (manifest === undefined) return;
    found.add(name);
    for (const dependency of Object.keys(manifest.dependencies ?? {})) add(dependency);
  };
  for (const name of packages) add(name);
  return found;
}

function manifestOf(path: string): { readonly version?: string; readonly dependencies?: Readonly<Record<string, string>> } | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}

export type WorkerOptions = {
  /** Which work in inside/serve.ts. */
  readonly work: string;
  /** Direct dependencies of that work; the first one stands for all when the version is reported. */
  readonly packages: readonly string[];
};

/** Our own version and Node's, if it runs in the sandbox. */
export async function probeWorker(sandbox: Sandbox, { packages }: WorkerOptions): Promise<string | undefined> {
  try {
    const command = commandOf(packages, ["--version"]);
    const end = await sandbox.run({ ...command, limits: { addressSpace: false, wallMs: probeMs } });
    const own = manifestOf(join(root, "package.json"))?.version;
    return end.exitCode === 0 && own !== undefined ? `${own} (Node ${end.stdout.trim().replace(/^v/, "")})` : undefined;
  } catch {
    return undefined;
  }
}

/** An engine that is a worker and needs nothing else. */
export function workerEngine(worker: WorkerOptions, engine: Pick<Engine, "id" | "label" | "lane" | "hops">): Engine {
  return defineEngine({
    ...{ ...engine, packages: [], badInput: [] },
    probe: (sandbox) => probeWorker(sandbox, worker),
    open: (host) => openWorker(host, worker),
  });
}

/** Nothing runs until the first conversion; then one process per slot stays warm. */
export function openWorker(host: EngineHost, { work, packages }: WorkerOptions, give?: Give): Promise<OpenEngine> {
  const command = {
    ...commandOf(packages, ["--no-warnings", `--max-old-space-size=${heapMb}`, `/opt/filemill/${here}/serve.ts`]),
    limits: { wallMs: 0, cpuSeconds: 30 * 86_400, addressSpace: false, folderBytes: 2 * 2 ** 30, fileBytes: 2 ** 30 },
  };
  return openChildEngine(host, () => host.sandbox.spawn(command), { warm: 0, question: { work }, ...(give === undefined ? {} : { give }) });
}

/** For works that read text (see inside/text-decoding.ts). */
export const encodingOption = oneOf(
  "encoding",
  words(
    "auto utf-8 utf-16le utf-16be windows-1250 windows-1251 windows-1252 windows-1253 windows-1254 windows-1255 windows-1256 " +
      "iso-8859-1 iso-8859-2 iso-8859-5 iso-8859-15 koi8-r shift_jis euc-jp gb18030 big5 euc-kr",
  ),
  "Text encoding of the input",
  "auto",
);
