/** Engines that are our own programs in the sandbox: one line of JSON per question and per answer, with files beside them. */
import { closeSync, constants, createWriteStream, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { chmod, copyFile, link, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type ErrorCode, FilemillError, isErrorCode } from "#contract/errors.ts";
import { recallFile, rememberFile } from "#kit/blobs/fresh-files.ts";
import type { EngineHost, HopTask, OpenEngine } from "#services/conversion/domain/engine.ts";
import { EngineFault, LacksContent } from "#services/conversion/domain/failure.ts";
import { longestNote, type NoteCode, noteTable } from "#services/conversion/domain/notes.ts";
import type { SandboxChild } from "#services/conversion/domain/sandbox.ts";
import { createPool, isWiped, type PoolOptions } from "./child-pool.ts";
import { openOutput } from "./tool-run.ts";

/** Up to this size, bytes travel inside the question and the answer, so that no file has to be created, checked and removed. */
const inlineBytes = 512 * 1024;

const copyBytes = 2 ** 20;

/** Files exchanged with a child. */
const answerFiles = ["in", "out"];

type Note = { readonly code: NoteCode; readonly message: string | undefined };

type Answer =
  | { readonly ok: true; readonly data: string | undefined; readonly notes: readonly Note[] }
  | { readonly ok: false; readonly error: FilemillError; readonly odd: boolean };

export type ChildEngineOptions = Omit<PoolOptions, "size" | "start" | "log"> & {
  /** Sent along with each question. */
  readonly question?: Readonly<Record<string, unknown>>;
  /** Provides what a child asks for while it works, once per job. */
  readonly give?: Give;
};

/** `wanted`: as the child wrote it. */
export type Give = (task: HopTask, wanted: readonly string[]) => Promise<string>;

/** Converts with children started by `start`, as many in parallel as the host has slots and spares. */
export async function openChildEngine(
  host: Omit<EngineHost, "inspector">,
  start: () => Promise<SandboxChild>,
  { question = {}, give, ...lives }: ChildEngineOptions,
): Promise<OpenEngine> {
  const size = host.slots + host.spare;
  const warm = host.isOneOff === true ? Math.min(lives.warm, size) : lives.warm;
  const pool = createPool({ size, ...lives, warm, start, log: host.log });

  async function converse(task: HopTask, more: Readonly<Record<string, unknown>>, take: Take, onAsked?: () => void): Promise<void> {
    const child = await pool.take(task.signal);
    let fit = false;
    try {
      const asked = ask(child, task, more, give);
      onAsked?.();
      const answer = await asked;
      fit = answer.ok || !answer.odd;
      if (!answer.ok) {
        // Not the library's own message, which quotes the file.
        host.log("child.refused", { code: answer.error.code, odd: answer.odd });
        throw answer.error;
      }
      await take(answer, child);
    } finally {
      // Only the next job waits for this check.
      pool.giveBack(
        child,
        nextTurn().then(async () => (await isWiped(child, { expected: answerFiles })) && fit),
      );
    }
  }

  return {
    async run(task) {
      using result = openResult(task.outputPath);
      await converse(
        task,
        question,
        async ({ data, notes }, child) => {
          if (data === undefined) await moveResult(child, result.descriptor());
          else result.write(Buffer.from(data, "base64"));
          for (const { code, message } of notes) task.note(code, message);
        },
        result.prepare,
      );
    },
    async parts(task) {
      let labels: readonly (string | null)[] = [];
      await converse(task, { ...question, parts: true }, ({ data, notes }) => {
        labels = labelsOf(data);
        for (const { code, message } of notes) task.note(code, message);
      });
      return labels;
    },
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  };
}

/**
 * The file is created while the engine works: on a busy disk that can take as long as a small picture. It is removed if nothing is written.
 */
function openResult(path: string) {
  let descriptor: number | undefined;
  let isWritten = false;
  const open = (): number => {
    descriptor ??= openSync(path, "wx", 0o444);
    return descriptor;
  };
  return {
    descriptor(): number {
      isWritten = true;
      return open();
    },
    prepare(): void {
      try {
        open();
      } catch {
        // The write reports the error.
      }
    },
    write(bytes: Buffer): void {
      isWritten = true;
      writeFileSync(open(), bytes);
      rememberFile(path, bytes);
    },
    [Symbol.dispose]() {
      if (descriptor === undefined) return;
      closeSync(descriptor);
      if (!isWritten) rmSync(path, { force: true });
    },
  };
}

type Take = (answer: Extract<Answer, { ok: true }>, child: SandboxChild) => Promise<void> | void;

/** A list of labels, or anything at all from a compromised sandbox. */
function labelsOf(data: string | undefined): readonly (string | null)[] {
  try {
    const list: unknown = JSON.parse(Buffer.from(data ?? "", "base64").toString());
    if (Array.isArray(list)) return list.map((label) => (label === null ? null : String(label)));
  } catch {
    // Not JSON: treated as no list.
  }
  throw new FilemillError("CONVERSION_FAILED", "The file could not be converted.");
}

async function ask(child: SandboxChild, task: HopTask, more: Readonly<Record<string, unknown>>, give: Give | undefined): Promise<Answer> {
  const { input, hop, options } = task;
  const request = async (message: unknown) => {
    const value = await child.request(message, task);
    const wanted = wantedOf(value);
    if (give === undefined || wanted === undefined) return answerOf(value);
    return answerOf(await child.request({ given: await give(task, wanted) }, task));
  };
  const question = { ...more, from: hop.from, to: hop.to, options };
  if (input.sizeBytes <= inlineBytes) {
    // Synchronous because a round trip through the thread pool takes longer than the read.
    const data = recallFile(input.path)?.toString("base64") ?? readFileSync(input.path, "base64");
    return await request({ ...question, data });
  }
  const inside = join(child.folder, "in");
  await placeInput(input.path, inside);
  try {
    return await request(question);
  } finally {
    await rm(inside, { force: true });
  }
}

/** What a child asks for instead of answering. */
function wantedOf(value: unknown): readonly string[] | undefined {
  const wanted = typeof value === "object" && value !== null && "wanted" in value ? value.wanted : undefined;
  return Array.isArray(wanted) ? wanted.map(String) : undefined;
}

/**
 * A hard link if the child's user can read but not change the file (root owns
 * it), otherwise a copy: the child must not be able to alter the original.
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
async function moveResult(child: SandboxChild, descriptor: number): Promise<void> {
  const from = join(child.folder, "out");
  const source = await openOutput(from);
  try {
    const target = createWriteStream("", { fd: descriptor, autoClose: false, highWaterMark: copyBytes });
    await pipeline(source.createReadStream({ highWaterMark: copyBytes, autoClose: false }), target);
  } finally {
    await source.close();
    await rm(from, { force: true });
  }
}

/** Validates the answer: even our own program is not trusted once it runs inside the sandbox. */
export function answerOf(value: unknown): Answer {
  if (typeof value === "object" && value !== null && "ok" in value) {
    if (value.ok === true && "notes" in value && Array.isArray(value.notes)) {
      const data = "data" in value && typeof value.data === "string" ? value.data : undefined;
      return { ok: true, data, notes: value.notes.flatMap(noteOf) };
    }
    if ("code" in value && typeof value.code === "string" && isErrorCode(value.code) && "message" in value) {
      const odd = !("odd" in value) || value.odd !== false;
      return { ok: false, error: errorOf(value.code, String(value.message), odd), odd };
    }
  }
  return { ok: false, error: new EngineFault("unexplained", "no answer that could be read"), odd: true };
}

/** CONVERSION_FAILED means missing content if the program knows the reason, and an unexplained fault if it does not. */
function errorOf(code: ErrorCode, message: string, odd: boolean): FilemillError {
  if (code !== "CONVERSION_FAILED") return new FilemillError(code, message);
  return odd ? new EngineFault("unexplained", "an error that is not on the list") : new LacksContent(message);
}

/** A code alone, or a code with its message. */
function noteOf(value: unknown): readonly Note[] {
  const [code, message]: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (!isNoteCode(code)) return [];
  return [{ code, message: typeof message === "string" ? message.slice(0, longestNote) : undefined }];
}

function isNoteCode(value: unknown): value is NoteCode {
  return typeof value === "string" && Object.hasOwn(noteTable, value);
}
