import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { treeOf } from "#services/conversion/sandbox/usage.ts";

/** For all processes that run the same program, in bytes: resident and private memory. */
export type ProcessMemory = { readonly what: string; readonly count: number; readonly resident: number; readonly own: number };

export type TreeMemory = {
  /** Largest first. */
  readonly processes: readonly ProcessMemory[];
  /** Shared programs and libraries count once, as if nothing else ran on this machine; PSS does not show that. */
  readonly together: number;
};

/** Memory currently held by a process tree. */
export function memoryOfTree(root: number): TreeMemory {
  const found = new Map<string, ProcessMemory>();
  const files = new Map<string, number>();
  let together = 0;
  for (const pid of treeOf(root)) {
    const { name, own, mapped } = mappingsOf(pid);
    const before = found.get(name) ?? { count: 0, resident: 0, own: 0 };
    const resident = own + [...mapped.values()].reduce((sum, bytes) => sum + bytes, 0);
    found.set(name, { what: name, count: before.count + 1, resident: before.resident + resident, own: before.own + own });
    together += own;
    for (const [file, bytes] of mapped) files.set(file, Math.max(files.get(file) ?? 0, bytes));
  }
  for (const bytes of files.values()) together += bytes;
  return { processes: [...found.values()].sort((one, other) => other.own - one.own), together };
}

/**
 * Private bytes of the process, and resident bytes of each unmodified file
 * mapping. Names differ between sandboxes, so files are identified by number.
 */
function mappingsOf(pid: number): { name: string; own: number; mapped: ReadonlyMap<string, number> } {
  const mapped = new Map<string, number>();
  let own = 0;
  try {
    let place = "";
    let resident = 0;
    for (const line of readFileSync(`/proc/${pid}/smaps`, "latin1").split("\n")) {
      const [, name = "", amount = ""] = /^(\w+): +(\d+) kB$/.exec(line) ?? [];
      if (name === "Rss") resident = Number(amount) * 1024;
      else if (name === "Anonymous") {
        own += Number(amount) * 1024;
        mapped.set(place, (mapped.get(place) ?? 0) + resident - Number(amount) * 1024);
      } else if (name === "") place = line.split(/ +/).slice(2, 5).join(" ");
    }
    return { name: nameOf(pid), own, mapped };
  } catch {
    return { name: "ended", own: 0, mapped: new Map() };
  }
}

/** The program, and the script that it runs. */
function nameOf(pid: number): string {
  const [program = "", ...args] = readFileSync(`/proc/${pid}/cmdline`, "latin1").split("\0");
  const command = program.startsWith("filemill-sandbox:") ? "bwrap" : basename(program);
  const script = /^(node|python3|sh)$/.test(command) ? args.find((arg) => /\.(ts|cjs|mjs|py|sh)$/.test(arg)) : undefined;
  return script === undefined ? command : `${command} ${basename(script)}`;
}
