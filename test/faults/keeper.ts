/** A program that is restarted whenever it ends, as by an init system. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const pauseMs = 200;
const stopLimitMs = 25_000;

export type Program = {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  /** Receives the output of all runs. */
  readonly logFile: string;
};

export type Keeper = AsyncDisposable & {
  readonly name: string;
  /** Of the current run; undefined between two. */
  readonly pid: number | undefined;
  /** Number of runs started. */
  readonly starts: number;
  /** Runs that ended by themselves: with an exit code, or a signal that the suite does not send. */
  readonly unasked: { readonly what: string; readonly atMs: number }[];
  /** Ends the current run gracefully, and starts no other until `resume`. Resolves with how it ended. */
  halt(): Promise<string>;
  /** The same by force. */
  kill(): Promise<void>;
  resume(): void;
};

export function keep(program: Program): Keeper {
  const unasked: Keeper["unasked"] = [];
  let starts = 0;
  let isWanted = true;
  let child: ChildProcess | undefined;

  const start = (): ChildProcess => {
    const begun = begin(program);
    starts += 1;
    begun.once("exit", (code, signal) => {
      if (!isWanted) return;
      if (signal !== "SIGKILL")
        unasked.push({ what: `${program.name} ended by itself: ${signal ?? `exit code ${code}`}`, atMs: performance.now() });
      // Unless another run was started meanwhile.
      void sleep(pauseMs).then(() => {
        if (isWanted && child === begun) child = start();
      });
    });
    return begun;
  };
  const end = (signal: NodeJS.Signals): Promise<string> => {
    isWanted = false;
    return endOf(child, signal);
  };

  child = start();
  return {
    name: program.name,
    get pid() {
      return child === undefined || hasEnded(child) ? undefined : child.pid;
    },
    get starts() {
      return starts;
    },
    unasked,
    halt: () => end("SIGTERM"),
    async kill() {
      await end("SIGKILL");
    },
    resume() {
      if (isWanted) return;
      isWanted = true;
      child = start();
    },
    async [Symbol.asyncDispose]() {
      await end("SIGTERM");
    },
  };
}

function begin(program: Program): ChildProcess {
  const log = openSync(program.logFile, "a");
  // If the suite itself is killed, its programs end too.
  const [command, ...args] = ["setpriv", "--pdeathsig", "KILL", "--", ...program.command];
  const begun = spawn(command ?? "", args, { env: { ...program.env }, stdio: ["ignore", log, log] });
  closeSync(log);
  return begun;
}

async function endOf(child: ChildProcess | undefined, signal: NodeJS.Signals): Promise<string> {
  if (child === undefined || hasEnded(child)) return "was not running";
  const ended = once(child, "exit");
  // A paused process receives no other signal.
  child.kill("SIGCONT");
  child.kill(signal);
  const timer = setTimeout(() => child.kill("SIGKILL"), stopLimitMs);
  const [code, endedBy] = await ended;
  clearTimeout(timer);
  return endedBy === null ? `exit code ${code}` : String(endedBy);
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
