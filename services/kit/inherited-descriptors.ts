/** Descriptors that whoever started this process left open: files, sockets, locks of others. */
import { closeSync, readdirSync, readFileSync } from "node:fs";

const closeOnExec = 0o2000000;
const firstOther = 3;

/**
 * Closes those that children would have as well. What Node opens is close-on-exec, and when it starts it makes those so that come
 * without a gap, a channel to a parent that is Node among them. The rest was open before and is used by nobody here.
 * Does nothing where there is no /proc.
 */
export function closeInherited(): void {
  for (const descriptor of inheritedDescriptors()) {
    try {
      closeSync(descriptor);
    } catch {
      // Closed meanwhile.
    }
  }
}

function inheritedDescriptors(): readonly number[] {
  try {
    return readdirSync("/proc/self/fd").map(Number).filter(isInherited);
  } catch {
    return [];
  }
}

function isInherited(descriptor: number): boolean {
  if (descriptor < firstOther) return false;
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "latin1"))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & closeOnExec) === 0;
  } catch {
    return false;
  }
}
