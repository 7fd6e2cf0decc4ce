/** Disks that run full under load and are freed without a restart: the broker's and that of files. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openOneProcess } from "./deployment.ts";
import { fillUp, makeRoom, mountMemory } from "./mounts.ts";
import { openScene, untilBusy } from "./scene.ts";
import type { Outcome } from "./storm.ts";

/** Space left: none, or enough for an upload but not for its result. */
const leftovers = [0, 60_000] as const;

export async function fullDisks(home: string, seed: number, fullMs: number): Promise<Outcome> {
  await using stack = new AsyncDisposableStack();
  const data = join(home, "data");
  stack.use(await mountMemory(data, 200));
  mkdirSync(join(data, "nats"), { mode: 0o700 });
  const broker = stack.use(await mountMemory(join(data, "nats"), 200));
  const deployment = stack.use(await openOneProcess({ home }));
  await using scene = await openScene(deployment, { seed, clients: 6 });
  const { ledger } = scene;
  const rows = new Map<string, number>();
  for (const [name, path] of [
    ["the broker's store", broker.path],
    ["uploads, results and scratch", data],
  ] as const) {
    for (const left of leftovers) {
      await untilBusy(scene, 15);
      const refusedBefore = ledger.refused.get("UNAVAILABLE") ?? 0;
      // Repeatedly, since ending jobs free space.
      for (const until = performance.now() + fullMs; performance.now() < until; await sleep(100)) await fillUp(path, left);
      await makeRoom(path);
      rows.set(`refused while ${left} bytes were left for ${name}`, (ledger.refused.get("UNAVAILABLE") ?? 0) - refusedBefore);
      const before = ledger.accepted.size;
      await untilBusy(scene, 15);
      if (ledger.accepted.size < before + 15) ledger.defects.push(`nothing was accepted for five minutes after ${name} had room again`);
    }
  }
  const starts = deployment.gateway.starts;
  if (starts > 1) ledger.defects.push(`the service was started ${starts} times`);
  return { ...(await scene.end()), kills: 0, rows };
}
