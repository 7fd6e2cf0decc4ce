/** Real processes with names like those of workers. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

const program = `import { nameProcess } from "#kit/process-identity.ts"; console.log(nameProcess()); setInterval(() => {}, 1000);`;
/** Prints its name and keeps running. */
export const namedProcess = [process.execPath, "--input-type=module", "--eval", program] as const;

export type NamedProcess = AsyncDisposable & {
  readonly name: string;
  readonly pid: number | undefined;
  /** Resolves when the process has died. */
  kill(): Promise<void>;
};

/** @param command - Starts the process, directly or indirectly. */
export async function startNamed([command, ...args]: readonly [string, ...string[]] = namedProcess): Promise<NamedProcess> {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await ended;
  };
  const [said] = await once(child.stdout, "data");
  return { name: String(said).trim(), pid: child.pid, kill, [Symbol.asyncDispose]: kill };
}

/** The name of a process that has just been killed. */
export async function nameOfDead(): Promise<string> {
  await using dead = await startNamed();
  return dead.name;
}

/** The parts of a process name on Linux: its pid, and its start time in clock ticks since boot. */
export function partsOf(name: string): { readonly pid: number; readonly start: string } {
  const [pid, start = ""] = name.split("-").slice(-3);
  return { pid: Number(pid), start };
}

/** A killed process whose parent never reaps it. Disposing ends the parent. */
export async function startZombie(): Promise<NamedProcess> {
  const parent = await startNamed(["sh", "-c", `"$@" & exec sleep 300`, "sh", ...namedProcess]);
  const { pid } = partsOf(parent.name);
  process.kill(pid, "SIGKILL");
  while (!(await readFile(`/proc/${pid}/stat`, "utf8")).includes(") Z ")) await sleep(5);
  return { ...parent, pid };
}

/** The same name, as a process of another host, boot or container would have it. */
export function elsewhere(name: string): string {
  return name.split("-").with(-4, "0123456789abcdef").join("-");
}
