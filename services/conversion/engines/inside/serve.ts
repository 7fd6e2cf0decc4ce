/**
 * Runs inside the sandbox and answers questions until its input ends. Started by ../shared/node-worker.ts,
 * which nothing here imports. Each kind of work loads its libraries on first use.
 */
import { readFileSync, writeFileSync } from "node:fs";
import type { Notes, Question, Work } from "./exchange.ts";
import { Failure } from "./failure.ts";

// Libraries log to the stream that carries the answers.
console.log = console.warn = console.info = () => undefined;

const inlineBytes = 512 * 1024;

const works: Readonly<Record<string, () => Promise<Work>>> = {
  data: async () => (await import("./records/convert.ts")).convertData,
  drawing: async () => (await import("./drawing/dwg.ts")).convertDrawing,
  mail: async () => (await import("./mail/work.ts")).convertMailOrCards,
  meshoptimizer: async () => (await import("./model/change.ts")).changeModel,
  model: async () => (await import("./model/convert.ts")).convertModel,
  pdf: async () => (await import("./pdf/convert.ts")).convertPdf,
  svgo: async () => (await import("./svg/rewrite.ts")).rewriteSvg,
  subtitle: async () => (await import("./subtitle/convert.ts")).convertSubtitle,
};

/** Sheets of workbooks. */
async function partsOf({ work }: Question, bytes: Buffer, notes: Notes): Promise<readonly (string | null)[]> {
  if (work !== "data") throw new Failure("INTERNAL", "No such work.");
  const { sheetNamesOf } = await import("./records/sheets.ts");
  return sheetNamesOf(bytes, notes);
}

async function answer(question: Question): Promise<unknown> {
  const notes: Notes = new Map();
  try {
    const bytes = question.data === undefined ? readFileSync("in") : Buffer.from(question.data, "base64");
    if (bytes.length === 0) throw new Failure("INVALID_INPUT", "The file is empty.");
    if (question.parts === true) {
      const parts = await partsOf(question, bytes, notes);
      return { ok: true, data: Buffer.from(JSON.stringify(parts)).toString("base64"), notes: [...notes] };
    }
    const work = await works[question.work]?.();
    if (work === undefined) throw new Failure("INTERNAL", "No such work.");
    const result = Buffer.from(await work(bytes, question, notes, ask));
    if (result.length === 0) throw new Failure("CONVERSION_FAILED", "The file contains nothing that could be converted.");
    const isSmall = result.length <= inlineBytes;
    if (!isSmall) writeFileSync("out", result);
    return { ok: true, ...(isSmall ? { data: result.toString("base64") } : {}), notes: [...notes] };
  } catch (error) {
    const { code, message, odd } = failureOf(error);
    return { ok: false, code, message, odd };
  }
}

/** Libraries throw all sorts of errors for a damaged file; an exhausted stack or memory has its own. */
function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof RangeError) {
    return new Failure("INPUT_TOO_COMPLEX", "The file is nested too deeply or is too large to convert.", true);
  }
  return new Failure("CONVERSION_FAILED", "The file could not be converted.", true);
}

/** Receives the next line while a work waits for what it asked for. */
let take: ((given: string) => void) | undefined;

function ask(wanted: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    take = resolve;
    process.stdout.write(`${JSON.stringify({ wanted })}\n`);
  });
}

let waiting = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", async (chunk: string) => {
  waiting += chunk;
  if (!waiting.endsWith("\n")) return;
  const question = JSON.parse(waiting);
  waiting = "";
  if (take !== undefined) {
    take(String(question.given));
    take = undefined;
    return;
  }
  const reply = question.ready === true ? { ready: true } : await answer(question);
  process.stdout.write(`${JSON.stringify(reply)}\n`);
});
