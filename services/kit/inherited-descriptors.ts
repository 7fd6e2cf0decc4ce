/** Descriptors that the parent process left open: files, sockets, locks of others. */
import { closeSync, readdirSync, readFileSync } from "node:fs";

const closeOnExec = 0o2000000;
const firstOther = 3;

/**
 * Closes descriptors that child processes would inherit. Node opens its own as close-on-exec. At start-up it also marks those inherited
 * without a gap, including a channel to a Node parent. The others were open before and are not used here. Does nothing without /proc.
 */
export function closeInherited(): void {
  for (const descriptor of inheritedDescriptors()) {
    try {
      closeSync(descriptor);
    } catch {
      // Closed in the meantime.
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
