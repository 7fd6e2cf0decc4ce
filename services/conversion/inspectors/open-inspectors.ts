/** Sandboxed processes that read strangers' bytes, so that the process that serves everybody never does (decision 34). */
import { FilemillError } from "#contract/errors.ts";
import type { Asked, Content, Inspector } from "../domain/inspector.ts";
import type { QuestionKind } from "../domain/questions.ts";
import type { Sandbox, SandboxChild } from "../domain/sandbox.ts";
import { createPool } from "../engines/shared/child-pool.ts";
import { openContent } from "./content.ts";
import { type Bounds, converse, type Exchange, type Fault, type Finding, InspectorFailed } from "./converse.ts";
import { inspectorCommandIn } from "./program.ts";

/** This many may be stuck with a file each, until their time limit, before others have to wait. */
const mostInspectors = 4;
const usualBounds: Bounds = { wallMs: 30_000, cpuSeconds: 2, cpuSecondsPerByte: 0.5e-6, wallMsPerByte: 1e-4 };

export type InspectorHost = {
  readonly sandbox: Pick<Sandbox, "spawn">;
  /** A folder of this process alone. The inspectors' program is stored there. */
  readonly folder: string;
  /** Where the program is kept for the next start. */
  readonly keptProgram?: string;
  log(event: string, fields?: Readonly<Record<string, unknown>>): void;
  readonly bounds?: Partial<Bounds>;
  onAnswer?(kind: QuestionKind, elapsedMs: number): void;
  onReplaced?(fault: Fault): void;
};

export async function openInspectors(host: InspectorHost): Promise<Inspector & AsyncDisposable> {
  const command = await inspectorCommandIn(host.folder, host.keptProgram);
  const pool = createPool({ size: mostInspectors, warm: 1, jobs: 10_000, start: () => host.sandbox.spawn(command), log: host.log });
  const bounds = { ...usualBounds, ...host.bounds };
  let isClosed = false;

  async function askOnce<K extends QuestionKind>(exchange: Exchange<K>, signal: AbortSignal): Promise<Finding<K>> {
    if (isClosed) throw new FilemillError("UNAVAILABLE", "The converter is stopping; try again.");
    const child = await pool.take(signal);
    let isFit = false;
    try {
      const finding = await converse(child, exchange, bounds);
      isFit = true;
      return finding;
    } catch (error) {
      if (error instanceof InspectorFailed) replaced(child, exchange.kind, error);
      throw error;
    } finally {
      pool.giveBack(child, isFit);
    }
  }

  function replaced(child: SandboxChild, question: QuestionKind, { fault, message }: InspectorFailed): void {
    child.kill();
    host.log("inspector.replaced", { question, fault, said: message });
    host.onReplaced?.(fault);
  }

  /** If an inspector ends by itself or is killed from outside, the question is asked once more, because a fresh inspector may succeed. */
  async function askTwice<K extends QuestionKind>(exchange: Exchange<K>, signal: AbortSignal): Promise<Finding<K>> {
    try {
      return await askOnce(exchange, signal);
    } catch (error) {
      if (!(error instanceof InspectorFailed) || !isWorthAnother(error.fault) || exchange.isBegun()) throw error;
      return await askOnce(exchange, signal);
    }
  }

  return {
    async ask(kind, contents, { more = {}, signal = new AbortController().signal, write }: Asked = {}) {
      const startedAt = performance.now();
      using files = openAll(contents);
      try {
        const finding = await askTwice(exchangeOf(kind, more, files.opened, write), signal);
        signal.throwIfAborted();
        if ("refusal" in finding) throw finding.refusal;
        return finding.answer;
      } catch (error) {
        throw error instanceof InspectorFailed ? errorOf(error) : error;
      } finally {
        host.onAnswer?.(kind, performance.now() - startedAt);
      }
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      await pool[Symbol.asyncDispose]();
    },
  };
}

function exchangeOf<K extends QuestionKind>(
  kind: K,
  more: Exchange<K>["more"],
  files: Exchange<K>["files"],
  write: Asked["write"],
): Exchange<K> {
  let isBegun = false;
  if (write === undefined) return { kind, more, files, isBegun: () => false };
  return {
    ...{ kind, more, files, isBegun: () => isBegun },
    write(bytes) {
      isBegun = true;
      return write(bytes);
    },
  };
}

function openAll(contents: readonly Content[]) {
  using stack = new DisposableStack();
  const opened = contents.map((content) => {
    const file = openContent(content);
    stack.defer(() => file.close());
    return file;
  });
  const owned = stack.move();
  return { opened, [Symbol.dispose]: () => owned.dispose() };
}

function isWorthAnother(fault: Fault): boolean {
  return fault === "crash" || fault === "deadline" || fault === "wrong answer";
}

/** The file is never called damaged here, because that is unknown. */
function errorOf(failed: InspectorFailed): FilemillError {
  switch (failed.fault) {
    case "processor":
    case "deadline":
      return new FilemillError("CONVERSION_TIMEOUT", "The file could not be examined in time.", { cause: failed });
    case "memory":
      return new FilemillError("INPUT_TOO_COMPLEX", "Examining the file needs more memory than it may use.", { cause: failed });
    case "crash":
    case "wrong answer":
    case "defect":
      return new FilemillError("INTERNAL", "The file could not be examined because of an internal error.", { cause: failed });
    default:
      return failed.fault satisfies never;
  }
}
