/** CPU time of a process, which does not depend on how busy the machine is. */
import { readFile } from "node:fs/promises";

const ticksPerSecond = 100;

/** In seconds, for all its threads but none of its children. */
export async function processorSecondsOf(pid: number | undefined): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, "latin1")).split(") ").at(-1)?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}
