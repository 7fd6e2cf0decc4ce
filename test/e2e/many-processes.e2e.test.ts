/** The same code across hosts: each service in its own process, on a NATS server that none of them started. */

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@connectrpc/connect";
import sharp from "sharp";
import { expect, test } from "vitest";
import type { BrokerUser } from "#contract/grants.ts";
import { AccountService } from "#gen/filemill/account/v1/account_pb.ts";
import { JobService } from "#gen/filemill/job/v1/job_pb.ts";
import { remoteTransport } from "#kit/rpc/transport.ts";
import { putFound } from "#test/harness/found.ts";
import { startBroker, startProcess } from "#test/harness/processes.ts";

test("works with each service in its own process and as its own broker user", async () => {
  await using stack = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), "filemill-many-"));
  stack.defer(() => rm(dir, { recursive: true, force: true }));
  const broker = stack.use(await startBroker(dir));
  const shared = { DATA_DIR: join(dir, "data"), PORT: "0", RPC_PORT: "0", DRAIN_MS: "2000", INLINE_WAIT_MS: "60000" };
  await putFound(shared.DATA_DIR);
  const service = async (name: BrokerUser, peers: Readonly<Record<string, string>> = {}): Promise<string> => {
    const env = { ...shared, NATS_URL: broker.urlOf(name), ...peers };
    const one = stack.use(startProcess(process.execPath, ["gateway/setup/service.mjs", name], env));
    return one.printed(/"url":"(http[^"]+)"[^\n]*"service\.ready"/);
  };
  // Only the owner creates streams, so the service is started once in that role.
  {
    const owning = { ...shared, NATS_URL: broker.urlOf("filemill"), OFFICE_SLOTS: "0" };
    await using whole = startProcess(process.execPath, ["gateway/main.ts"], owning);
    await whole.printed(/Filemill is (ready)/);
  }

  const CATALOGUE_ADDRESS = await service("catalogue");
  const JOB_ADDRESS = await service("job", { CATALOGUE_ADDRESS });
  const WEBHOOK_ADDRESS = await service("webhook", { JOB_ADDRESS });
  const ACCOUNT_ADDRESS = await service("account", { JOB_ADDRESS, WEBHOOK_ADDRESS });
  const CONVERSION_ADDRESS = await service("conversion", { CATALOGUE_ADDRESS, JOB_ADDRESS, OFFICE_SLOTS: "0" });
  const peers = { ACCOUNT_ADDRESS, CATALOGUE_ADDRESS, JOB_ADDRESS, CONVERSION_ADDRESS, WEBHOOK_ADDRESS };
  const gateway = stack.use(startProcess(process.execPath, ["gateway/main.ts"], { ...shared, ...peers }));
  const restUrl = await gateway.printed(/Filemill is ready\.\s+(http\S+)\//);

  const token = (await readFile(join(shared.DATA_DIR, "rpc-token"), "utf8")).trim();
  const accounts = createClient(AccountService, remoteTransport(ACCOUNT_ADDRESS, token));
  const { account } = await accounts.createAccount({ email: "many@example.org", plan: "plus" });
  const { key, secret } = await accounts.createKey({ account: { ref: { case: "email", value: "many@example.org" } } });
  const picture = await sharp({ create: { width: 40, height: 30, channels: 3, background: "teal" } })
    .png()
    .toBuffer();
  const convert = (query: string, headers: Record<string, string> = {}): Promise<Response> => {
    const form = new FormData();
    form.append("to", "webp");
    form.append("file", new File([new Uint8Array(picture)], "a.png"));
    return fetch(`${restUrl}/api/v1/convert${query}`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}`, ...headers },
      body: form,
    });
  };

  // Its catalogue runs elsewhere and learns of engines with a delay.
  await expect.poll(async () => (await fetch(`${restUrl}/api/v1/formats`)).status).toBe(200);

  const bytes = await convert("?download=1");
  expect(bytes.status, await bytes.clone().text()).toBe(200);
  expect(await sharp(await bytes.arrayBuffer()).metadata()).toMatchObject({ format: "webp", width: 40 });

  const queued = await convert("", { prefer: "respond-async" });
  expect(queued.status).toBe(202);
  const held = await fetch(queued.headers.get("location") ?? "", { headers: { authorization: `Bearer ${secret}`, prefer: "wait=60" } });
  expect(JSON.parse(await held.text()).job).toMatchObject({ status: "done", error: null });

  // Revoked in one process, effective in all.
  await accounts.revokeKey({ keyId: key?.id ?? "" });
  await expect.poll(async () => (await convert("")).status, { interval: 100 }).toBe(401);

  const jobs = createClient(JobService, remoteTransport(JOB_ADDRESS, token));
  const jobsLeft = async () => (await jobs.listJobs({ accountId: account?.id ?? "" })).jobs.length;
  expect(await jobsLeft()).toBeGreaterThan(0);
  await accounts.deleteAccount({ account: { ref: { case: "id", value: account?.id ?? "" } } });
  expect(await jobsLeft()).toBe(0);
});
