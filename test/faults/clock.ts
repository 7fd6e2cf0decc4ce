/** Sets the wall clock forward and back by an hour under load, and wrongly across a restart. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openOneProcess } from "./deployment.ts";
import { openScene, untilBusy } from "./scene.ts";
import type { Outcome } from "./storm.ts";

const hourMs = 3_600_000;
const steps = [hourMs, 0, -hourMs, 0] as const;

export async function clockSteps(home: string, seed: number): Promise<Outcome> {
  const preload = new URL("stepped-clock.ts", import.meta.url).href;
  await using deployment = await openOneProcess({ home, env: { NODE_OPTIONS: `--import ${preload}` } });
  await using scene = await openScene(deployment, { seed, clients: 6 });
  let kills = 0;
  await untilBusy(scene, 15);
  for (const step of steps) {
    writeFileSync(join(deployment.faultsDir, "clock"), String(step));
    const before = scene.ledger.accepted.size;
    await untilBusy(scene, 15);
    if (scene.ledger.accepted.size < before + 15)
      scene.ledger.defects.push(`nothing was accepted for five minutes after a step to ${step / hourMs} h`);
    // Leases of running jobs were taken by another clock.
    if (deployment.gateway.pid !== undefined) process.kill(deployment.gateway.pid, "SIGKILL");
    kills += 1;
    await untilBusy(scene, 10);
  }
  return { ...(await scene.end()), kills, rows: new Map([["steps of an hour", steps.length]]) };
}
