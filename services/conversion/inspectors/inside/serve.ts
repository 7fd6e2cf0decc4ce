/** An inspector: answers one question after another until its input ends. For the questions see ../../domain/questions.ts. */
import { answering, type More } from "./answers.ts";
import { nextLine, type Question, say } from "./exchange.ts";
import { refusalOf } from "./refusal.ts";
import { openRemoteFile } from "./remote-file.ts";

type AnyAnswering = (typeof answering)[keyof typeof answering];

async function replyTo({ kind, files, more }: Question) {
  try {
    const answerTo: AnyAnswering | undefined = Object.entries(answering).find(([name]) => name === kind)?.[1];
    const opened = files.map((file, index) => openRemoteFile(index, file));
    const [first] = opened;
    if (answerTo === undefined || first === undefined) return { defect: "There is no such question." };
    return { answer: await answerTo(first, more, opened) };
  } catch (error) {
    const refusal = refusalOf(error);
    return refusal === undefined ? { defect: placeOf(error) } : { refusal };
  }
}

/** Where the error happened, without its message, which may quote the file. */
function placeOf(error: unknown): string {
  if (!(error instanceof Error)) return "something was thrown";
  return `${error.name} ${/\bat [^\n]*/.exec(error.stack ?? "")?.[0] ?? ""}`.slice(0, 200);
}

/** A picture of one pixel, for warming up: the first questions of a process take a hundred times as long as later ones. */
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

async function warmUp(): Promise<void> {
  const files = [{ sizeBytes: Buffer.from(pixel, "base64").length, head: pixel }];
  const more: More = { fileName: "pixel.png", withGuards: true, format: "png" };
  for (const kind of ["sniff", "check", "sniff", "check"]) await replyTo({ kind, files, more });
}

async function serve(): Promise<void> {
  for (let line = nextLine(); line !== undefined; line = nextLine()) {
    const asked = JSON.parse(line);
    if (asked.ready === true) {
      await warmUp();
      say({ ready: true });
    } else say(await replyTo(asked));
  }
}

void serve();
