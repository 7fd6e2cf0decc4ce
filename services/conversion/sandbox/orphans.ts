/**
 * Sandboxes whose service was killed. Each ends with its parent, except for what its launcher was just starting: that has not told the kernel
 * yet that it wants to. It is known by a mark in its command line that belongs to one process of ours and to none before it.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** What launchers of sandboxes have in their command line. */
export function markOf(owner: string): string {
  return `filemill-sandbox:${owner}`;
}

const passes = 200;
const passMs = 25;

/**
 * A launcher that its parent had only just forked has no mark yet: one look that finds nothing proves nothing. On a busy machine it
 * takes its time to start, and one whose parent is gone may then wait for ever.
 */
const emptyPasses = 100;

/** Ends all sandboxes of an owner that died before this process started. What one of them starts meanwhile is found by the next look. */
export async function endOrphans(owner: string): Promise<void> {
  for (let pass = 0; pass < passes; pass++) {
    const left = launchersOf(markOf(owner));
    if (left.length === 0) return;
    for (const { pid, signal } of left) {
      try {
        process.kill(pid, signal);
      } catch {
        // Gone already.
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
    // Bubblewrap has it for a name, and with its processes goes what is inside. The helper of the weaker sandbox ends that itself.
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
 * Waits for the end of its standard input, which is ours, and then does what `endOrphans` does. The mark comes by the input: in a
 * command line it would find itself.
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

/** Has a process beside this one end its sandboxes when it is killed, at once and not with the next start. Disposed, it ends without doing so. */
export function keepWatchOver(owner: string, signal: "KILL" | "TERM"): Disposable {
  let watcher: ChildProcess | undefined;
  let isOver = false;
  const start = (): void => {
    if (isOver) return;
    watcher = spawn("/bin/sh", ["-c", script, signal], {
      cwd: "/",
      env: { PATH: "/usr/bin:/bin" },
      // A session of its own: what a terminal tells the service is not meant for it.
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
