/** Puts one question to one inspector: passes on the bytes that it requests, within limits, until it answers. */
import { FilemillError } from "#contract/errors.ts";
import { record, text, WrongShape } from "../domain/answer-shapes.ts";
import { LacksContent } from "../domain/failure.ts";
import { type Answer, answers, type QuestionKind, refusal } from "../domain/questions.ts";
import type { SandboxChild } from "../domain/sandbox.ts";
import { createCpuMeter } from "../sandbox/usage.ts";
import type { OpenContent } from "./content.ts";

/** Why an inspector has to be replaced. */
export type Fault = "processor" | "deadline" | "memory" | "crash" | "wrong answer" | "defect";

/** The inspector is no longer usable. The file may be intact. */
export class InspectorFailed extends Error {
  readonly fault: Fault;

  constructor(fault: Fault, said: string, options?: ErrorOptions) {
    super(said, options);
    this.fault = fault;
  }
}

export type Bounds = {
  /** Total wall-clock time; generous, because a busy machine stretches it. */
  readonly wallMs: number;
  /** The inspector's CPU time, and the extra time for each byte that was moved for it. */
  readonly cpuSeconds: number;
  readonly cpuSecondsPerByte: number;
  /** Added to `wallMs` for each byte that was exchanged. */
  readonly wallMsPerByte: number;
};

const headBytes = 65_536;
const tailBytes = 66_000;
const longestRead = 262_144;
/** Reads that are allowed however small the files are, and the bytes that allow each further one. */
const freeReads = 1000;
const bytesPerRead = 8192;

export type Exchange<K extends QuestionKind> = {
  readonly kind: K;
  readonly more: Readonly<Record<string, unknown>>;
  readonly files: readonly OpenContent[];
  /** Whether the inspector has written anything. */
  isBegun(): boolean;
  write?: ((bytes: Buffer) => Promise<void> | void) | undefined;
};

/** The result: an answer, or why the file is refused. */
export type Finding<K extends QuestionKind> = { readonly answer: Answer<K> } | { readonly refusal: FilemillError };

/** After any rejection, the inspector is no longer usable. Rejects with InspectorFailed, or with an error on this side. */
export async function converse<K extends QuestionKind>(child: SandboxChild, exchange: Exchange<K>, bounds: Bounds): Promise<Finding<K>> {
  const { kind, more, files } = exchange;
  const errands = createErrands(exchange);
  using clock = watch(child, bounds, () => errands.movedBytes);
  let message: unknown = { kind, more, files: files.map((file) => filed(file, kind)) };
  for (;;) {
    const reply = fieldsOf(await clock.request(message));
    if (reply.read !== undefined) message = await errands.read(reply.read);
    else if (reply.write !== undefined) message = await errands.write(reply.write);
    else return findingOf(kind, reply);
  }
}

/** Sent along with the question, so that most questions need nothing else. */
function filed({ sizeBytes, readNow }: OpenContent, kind: QuestionKind) {
  if (kind !== "check") return { sizeBytes, head: readNow(0, Math.min(sizeBytes, headBytes)).toString("base64") };
  if (sizeBytes <= tailBytes) return { sizeBytes, head: readNow(0, sizeBytes).toString("base64") };
  const tail = readNow(sizeBytes - tailBytes, tailBytes).toString("base64");
  return { sizeBytes, head: readNow(0, 4096).toString("base64"), tail };
}

/** Moves bytes for the inspector. Everything it requests must be in the files of the question. */
function createErrands({ files, write }: Exchange<QuestionKind>) {
  const totalBytes = files.reduce((sum, file) => sum + file.sizeBytes, 0);
  let leftReads = freeReads + totalBytes / bytesPerRead;
  let movedBytes = 0;
  return {
    get movedBytes() {
      return movedBytes;
    },
    async read(asked: unknown) {
      const [index, offset, length]: readonly unknown[] = Array.isArray(asked) ? asked : [];
      const file = isCount(index) ? files[index] : undefined;
      const isFair = file !== undefined && isCount(offset) && isCount(length) && length <= longestRead && offset + length <= file.sizeBytes;
      leftReads -= 1;
      if (!isFair || leftReads < 0) throw new InspectorFailed("wrong answer", "It asked for what is not there, or too often.");
      movedBytes += length;
      return { bytes: (await file.read(offset, length)).toString("base64") };
    },
    async write(asked: unknown) {
      if (write === undefined || typeof asked !== "string") throw new InspectorFailed("wrong answer", "It wrote what nobody asked for.");
      const bytes = Buffer.from(asked, "base64");
      movedBytes += bytes.length;
      await write(bytes);
      return {};
    },
  };
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function fieldsOf(reply: unknown): Readonly<Record<string, unknown>> {
  if (typeof reply === "object" && reply !== null && Object.keys(reply).length === 1) return { ...reply };
  throw new InspectorFailed("wrong answer", "It did not say one thing.");
}

const refused = record({ refusal });
const defective = record({ defect: text(200) });

function findingOf<K extends QuestionKind>(kind: K, reply: Readonly<Record<string, unknown>>): Finding<K> {
  try {
    if (reply.refusal !== undefined) return { refusal: errorOf(refused(reply).refusal) };
    if (reply.defect !== undefined) throw new InspectorFailed("defect", defective(reply).defect);
    return { answer: answers[kind](reply.answer) as Answer<K> };
  } catch (error) {
    if (error instanceof WrongShape) throw new InspectorFailed("wrong answer", `Its answer to ${kind} has a wrong shape.`);
    throw error;
  }
}

export function errorOf({ code, message, lacksContent }: ReturnType<typeof refusal>): FilemillError {
  return lacksContent === true ? new LacksContent(message) : new FilemillError(code, message);
}

const lookMs = 250;
/** Checks end a question before its request times out by itself, unless this process is blocked for this long. */
const graceMs = 5000;
const workingShare = 0.2;

/** Sends requests to the child until its wall-clock or CPU time is over. Most questions are answered before the first check. */
function watch(child: SandboxChild, bounds: Bounds, movedBytes: () => number) {
  const startedAt = performance.now();
  // Bytes that move show that it does not hang, only that the file is large or the disk slow.
  const endsAt = (): number => startedAt + bounds.wallMs + movedBytes() * bounds.wallMsPerByte;
  let overdue: Fault | undefined;
  let meter: (() => number) | undefined;
  let before = 0;
  const look = (): void => {
    meter ??= createCpuMeter(child.pid);
    before ||= meter();
    const used = (meter() - before) / (bounds.cpuSeconds + movedBytes() * bounds.cpuSecondsPerByte);
    const isLate = performance.now() > endsAt();
    if (used <= 1 && !isLate) return;
    // An inspector that hangs uses no CPU. One that works is merely slow on a busy machine.
    overdue ??= used > workingShare ? "processor" : "deadline";
    child.kill();
  };
  const looking = setInterval(look, lookMs).unref();
  return {
    async request(message: unknown): Promise<unknown> {
      try {
        return await child.request(message, { timeoutMs: Math.max(1, endsAt() - performance.now()) + graceMs });
      } catch (cause) {
        const { code } = cause instanceof FilemillError ? cause : { code: undefined };
        if (code === "UNAVAILABLE") throw cause;
        const fault = code === "INPUT_TOO_COMPLEX" ? "memory" : code === "CONVERSION_TIMEOUT" ? "deadline" : "crash";
        throw new InspectorFailed(overdue ?? fault, "It ended before it answered.", { cause });
      }
    },
    [Symbol.dispose]: () => clearInterval(looking),
  };
}
