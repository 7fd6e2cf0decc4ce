/** How much a process tree lets others go first. */
import { readdirSync, writeFileSync } from "node:fs";
import { setPriority } from "node:os";
import { treeOf } from "./usage.ts";

/**
 * Sets the niceness of a whole tree, from 0 to 19. Linux may share processors among sessions before it looks at the processes in
 * them (autogroups), and each sandbox is a session: there a process's niceness alone says nothing to the others.
 *
 * @param isFinal - It will not be set lower again, which the kernel allows for processes only to root, for sessions to anybody.
 * @returns Whether all of it was taken; the kernel refuses some changes that follow each other closely.
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

/** For a process that has only begun, and what it will start; setNiceness brings the same to sessions. */
export function beginNicely(pid: number, niceness: number): void {
  // Left as it was where this process was given a lower priority a moment ago: an exception would leave a process behind that nobody knows.
  if (niceness > 0) attempt(() => setPriority(pid, niceness));
}

function threadsOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number);
  } catch {
    return [];
  }
}

/** What ended meanwhile, and what this kernel does not know, needs no change. */
function attempt(change: () => void): NodeJS.ErrnoException | undefined {
  try {
    change();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : undefined;
  }
}
