/** The same code on as many hosts as one likes: each service in a process of its own, on a NATS server that nobody of them started. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import sharp from "sharp";
import { expect, test } from "vitest";
import { AccountService } from "#gen/filemill/account/v1/account_pb.ts";
import { openGrpcClient } from "#kit/rpc/grpc-client.ts";

type Started = AsyncDisposable & {
  readonly child: ChildProcess;
  /** Resolves with the first match in what the process prints. */
  printed(pattern: RegExp): Promise<string>;
};

function start(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Started {
  const child = spawn(command, args, {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      text += String(chunk);
    });
  }
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  return {
    child,
    async printed(pattern) {
      for (;;) {
        const [, found] = pattern.exec(text) ?? [];
        if (found !== undefined) return found;
        if (child.exitCode !== null || child.signalCode !== null) throw new Error(`${args.join(" ")} ended:\n${text}`);
        await sleep(20);
      }
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), 20_000);
      await ended;
      clearTimeout(timer);
    },
  };
}

async function startBroker(dir: string): Promise<Started & { readonly url: string }> {
  const broker = start("nats-server", ["-a", "127.0.0.1", "-p", "-1", "-js", "-sd", dir, "--ports_file_dir", dir]);
  for (;;) {
    const file = (await readdir(dir)).find((name) => name.endsWith(".ports"));
    const text = file === undefined ? "" : await readFile(join(dir, file), "utf8");
    const url = /"(nats:\/\/[^"]+)"/.exec(text)?.[1];
    if (url !== undefined) return { ...broker, url };
    await sleep(20);
  }
}

test("account, catalogue, job, conversion and gateway work as five processes", async () => {
  await using stack = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), "filemill-many-"));
  stack.defer(() => rm(dir, { recursive: true, force: true }));
  const broker = stack.use(await startBroker(dir));
  const shared = { NATS_URL: broker.url, DATA_DIR: join(dir, "data"), PORT: "0", RPC_PORT: "0", DRAIN_MS: "2000" };
  const service = async (name: string, peers: Readonly<Record<string, string>> = {}): Promise<string> => {
    const one = stack.use(start(process.execPath, ["gateway/setup/service.mjs", name], { ...shared, ...peers }));
    return one.printed(/"url":"(http[^"]+)"[^\n]*"service\.ready"/);
  };

  const [ACCOUNT_ADDRESS, CATALOGUE_ADDRESS] = await Promise.all([service("account"), service("catalogue")]);
  const JOB_ADDRESS = await service("job", { CATALOGUE_ADDRESS });
  const CONVERSION_ADDRESS = await service("conversion", { CATALOGUE_ADDRESS, JOB_ADDRESS, OFFICE_SLOTS: "0" });
  const peers = { ACCOUNT_ADDRESS, CATALOGUE_ADDRESS, JOB_ADDRESS, CONVERSION_ADDRESS };
  const gateway = stack.use(start(process.execPath, ["gateway/main.ts"], { ...shared, ...peers }));
  const restUrl = await gateway.printed(/Filemill is ready\.\s+(http\S+)\//);

  using accounts = openGrpcClient(AccountService, ACCOUNT_ADDRESS);
  await accounts.calls.createAccount({ email: "many@example.org", plan: "plus" });
  const { key, secret } = await accounts.calls.createKey({ account: { ref: { case: "email", value: "many@example.org" } } });
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

  const bytes = await convert("?download=1");
  expect(bytes.status, await bytes.clone().text()).toBe(200);
  expect(await sharp(await bytes.arrayBuffer()).metadata()).toMatchObject({ format: "webp", width: 40 });

  const queued = await convert("", { prefer: "respond-async" });
  expect(queued.status).toBe(202);
  const held = await fetch(queued.headers.get("location") ?? "", { headers: { authorization: `Bearer ${secret}`, prefer: "wait=30" } });
  expect(JSON.parse(await held.text()).job).toMatchObject({ status: "done", error: null });

  // Told to one process, true in all.
  await accounts.calls.revokeKey({ keyId: key?.id ?? "" });
  await expect.poll(async () => (await convert("")).status, { timeout: 10_000, interval: 100 }).toBe(401);
});
