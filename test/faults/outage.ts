/** The broker is down for a while: killed if it is a separate process, paused if it is ours. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Deployment } from "./deployment.ts";
import { openScene, untilBusy } from "./scene.ts";
import type { Outcome } from "./storm.ts";

export async function outage(deployment: Deployment, seed: number, awayMs: number): Promise<Outcome> {
  await using scene = await openScene(deployment, { seed, clients: 6 });
  const { ledger } = scene;
  await untilBusy(scene, 20);
  const [broker] = deployment.keepers.filter(({ name }) => name === "broker");
  const pid = await deployment.brokerPid();
  if (pid === undefined) throw new Error("there is no broker");
  const refusedBefore = ledger.refused.get("UNAVAILABLE") ?? 0;
  if (broker !== undefined) await broker.kill();
  else process.kill(pid, "SIGSTOP");
  await sleep(awayMs);
  if (broker !== undefined) broker.resume();
  else process.kill(pid, "SIGCONT");
  const refused = (ledger.refused.get("UNAVAILABLE") ?? 0) - refusedBefore;
  if (refused === 0) ledger.defects.push("nobody was told to come again while the broker was away");
  const before = ledger.accepted.size;
  await untilBusy(scene, 20);
  if (ledger.accepted.size < before + 20) ledger.defects.push("nothing was accepted for five minutes after the broker was back");
  const rows = new Map([
    [`seconds without a broker`, Math.round(awayMs / 1000)],
    ["requests that were told to come again", refused],
  ]);
  return { ...(await scene.end()), kills: 1, rows };
}
