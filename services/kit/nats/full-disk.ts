import { statfs } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "#kit/log.ts";

const lookMs = 1000;
/** Below this, the server's next write may fail. */
const fullBytes = 16 * 1024 * 1024;
/** With this much free space, a restart makes sense. */
const roomBytes = 64 * 1024 * 1024;

/**
 * Restarts the server as soon as a full disk has room again. In nats-server 2.9, a stream whose write met a full disk never answers again,
 * while other streams do and the log says nothing. So every full disk counts. What was acknowledged is already on the disk.
 *
 * @param dir - The folder of the server's store.
 */
export function watchFullDisk(dir: string, restart: () => Promise<void>, log: Log): AsyncDisposable {
  const stop = new AbortController();
  const { signal } = stop;
  let wasFull = false;

  async function look(): Promise<void> {
    const volume = await statfs(dir);
    const freeBytes = volume.bavail * volume.bsize;
    if (!wasFull && freeBytes < fullBytes) {
      wasFull = true;
      log.error("broker.disk_full", { freeBytes });
    }
    if (!wasFull || freeBytes < roomBytes || signal.aborted) return;
    wasFull = false;
    log.warn("broker.restarting", { reason: "the disk was full", freeBytes });
    await restart();
  }
  const loop = async (): Promise<void> => {
    while (!signal.aborted) {
      await look().catch((error: unknown) => log.warn("broker.look_failed", { error: String(error) }));
      await sleep(lookMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  };
  const done = loop();
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await done;
    },
  };
}
