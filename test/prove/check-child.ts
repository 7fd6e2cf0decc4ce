/**
 * The child of checker.ts: reads and compares, one result at a time, in a process that a
 * faulty reader may crash. It requests conversions from its parent, because it has no engines.
 */
import process from "node:process";
import { evidenceOf } from "./check.ts";
import type { Question, Said } from "./checker.ts";
import { messageOf } from "./message-of.ts";
import type { KnownFile } from "./samples.ts";

let onMade: ((made: KnownFile | string) => void) | undefined;

function say(said: Said): void {
  process.send?.(said);
}

async function readAs<T>(engine: string, to: string, read: (file: KnownFile) => Promise<T>, of?: KnownFile): Promise<T> {
  const made = await new Promise<KnownFile | string>((resolve) => {
    onMade = resolve;
    say({ wanted: { engine, to, ...(of && { of }) } });
  });
  if (typeof made === "string") throw new Error(made);
  return read(made);
}

process.on("message", async (question: Question) => {
  if ("made" in question) {
    onMade?.(question.made);
    return;
  }
  const evidence = await evidenceOf({ ...question.given, readAs }).catch(messageOf);
  say({ evidence, memoryBytes: process.memoryUsage.rss() });
});

// Nobody is left to answer: reader programs, which are in this process's group, must not outlive it either.
process.on("disconnect", () => process.kill(-process.pid, "SIGKILL"));
