/** An older version, this one, and the older one again, on one DATA_DIR. */
import { execFile } from "node:child_process";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { root } from "#gateway/setup/node.mjs";
import { ask, untilServed } from "./client.ts";
import { type Deployment, openOneProcess } from "./deployment.ts";
import type { Accepted } from "./ledger.ts";
import { openScene, untilBusy } from "./scene.ts";
import type { Outcome } from "./storm.ts";

const run = promisify(execFile);

/** From before this suite was written. */
const olderCommit = "62a4d3c";

/** Why the older version is not available; undefined if it is. */
export async function versionRefusal(): Promise<string | undefined> {
  try {
    await run("git", ["cat-file", "-e", `${olderCommit}^{commit}`], { cwd: root });
    return undefined;
  } catch {
    return `the clone has no commit ${olderCommit} (a shallow one has no history)`;
  }
}

/** Killed under load each time, as in a failed update. */
export async function versions(home: string, seed: number): Promise<Outcome> {
  const clone = join(home, "older");
  await run("git", ["worktree", "add", "--detach", clone, olderCommit], { cwd: root });
  try {
    await symlink(join(root, "node_modules"), join(clone, "node_modules"));
    return await thereAndBack(home, clone, seed);
  } finally {
    await run("git", ["worktree", "remove", "--force", clone], { cwd: root });
  }
}

async function thereAndBack(home: string, clone: string, seed: number): Promise<Outcome> {
  const early: Accepted[] = [];
  const rows = new Map<string, number>();
  const defects: string[] = [];
  {
    await using older = await openOneProcess({ home, clone });
    await using scene = await openScene(older, { seed, clients: 6, hasReceiver: false });
    await untilBusy(scene, 25);
    early.push(...wanted(scene.ledger.accepted.values()));
    const abandoned = scene.load.abandon();
    await older.gateway.kill();
    await abandoned;
    rows.set("accepted by the older version, which was killed then", early.length);
  }
  let outcome: Outcome;
  const late: Accepted[] = [];
  {
    await using newer = await openOneProcess({ home });
    const [first] = early;
    if (first === undefined) throw new Error("nothing was accepted");
    await untilServed(newer.url, first.customer.key);
    defects.push(...(await unkept(newer, early)).map((each) => `after the update: ${each}`));
    await using scene = await openScene(newer, { seed: seed + 1, clients: 6, hasReceiver: false });
    await untilBusy(scene, 25);
    outcome = { ...(await scene.end()), kills: 1, rows };
    late.push(...wanted(scene.ledger.accepted.values()));
    rows.set("accepted by the newer version", late.length);
  }
  await using again = await openOneProcess({ home, clone });
  await untilServed(again.url, late[0]?.customer.key ?? "");
  defects.push(...(await unkept(again, [...early, ...late])).map((each) => `after the way back: ${each}`));
  return { ...outcome, defects: [...outcome.defects, ...defects] };
}

function wanted(accepted: Iterable<Accepted>): Accepted[] {
  return [...accepted].filter(({ isUnwanted }) => !isUnwanted);
}

/** Keys work, and every job ends with its result. */
async function unkept({ url }: Deployment, accepted: readonly Accepted[]): Promise<string[]> {
  const wrong: string[] = [];
  for (const { jobId, customer, isGood } of accepted) {
    const status = await endedStatus(`${url}/api/v1/jobs/${jobId}`, customer.key);
    if (status !== (isGood ? "done" : "failed")) wrong.push(`job ${jobId} is ${status}`);
    if (status !== "done") continue;
    const headers = { authorization: `Bearer ${customer.key}` };
    const result = await fetch(`${url}/api/v1/jobs/${jobId}/download`, { headers });
    const { byteLength } = await result.arrayBuffer();
    if (result.status !== 200 || byteLength === 0) wrong.push(`the result of job ${jobId} was answered ${result.status}`);
  }
  return wrong;
}

async function endedStatus(url: string, key: string): Promise<string> {
  for (let looks = 0; looks < 20; looks += 1) {
    const answer = await ask(url, key, { headers: { prefer: "wait=10" } });
    const status = answer?.body.job?.status ?? answer?.body.error?.code ?? "not answered";
    if (status !== "queued" && status !== "running") return status;
  }
  return "not ended";
}
