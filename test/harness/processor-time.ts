/** How much processor time a process has used, whatever the clock says on a busy machine. */
import { readFile } from "node:fs/promises";

const ticksPerSecond = 100;

/** In seconds, of all its threads and none of its children. */
export async function processorSecondsOf(pid: number | undefined): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, "latin1")).split(") ").at(-1)?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}
