/** Real processes that bear names as workers do. */
import { spawn } from "node:child_process";
import { once } from "node:events";

const program = `import { nameProcess } from "#kit/process-identity.ts"; console.log(nameProcess()); setInterval(() => {}, 1000);`;
/** Tells its name and goes on living. */
export const namedProcess = [process.execPath, "--input-type=module", "--eval", program] as const;

export type NamedProcess = AsyncDisposable & {
  readonly name: string;
  readonly pid: number | undefined;
  /** Resolves when a deadly signal has had its effect. */
  kill(): Promise<void>;
};

/** @param command - Of the process, or of what starts it. */
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

/** The same name, as the process of another host, boot or container would have given it to itself. */
export function elsewhere(name: string): string {
  return name.split("-").with(-4, "0123456789abcdef").join("-");
}
