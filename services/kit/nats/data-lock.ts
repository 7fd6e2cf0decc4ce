import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { link, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { FilemillError } from "#kit/errors.ts";
import { isAlive, startOf } from "#kit/process-identity.ts";

const run = promisify(execFile);
const stopLimitMs = 5000;

/**
 * Makes this process the only user of the folder, until it is disposed. Rejects with UNAVAILABLE when another living process is.
 * The lock of a dead one is taken over.
 */
export async function openDataLock(dir: string): Promise<AsyncDisposable> {
  const path = join(dir, "lock");
  const mine = `${process.pid} ${startOf(process.pid) ?? ""} ${randomUUID()}`;
  const draft = `${path}.${process.pid}-${randomUUID()}`;
  await writeFile(draft, mine, { mode: 0o600 });
  try {
    while (!(await linked(draft, path))) {
      const holder = await readFile(path, "utf8").catch(() => undefined);
      if (holder === undefined) continue;
      if (isHeld(holder)) throw inUse(Number.parseInt(holder, 10));
      await takeAway(path, holder);
    }
  } finally {
    await rm(draft, { force: true });
  }
  return {
    async [Symbol.asyncDispose]() {
      if ((await readFile(path, "utf8").catch(() => "")) === mine) await rm(path, { force: true });
    },
  };
}

/** Two may find the same stale lock: only the stale one is removed, a fresh one is put back. */
async function takeAway(path: string, stale: string): Promise<void> {
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
  } catch {
    return;
  }
  if ((await readFile(aside, "utf8")) !== stale) await linked(aside, path);
  await rm(aside, { force: true });
}

async function linked(from: string, to: string): Promise<boolean> {
  return link(from, to).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "EEXIST") return false;
      throw error;
    },
  );
}

function isHeld(holder: string): boolean {
  const [pid, start] = holder.split(" ");
  return isAlive(Number(pid)) && (start === "" || start === (startOf(Number(pid)) ?? ""));
}

function inUse(pid: number): FilemillError {
  return new FilemillError(
    "UNAVAILABLE",
    `Another Filemill (process ${pid}) uses this DATA_DIR. Stop it, choose another DATA_DIR, or set NATS_URL so that both share a broker.`,
  );
}

/** Ends a nats-server that an earlier process left behind on this folder. */
export async function stopStaleServer(pidFile: string, configFile: string): Promise<void> {
  const pid = Number((await readFile(pidFile, "utf8").catch(() => "")).trim());
  // The id may belong to another program by now, and a zombie has no command line.
  const isOurs = async (): Promise<boolean> => isAlive(pid) && (await commandOf(pid)).includes(configFile);
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    if (!(await isOurs())) return;
    process.kill(pid, signal);
    for (let waitedMs = 0; waitedMs < stopLimitMs; waitedMs += 10) {
      await sleep(10);
      if (!(await isOurs())) return;
    }
  }
  throw new FilemillError("UNAVAILABLE", `An old nats-server (process ${pid}) uses this DATA_DIR and does not end.`);
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
