import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { treeOf } from "#services/conversion/sandbox/usage.ts";

/** Of all processes that run the same, in bytes: all that is there for them, and what nobody else has. */
export type ProcessMemory = { readonly what: string; readonly count: number; readonly resident: number; readonly own: number };

export type TreeMemory = {
  /** The largest first. */
  readonly processes: readonly ProcessMemory[];
  /** With what they share, programs and libraries, once: as if nothing else ran on this machine, which PSS does not tell. */
  readonly together: number;
};

/** What a process tree holds now. */
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

/** Bytes that are the process's own, and those of each part of a file that it has as the file has it. Names differ between sandboxes: files go by number. */
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
