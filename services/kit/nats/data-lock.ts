import { execFile } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { FilemillError } from "#contract/errors.ts";
import { tryLock } from "#kit/file-lock.ts";
import { isAlive } from "#kit/process-identity.ts";

const run = promisify(execFile);
const stopLimitMs = 5000;

/**
 * Makes this process the only user of the folder until it is disposed. Rejects with UNAVAILABLE if another live process uses it. The
 * lock of a dead process is taken over.
 */
export async function openDataLock(dir: string): Promise<AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  const path = join(dir, "lock");
  const lock = tryLock(join(dir, "lock.sqlite"));
  if (lock === undefined) throw inUse(await readFile(path, "utf8").catch(() => ""));
  stack.use(lock);
  await writeFile(path, String(process.pid), { mode: 0o600 });
  stack.defer(() => rm(path, { force: true }));
  const owned = stack.move();
  return { [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

function inUse(holder: string): FilemillError {
  const pid = Number.parseInt(holder, 10);
  return new FilemillError(
    "UNAVAILABLE",
    `Another Filemill${Number.isNaN(pid) ? "" : ` (process ${pid})`} uses this DATA_DIR. Stop it, choose another DATA_DIR, or set NATS_URL so that both share a broker.`,
  );
}

/** Stops a nats-server that an earlier process left running on this folder. */
export async function stopStaleServer(pidFile: string, configFile: string): Promise<void> {
  const pid = Number((await readFile(pidFile, "utf8").catch(() => "")).trim());
  // The process id may belong to another program by now, and a zombie has no command line.
  const isOurs = async (): Promise<boolean> => isAlive(pid) && (await commandOf(pid)).includes(configFile);
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    if (!(await isOurs())) return;
    process.kill(pid, signal);
    for (let waitedMs = 0; waitedMs < stopLimitMs; waitedMs += 10) {
      await sleep(10);
      if (!(await isOurs())) return;
    }
  }
  throw new FilemillError("UNAVAILABLE", `An old nats-server (process ${pid}) uses this DATA_DIR and does not exit.`);
}

async function commandOf(pid: number): Promise<string> {
  try {
    return (await readFile(`/proc/${pid}/cmdline`, "utf8")).replaceAll("\0", " ");
  } catch {
    return run("ps", ["-o", "command=", "-p", String(pid)]).then(
      ({ stdout }) => stdout,
      () => "",
    );
  }
}
