/** Pictures, by sharp (libvips) in warm sandboxed processes. */
import { constants, createWriteStream, readFileSync, writeFileSync } from "node:fs";
import { chmod, copyFile, link, rm, stat } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { FilemillError, isErrorCode } from "#kit/errors.ts";
import { defineEngine, type EngineHost, type HopTask, type OpenEngine } from "../domain/engine.ts";
import { type NoteCode, noteTable } from "../domain/notes.ts";
import type { Sandbox, SandboxChild } from "../domain/sandbox.ts";
import { sharpHops } from "./sharp-hops.ts";
import { createPool } from "./sharp-pool.ts";
import { openOutput } from "./tool-run.ts";

/** Up to here bytes travel in the question and the answer: no file is made, checked and removed. */
const inlineBytes = 512 * 1024;

const copyBytes = 2 ** 20;

type Answer =
  | { readonly ok: true; readonly data: string | undefined; readonly notes: readonly NoteCode[] }
  | { readonly ok: false; readonly error: FilemillError; readonly odd: boolean; readonly said: string };

export const sharpEngine = defineEngine({
  id: "sharp",
  label: "sharp (libvips)",
  lane: "image",
  packages: [],
  probe: probeSharp,
  hops: sharpHops,
  open: openSharp,
});

async function probeSharp(sandbox: Sandbox): Promise<string | undefined> {
  try {
    const end = await sandbox.run({ ...childCommand("--version"), limits: { addressSpace: false, wallMs: 20_000 } });
    return end.exitCode === 0 ? end.stdout.trim() : undefined;
  } catch {
    return undefined;
  }
}

async function openSharp(host: EngineHost): Promise<OpenEngine> {
  // libvips' own threads: all cores when one picture is converted at a time, one each when all slots are busy.
  const threads = Math.max(1, Math.floor(availableParallelism() / Math.max(1, host.slots)));
  const command = {
    ...childCommand(String(threads)),
    limits: { wallMs: 0, cpuSeconds: 30 * 86_400, addressSpace: false, folderBytes: 4 * 2 ** 30, fileBytes: 2 * 2 ** 30 },
  };
  const pool = createPool({ size: host.slots, start: () => host.sandbox.spawn(command), log: host.log });

  async function run(task: HopTask): Promise<void> {
    const child = await pool.take(task.signal);
    let fit = false;
    try {
      const answer = await ask(child, task);
      fit = answer.ok || !answer.odd;
      if (!answer.ok) {
        host.log("sharp.refused", { code: answer.error.code, said: answer.said });
        throw answer.error;
      }
      if (answer.data === undefined) await moveResult(child, task.outputPath);
      else writeFileSync(task.outputPath, answer.data, { encoding: "base64", flag: "wx" });
      for (const code of answer.notes) task.note(code);
    } finally {
      pool.giveBack(child, fit);
    }
  }
  return { run, [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose]() };
}

async function ask(child: SandboxChild, task: HopTask): Promise<Answer> {
  const { input, hop, options, timeoutMs, signal } = task;
  const question = { from: hop.from, to: hop.to, options };
  if (input.sizeBytes <= inlineBytes) {
    // Synchronous, since a visit to the thread pool takes longer than the read.
    const data = readFileSync(input.path, "base64");
    return answerOf(await child.request({ ...question, data }, { timeoutMs, signal }));
  }
  const inside = join(child.folder, "in");
  await placeInput(input.path, inside);
  try {
    return answerOf(await child.request(question, { timeoutMs, signal }));
  } finally {
    await rm(inside, { force: true });
  }
}

/**
 * A second name for a file that the child's user can read but not change (it is root's), else a copy:
 * the child is handed nothing that it could alter.
 */
async function placeInput(from: string, to: string): Promise<void> {
  await rm(to, { force: true, recursive: true });
  const found = await stat(from);
  const isSafe = process.getuid?.() === 0 && found.uid === 0 && (found.mode & 0o022) === 0 && (found.mode & 0o004) !== 0;
  if (
    isSafe &&
    (await link(from, to).then(
      () => true,
      () => false,
    ))
  )
    return;
  await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  await chmod(to, 0o444);
}

/** A copy, not a rename: the child lives on and may still hold the file open. */
async function moveResult(child: SandboxChild, outputPath: string): Promise<void> {
  const from = join(child.folder, "out");
  const source = await openOutput(from);
  try {
    const target = createWriteStream(outputPath, { flags: "wx", highWaterMark: copyBytes });
    await pipeline(source.createReadStream({ highWaterMark: copyBytes, autoClose: false }), target);
  } finally {
    await source.close();
    await rm(from, { force: true });
  }
}

/** What comes out of the sandbox is checked, whatever it claims. */
function answerOf(value: unknown): Answer {
  if (typeof value === "object" && value !== null && "ok" in value) {
    if (value.ok === true && "notes" in value && Array.isArray(value.notes)) {
      const data = "data" in value && typeof value.data === "string" ? value.data : undefined;
      return { ok: true, data, notes: value.notes.filter(isNoteCode) };
    }
    if ("code" in value && typeof value.code === "string" && isErrorCode(value.code) && "message" in value) {
      const said = "said" in value ? String(value.said) : "";
      const odd = !("odd" in value) || value.odd !== false;
      return { ok: false, error: new FilemillError(value.code, String(value.message)), odd, said };
    }
  }
  return { ok: false, error: new FilemillError("CONVERSION_FAILED", "The picture could not be converted."), odd: true, said: "no answer" };
}

function isNoteCode(value: unknown): value is NoteCode {
  return typeof value === "string" && value in noteTable;
}

/** The running Node and sharp's packages, read-only; nothing else of the clone is visible. */
function childCommand(argument: string) {
  const entry = fileURLToPath(import.meta.resolve("sharp"));
  const modules = entry.slice(0, entry.lastIndexOf("/node_modules/") + "/node_modules/".length);
  const inside = "/opt/filemill/node_modules";
  const packages = ["sharp", "@img", "detect-libc", "semver"];
  return {
    program: "/opt/node",
    // Its path and not its name: a search for the name would read package files that are not visible.
    args: ["--max-old-space-size=1024", "/opt/filemill/sharp-child.mjs", join(inside, entry.slice(modules.length)), argument],
    env: { MALLOC_ARENA_MAX: "2", NODE_ENV: "production" },
    readOnly: {
      [process.execPath]: "/opt/node",
      [fileURLToPath(new URL("./sharp-child.mjs", import.meta.url))]: "/opt/filemill/sharp-child.mjs",
      ...Object.fromEntries(packages.map((name) => [join(modules, name), join(inside, name)])),
    },
  };
}
