/**
 * `npm run test:hosts`: several hosts under load lose their leader, a host,
 * a disk and each process in turn; nothing is lost, and nothing is done twice.
 */
import { createHash } from "node:crypto";
import { mkdir, mkdtemp } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "nats";
import { openBlobs } from "#kit/blobs/open-blobs.ts";
import { openLog } from "#kit/log.ts";
import { clusterOptions } from "#kit/nats/cluster.ts";
import { ask, submit } from "#test/faults/client.ts";
import { untilReady } from "#test/faults/deployment.ts";
import { type Ledger, openLedger } from "#test/faults/ledger.ts";
import { fillUp, makeRoom, mountRefusal } from "#test/faults/mounts.ts";
import { type Menu, openMenu } from "#test/faults/orders.ts";
import { createDice } from "#test/fuzz/mutate.ts";
import { removeFolder } from "#test/harness/folders.ts";
import { type Hosts, livesOf, openHosts, untilAlive } from "./deployment.ts";
import { guessedAt } from "./guesses.ts";

const clients = 10;
const measureMs = 10_000;
/** Longer than a lease plus the interval at which expired leases are looked for. */
const outageMs = 12_000;

/** @returns What was wrong. */
async function run(home: string): Promise<readonly string[]> {
  await using hosts = await openHosts(home);
  console.log("3 brokers, 2 gateways, 3 workers and S3, each host in a network of its own");
  const ledger = openLedger(false);
  const menu = await openMenu();
  console.table(await measure(hosts, ledger, menu));
  const load = startLoad(hosts, ledger, menu);
  const rows: object[] = [];
  for (const [fault, play] of Object.entries(faults)) {
    const before = countsOf(ledger);
    const beganMs = performance.now();
    await play(hosts);
    const after = countsOf(ledger);
    const [accepted, refused, unanswered] = after.map((count, index) => count - (before[index] ?? 0));
    rows.push({ fault, seconds: Math.round((performance.now() - beganMs) / 1000), accepted, "told to come again": refused, unanswered });
  }
  await load.stop();
  console.table(rows);
  console.table([await check(hosts, ledger)]);
  return ledger.defects;
}

/** Accepted jobs, answers that asked to retry, requests without an answer. */
function countsOf({ accepted, refused }: Ledger): readonly [number, number, number] {
  const unanswered = refused.get("no answer") ?? 0;
  const all = [...refused.values()].reduce((sum, times) => sum + times, 0);
  return [accepted.size, all - unanswered, unanswered];
}

/** Only documents, which every worker converts. More workers than processors would not convert more. */
async function measure(hosts: Hosts, ledger: Ledger, menu: Menu): Promise<readonly object[]> {
  const rows: object[] = [];
  const documents: Menu = (dice) => {
    for (;;) {
      const order = menu(dice);
      if (order.name.endsWith("typical.md")) return order;
    }
  };
  for (const { keeper } of hosts.workers.slice(1)) await keeper.halt();
  for (const [index, { keeper }] of hosts.workers.entries()) {
    if (index > 0) keeper.resume();
    await sleep(index > 0 ? 15_000 : 0);
    const before = ledger.accepted.size;
    const load = startLoad(hosts, ledger, documents);
    await sleep(measureMs);
    await load.stop();
    const perSecond = (ledger.accepted.size - before) / (measureMs / 1000);
    rows.push({
      workers: index + 1,
      "documents at once": index + 1,
      "conversions a second": perSecond,
      processors: availableParallelism(),
    });
  }
  return rows;
}

function startLoad({ urls, key }: Hosts, ledger: Ledger, menu: Menu): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const givingUp = new AbortController();
  const customer = { accountId: "", key };
  const all = Array.from({ length: clients }, async (_, index) => {
    const dice = createDice(Date.now() + index);
    while (!stopping.signal.aborted) {
      const idempotencyKey = `${index}-${ledger.requests}-${dice.below(1_000_000_000)}`;
      const asking = { order: menu(dice), customer, inline: dice.below(3) > 0, idempotencyKey };
      await submit(urls[dice.below(urls.length)] ?? "", ledger, asking, givingUp.signal);
    }
  });
  return {
    async stop() {
      stopping.abort();
      const timer = setTimeout(() => {
        ledger.defects.push("a client was still not answered two minutes after the last fault");
        givingUp.abort();
      }, 120_000);
      await Promise.all(all);
      clearTimeout(timer);
    },
  };
}

