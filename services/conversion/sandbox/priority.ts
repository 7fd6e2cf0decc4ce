/** The CPU priority of process trees. */
import { readdirSync, writeFileSync } from "node:fs";
import { setPriority } from "node:os";
import { treeOf } from "./usage.ts";

/**
 * Sets the niceness of a whole tree, from 0 to 19. Linux may share CPUs among sessions before it considers the processes in them
 * (autogroups), and each sandbox is a session. Then a process's niceness alone has no effect on other sessions.
 *
 * @param isFinal - It will not be lowered again. Only root may lower it for processes, but anyone may for sessions.
 * @returns Whether everything was accepted. The kernel rejects some changes in quick succession.
 */
export function setNiceness(pid: number, niceness: number, isFinal: boolean): boolean {
  const alsoProcesses = isFinal || process.getuid?.() === 0;
  return treeOf(pid)
    .map((member) => {
      if (alsoProcesses) for (const thread of threadsOf(member)) attempt(() => setPriority(thread, niceness));
      return attempt(() => writeFileSync(`/proc/${member}/autogroup`, String(niceness)));
    })
    .every((error) => error?.code !== "EAGAIN");
}

/** For a process that has just started, and whatever it starts. setNiceness does the same for sessions. */
export function beginNicely(pid: number, niceness: number): void {
  // Fails if this process got a lower priority a moment ago. That is ignored, because an exception would leave an untracked process behind.
  if (niceness > 0) attempt(() => setPriority(pid, niceness));
}

function threadsOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number);
  } catch {
    return [];
  }
}

/** Processes that ended meanwhile, and files that this kernel does not have, need no change. */
function attempt(change: () => void): NodeJS.ErrnoException | undefined {
  try {
    change();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : undefined;
  }
}
