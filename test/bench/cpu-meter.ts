import { readdirSync, readFileSync } from "node:fs";

/** CPU time in ms, by the role of a Filemill process. */
export type CpuTimes = { supervisor: number; broker: number; engines: number };

/** Linux counts in hundredths of a second; over a few hundred requests that is precise enough. */
const msPerTick = 10;

/**
 * Adds up the CPU time of the service's process, its broker and its sandboxed engines between
 * looks. Look often: what a process spends between the last look and its end is lost.
 */
export function openCpuMeter(supervisor: number): { look(): CpuTimes } {
  const seen = new Map<number, number>();
  const spent: CpuTimes = { supervisor: 0, broker: 0, engines: 0 };
  let isFirst = true;
  return {
    look() {
      for (const { pid, role, cpuMs } of treeOf(supervisor)) {
        if (!isFirst) spent[role] += cpuMs - (seen.get(pid) ?? 0);
        seen.set(pid, cpuMs);
      }
      isFirst = false;
      return { ...spent };
    },
  };
}

type Member = { readonly pid: number; readonly role: keyof CpuTimes; readonly cpuMs: number };

function treeOf(root: number): Member[] {
  const processes = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const found = processes.flatMap((name) => statOf(Number(name)));
  const under = (parent: number, role: keyof CpuTimes): Member[] =>
    found
      .filter((each) => each.parent === parent)
      .flatMap(({ pid, program, cpuMs }) => {
        const own = parent === root && program === "nats-server" ? "broker" : role;
        return [{ pid, role: own, cpuMs }, ...under(pid, own)];
      });
  const own = found.filter(({ pid }) => pid === root).map(({ pid, cpuMs }): Member => ({ pid, role: "supervisor", cpuMs }));
  return [...own, ...under(root, "engines")];
}

function statOf(pid: number): { pid: number; program: string; parent: number; cpuMs: number }[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The program name is in parentheses and may itself contain blanks and parentheses.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const program = text.slice(text.indexOf("(") + 1, text.lastIndexOf(")"));
    return [{ pid, program, parent: Number(fields[1]), cpuMs: (Number(fields[11]) + Number(fields[12])) * msPerTick }];
  } catch {
    // It has just ended.
    return [];
  }
}