const faults: Readonly<Record<string, (hosts: Hosts) => Promise<void>>> = {
  async "the leader of the queue is killed"({ nats }) {
    const leader = nats.servers[await leaderOf(nats.url)];
    await leader?.kill();
    await sleep(outageMs);
    leader?.resume();
  },
  async "a worker is cut off"({ network, workers }) {
    const address = workers[1]?.address ?? "";
    network.cut(address);
    await sleep(outageMs);
    network.mend(address);
  },
  async "a gateway is cut off"({ network, gateways }) {
    const address = gateways[1]?.address ?? "";
    network.cut(address);
    await sleep(outageMs);
    network.mend(address);
  },
  async "a worker is drained, and added again"({ workers }) {
    await workers[0]?.keeper.halt();
    await sleep(3000);
    workers[0]?.keeper.resume();
  },
  async "the scratch disk of a worker is full"({ scratchDisk }) {
    await fillUp(scratchDisk.path, 200_000);
    await sleep(outageMs);
    await makeRoom(scratchDisk.path);
  },
  async "every process is started anew, one after another"({ nats, gateways, workers, urls }) {
    for (const server of nats.servers) {
      await server.halt();
      server.resume();
      await sleep(5000);
    }
    for (const { keeper } of gateways) {
      await keeper.halt();
      keeper.resume();
      await Promise.all(urls.map((url) => untilReady(url)));
    }
    // Each must work again before the next is stopped: some engines run on only two hosts.
    for (const worker of workers) {
      const lives = await livesOf(worker);
      await worker.keeper.halt();
      worker.keeper.resume();
      await untilAlive(worker, lives + 1);
    }
  },
};

async function leaderOf(url: string): Promise<number> {
  const connection = await connect(await clusterOptions({ url }));
  try {
    const { cluster } = await (await connection.jetstreamManager()).streams.info("JOBS");
    return Number(cluster?.leader?.slice(1) ?? 0);
  } finally {
    await connection.close();
  }
}

/** Checks that every promise was kept exactly once, and that the store holds what the records name. */
async function check(hosts: Hosts, ledger: Ledger): Promise<object> {
  let done = 0;
  let lost = 0;
  for (const [index, accepted] of [...ledger.accepted.values()].entries()) {
    // From either gateway, alternately.
    const url = hosts.urls[index % hosts.urls.length] ?? "";
    const state = await endOf(url, hosts.key, accepted.jobId);
    if (state === "done") done += 1;
    if (state === "never" || state === "unknown") lost += 1;
    if (accepted.isGood !== (state === "done")) ledger.defects.push(`job ${accepted.jobId} to ${accepted.to} ended as ${state}`);
    else if (state === "done" && index % 5 === 0) await checkResult(url, hosts.key, accepted.jobId, ledger);
  }
  const twice = [...ledger.idsByKey.values()].filter((ids) => ids.size !== 1).length;
  if (twice > 0) ledger.defects.push(`${twice} requests made more than one job`);
  const guesses = await guessedAt(hosts.urls);
  // Eight for one client at one account, and one more if two gateways were informed at the same time.
  if (guesses > 9) ledger.defects.push(`${guesses} guesses at one password were looked at`);
  const store = await openBlobs({ ...hosts.s3.env, DATA_DIR: home }, openLog("silent"));
  let stored = -1;
  for (let tries = 0; tries < 20 && stored < done; tries += 1) {
    await sleep(1000);
    stored = (await Array.fromAsync(store.list())).filter(({ partial }) => !partial).length;
  }
  // Results of attempts that lost their lease, and uploads whose client was told to retry, are removed by the hourly sweep.
  if (stored < done) ledger.defects.push(`${done} jobs are done, but only ${stored} files are stored`);
  const { requests, accepted } = ledger;
  return {
    requests,
    accepted: accepted.size,
    done,
    "refused as damaged": accepted.size - done - lost,
    lost,
    twice,
    "results stored": stored,
    "guesses at a password looked at": guesses,
  };
}

async function endOf(url: string, key: string, jobId: string): Promise<string> {
  for (let tries = 0; tries < 1200; tries += 1) {
    const answer = await ask(`${url}/api/v1/jobs/${jobId}`, key, {});
    const state = answer?.body.job?.status ?? (answer?.status === 404 ? "unknown" : "");
    if (["done", "failed", "cancelled", "expired", "unknown"].includes(state)) return state;
    await sleep(100);
  }
  return "never";
}

async function checkResult(url: string, key: string, jobId: string, ledger: Ledger): Promise<void> {
  const answer = await fetch(`${url}/api/v1/jobs/${jobId}/download`, {
    headers: { authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(60_000),
  });
  const bytes = Buffer.from(await answer.arrayBuffer());
  const digest = `sha-256=:${createHash("sha256").update(bytes).digest("base64")}:`;
  if (answer.status !== 200 || answer.headers.get("repr-digest") !== digest) {
    ledger.defects.push(`the result of job ${jobId} was answered ${answer.status}, or is not what was recorded`);
  }
}

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));
await mkdir(".tmp", { recursive: true });
const home = await mkdtemp(resolve(".tmp/hosts-"));
const refusal = await mountRefusal(home);
if (refusal !== undefined) {
  console.error(`This needs root: ${refusal}`);
  process.exit(1);
}
const defects = await run(home);
for (const defect of defects.slice(0, 20)) console.error(`DEFECT ${defect}`);
if (defects.length === 0) await removeFolder(home);
else console.error(`${defects.length} defects; logs are in ${home}`);
process.exit(defects.length === 0 ? 0 : 1);
