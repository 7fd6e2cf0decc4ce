/** Web pages as people see them, by a browser that shows one page in its lifetime and can load only that page and what came with it. */
import { join } from "node:path";
import { defineEngine, type EngineHost, type HopTask, type OpenEngine } from "#services/conversion/domain/engine.ts";
import { replacedFontsMessage } from "#services/conversion/domain/font-note.ts";
import type { SandboxChild } from "#services/conversion/domain/sandbox.ts";
import { openChildEngine } from "../shared/child-engine.ts";
import { probeMs } from "../shared/tool-run.ts";
import { chromiumHops } from "./chromium-hops.ts";

const program = "/usr/lib/chromium/chromium-headless-shell";
const workerInside = "/engine/worker.py";
/** The worker and its modules, placed side by side for Python to find. */
const workerFiles = {
  [join(import.meta.dirname, "chromium-worker.py")]: workerInside,
  [join(import.meta.dirname, "chromium-devtools.py")]: "/engine/devtools.py",
  [join(import.meta.dirname, "chromium-fonts.py")]: "/engine/fonts.py",
  [join(import.meta.dirname, "../shared/installed-fonts.py")]: "/engine/installed_fonts.py",
  [join(import.meta.dirname, "chromium-paper.py")]: "/engine/paper.py",
  [join(import.meta.dirname, "chromium-pages.py")]: "/engine/pages.py",
};
/** An idle browser costs memory; starting one for a job takes a third of a second. */
const successorMs = 5 * 60_000;
const limits = { addressSpace: false, memoryBytes: 1536 * 2 ** 20, processes: 256, openFiles: 1024 } as const;

function startBrowser({ sandbox }: EngineHost): Promise<SandboxChild> {
  return sandbox.spawn({
    program: "/usr/bin/python3",
    args: ["-S", "-u", workerInside],
    env: { PYTHONDONTWRITEBYTECODE: "1" },
    readOnly: workerFiles,
    limits: { ...limits, wallMs: 0, cpuSeconds: 86_400, fileBytes: 2 ** 30, folderBytes: 2 * 2 ** 30, tmpBytes: 512 * 2 ** 20 },
  });
}

/** Guesses the code page of a page that is not Unicode and declares none. */
async function withEncoding({ inspector }: EngineHost, task: HopTask): Promise<HopTask> {
  const { from } = task.hop;
  if (from !== "html" && from !== "xhtml") return task;
  const { guess } = await inspector.ask("textEncoding", [task.input.path], { more: { isPage: true }, signal: task.signal });
  return guess === undefined ? task : { ...task, options: { ...task.options, charset: guess } };
}

/** The worker reports the font families of a page; which characters may appear in an answer is decided here. */
function withPlainNotes(task: HopTask): HopTask {
  const noteFonts = (names: string): void => {
    const message = replacedFontsMessage(names.split("\n"));
    if (message !== undefined) task.note("FONT_SUBSTITUTED", message);
  };
  return {
    ...task,
    note: (code, message) => (code === "FONT_SUBSTITUTED" && message !== undefined ? noteFonts(message) : task.note(code, message)),
  };
}

export const chromiumEngine = defineEngine({
  id: "chromium",
  label: "Chromium",
  lane: "document",
  packages: ["chromium-headless-shell", "python3"],
  hops: chromiumHops,
  badInput: [],
  needsFullSandbox: true,
  async probe(sandbox) {
    // Through Python, which drives the browser.
    const script = `import os; os.execv("${program}", ["chromium", "--no-sandbox", "--version"])`;
    const command = { program: "/usr/bin/python3", args: ["-S", "-c", script] };
    const end = await sandbox.run({ ...command, limits: { ...limits, wallMs: probeMs } }).catch(() => undefined);
    return end?.exitCode === 0 ? /(\d{1,9}\.\d[\d.]*)/.exec(end.stdout)?.[1] : undefined;
  },
  async open(host): Promise<OpenEngine> {
    const printer = await openChildEngine(host, () => startBrowser(host), { warm: 0, jobs: 1, successorMs });
    return {
      run: async (task) => printer.run(withPlainNotes(await withEncoding(host, task))),
      [Symbol.asyncDispose]: () => printer[Symbol.asyncDispose](),
    };
  },
});
