/**
 * Ends sandboxes whose service was killed. Each sandbox ends with its parent, except for processes that its launcher was just starting and
 * that have not requested this from the kernel yet. A mark in their command line identifies them. It belongs to exactly one process of
 * Filemill.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** The mark that launchers of sandboxes have in their command line. */
export function markOf(owner: string): string {
  return `filemill-sandbox:${owner}`;
}

const passes = 200;
const passMs = 25;

/**
 * A launcher that its parent has only just forked has no mark yet, so a single check that finds nothing proves nothing. On a busy machine
 * it takes time to start, and may then wait forever if its parent is gone.
 */
const emptyPasses = 100;

/**
 * Ends all sandboxes of an owner that died before this process started. Processes that a sandbox starts meanwhile are found by the next
 * check.
 */
export async function endOrphans(owner: string): Promise<void> {
  for (let pass = 0; pass < passes; pass++) {
    const left = launchersOf(markOf(owner));
    if (left.length === 0) return;
    for (const { pid, signal } of left) {
      try {
        process.kill(pid, signal);
      } catch {
        // Already gone.
      }
    }
    await sleep(passMs);
  }
}

type Launcher = { readonly pid: number; readonly signal: NodeJS.Signals };

function launchersOf(mark: string): readonly Launcher[] {
  return readdirSync("/proc").flatMap((name) => {
    const args = /^\d+$/.test(name) ? argumentsOf(name) : [];
    if (!args.includes(mark)) return [];
    // Bubblewrap uses the mark as its name, and everything inside dies with its processes. The helper of the weaker sandbox cleans up by
    // itself.
    return [{ pid: Number(name), signal: args[0] === mark ? "SIGKILL" : "SIGTERM" }];
  });
}

function argumentsOf(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1").split("\0");
  } catch {
    return [];
  }
}

/**
 * Waits for the end of its standard input, which this process holds, and then does what `endOrphans` does. The mark comes through the
 * input, because in its command line the script would find itself.
 */
const script = `
read -r mark
read -r word && exit
tries=0
empty=0
while [ $tries -lt ${passes} ] && [ $empty -lt ${emptyPasses} ]; do
  found=$(printf '%s\\n' "$mark" | grep -lsF -f - /proc/[0-9]*/cmdline)
  if [ -n "$found" ]; then
    for path in $found; do
      pid=\${path#/proc/}
      kill -$0 "\${pid%/cmdline}" 2>/dev/null
    done
    tries=$((tries + 1))
    empty=0
  else
    empty=$((empty + 1))
  fi
  sleep 0.025
done`;

const restartMs = 1000;

/**
 * Starts a process that ends this one's sandboxes as soon as this one is killed, instead of at the next start. Disposing ends it without
 * that.
 */
export function keepWatchOver(owner: string, signal: "KILL" | "TERM"): Disposable {
  let watcher: ChildProcess | undefined;
  let isOver = false;
  const start = (): void => {
    if (isOver) return;
    watcher = spawn("/bin/sh", ["-c", script, signal], {
      cwd: "/",
      env: { PATH: "/usr/bin:/bin" },
      // Its own session, because signals from a terminal to the service are not meant for it.
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
    });
    watcher.on("error", () => undefined);
    watcher.stdin?.on("error", () => undefined);
    watcher.stdin?.write(`${markOf(owner)}\n`);
    watcher.once("close", () => setTimeout(start, restartMs).unref());
    watcher.unref();
    if (watcher.stdin instanceof Socket) watcher.stdin.unref();
  };
  start();
  return {
    [Symbol.dispose]() {
      isOver = true;
      watcher?.stdin?.end("over\n");
    },
  };
}
