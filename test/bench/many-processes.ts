/** Gateway, catalogue, two job services and workers, each in its own process, on one broker. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { createClient } from "@connectrpc/connect";
import { connect } from "nats";
import type { BrokerUser } from "#contract/grants.ts";
import { AccountService } from "#gen/filemill/account/v1/account_pb.ts";
import { remoteTransport } from "#kit/rpc/transport.ts";
import { type StartedBroker, startBroker, startProcess } from "#test/harness/processes.ts";
import { makeIcon } from "./icon.ts";
import { convert } from "./rest-client.ts";

export type ManyProcesses = AsyncDisposable & {
  readonly pids: Readonly<Record<string, number>>;
  addWorker(): Promise<void>;
  /** Converts an icon as a queued job, downloads it, and resolves with the job's duration in ms. */
  convertLater(): Promise<number>;
  /** Bytes in and out, and stream writes, since its start. */
  brokerCounts(): Promise<{ readonly brokerBytes: number; readonly writes: number }>;
  /** Of the jobs so far. */
  records(): Promise<readonly Uint8Array[]>;
};

const plans = {
  plus: { apiAccess: true, maxInputMb: 500, requestsPerMinute: 1_000_000, maxUnfinishedJobs: 1000, retentionSeconds: 86_400 },
};

const settings = { PORT: "0", RPC_PORT: "0", LOG_LEVEL: "info", PROVING: "off", DRAIN_MS: "2000" };

export async function openManyProcesses(): Promise<ManyProcesses> {
  await using opening = new AsyncDisposableStack();
  let stack = opening;
  const dir = await mkdtemp(join(tmpdir(), "filemill-capacity-"));
  stack.defer(() => rm(dir, { recursive: true, force: true }));
  const broker = stack.use(await startBroker(dir));
  await writeFile(join(dir, "plans.json"), JSON.stringify({ free: plans.plus, ...plans }));
  const shared = { ...settings, DATA_DIR: join(dir, "data"), PLANS_FILE: join(dir, "plans.json") };
  const pids: Record<string, number> = { broker: broker.child.pid ?? 0 };
  const service = async (name: BrokerUser, known: string, peers: Readonly<Record<string, string>> = {}): Promise<string> => {
    const env = { ...shared, NATS_URL: broker.urlOf(name), OFFICE_SLOTS: "0", ...peers };
    const one = stack.use(startProcess(process.execPath, ["gateway/setup/service.mjs", name], env));
    pids[known] = one.child.pid ?? 0;
    return one.printed(/"url":"(http[^"]+)"[^\n]*"service\.ready"/);
  };
  {
    await using whole = startProcess(process.execPath, ["gateway/main.ts"], {
      ...shared,
      NATS_URL: broker.urlOf("filemill"),
      OFFICE_SLOTS: "0",
    });
    await whole.printed(/Filemill is (ready)/);
  }
  const CATALOGUE_ADDRESS = await service("catalogue", "catalogue");
  const JOB_ADDRESS = await service("job", "job", { CATALOGUE_ADDRESS });
  await service("job", "follower", { CATALOGUE_ADDRESS });
  const WEBHOOK_ADDRESS = await service("webhook", "webhook", { JOB_ADDRESS });
  const ACCOUNT_ADDRESS = await service("account", "account", { JOB_ADDRESS, WEBHOOK_ADDRESS });
  const toWorkers = { CATALOGUE_ADDRESS, JOB_ADDRESS };
  const CONVERSION_ADDRESS = await service("conversion", "conversion", toWorkers);
  const peers = { ACCOUNT_ADDRESS, CATALOGUE_ADDRESS, JOB_ADDRESS, CONVERSION_ADDRESS, WEBHOOK_ADDRESS };
  const gateway = stack.use(startProcess(process.execPath, ["gateway/main.ts"], { ...shared, ...peers }));
  pids.gateway = gateway.child.pid ?? 0;
  const url = await gateway.printed(/Filemill is ready\.\s+(http\S+)\//);
  const token = (await readFile(join(shared.DATA_DIR, "rpc-token"), "utf8")).trim();
  const accounts = createClient(AccountService, remoteTransport(ACCOUNT_ADDRESS, token));
  await accounts.createAccount({ email: "capacity@example.org", plan: "plus" });
  const { secret: key } = await accounts.createKey({ account: { ref: { case: "email", value: "capacity@example.org" } } });
  const icon = await makeIcon();
  let added = 0;
  stack = opening.move();
  return {
    pids,
    async addWorker() {
      added += 1;
      await service("conversion", `more${added}`, { ...toWorkers, DATA_DIR: shared.DATA_DIR });
    },
    convertLater: () => convertLater({ url, key }, icon),
    brokerCounts: () => countsOf(broker),
    records: () => recordsIn(broker),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

async function convertLater(server: { readonly url: string; readonly key: string }, icon: Buffer): Promise<number> {
  const accepted = await convert(server, { to: "webp", name: "icon.png", headers: { prefer: "respond-async" } }, icon);
  if (accepted.status !== 202) throw new Error(`${accepted.status}: ${accepted.body}`);
  const { job } = JSON.parse(accepted.body.toString());
  const headers = { authorization: `Bearer ${server.key}` };
  const ended = await fetch(`${server.url}/api/v1/jobs/${job.id}`, { headers: { ...headers, prefer: "wait=60" } });
  const { job: done } = (await ended.json()) as { job: { status: string; durationMs: number; downloadUrl?: string } };
  if (done.status !== "done") throw new Error(`the job is ${done.status}`);
  const download = await fetch(`${server.url}/api/v1/jobs/${job.id}/download`, { headers });
  if (!download.ok) throw new Error(`download: ${download.status}`);
  await download.arrayBuffer();
  return done.durationMs;
}

/** From nats-server's monitoring. */
type Varz = { readonly in_bytes: number; readonly out_bytes: number };
type Jsz = {
  readonly account_details: readonly { readonly stream_detail?: readonly { readonly state: { readonly last_seq: number } }[] }[];
};

async function countsOf({ monitoringUrl }: StartedBroker): Promise<{ brokerBytes: number; writes: number }> {
  const server = (await (await fetch(`${monitoringUrl}/varz`)).json()) as Varz;
  const store = (await (await fetch(`${monitoringUrl}/jsz?streams=true&accounts=true`)).json()) as Jsz;
  const streams = store.account_details.flatMap((account) => account.stream_detail ?? []);
  return { brokerBytes: server.in_bytes + server.out_bytes, writes: streams.reduce((sum, { state }) => sum + state.last_seq, 0) };
}

async function recordsIn(broker: StartedBroker): Promise<readonly Uint8Array[]> {
  const url = new URL(broker.urlOf("filemill"));
  const connection = await connect({ servers: url.host, user: url.username, pass: url.password });
  try {
    const bucket = await connection.jetstream().views.kv("jobs");
    const keys = await Array.fromAsync(await bucket.keys());
    const entries = await Promise.all(keys.slice(0, 100).map((name) => bucket.get(name)));
    return entries.flatMap((entry) => (entry === null ? [] : [entry.value]));
  } finally {
    await connection.close();
  }
}
