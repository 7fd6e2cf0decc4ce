/** Each service in its own process, on a NATS server that none of them started. */
import { type ChildProcess, spawn } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { servingEnvironment } from "#gateway/setup/node.mjs";
import { type Passwords, parseServerVersion, serverConfigText } from "#kit/nats/server-config.ts";

export type Started = AsyncDisposable & {
  readonly child: ChildProcess;
  /** Resolves with the first match in the process's output. */
  printed(pattern: RegExp): Promise<string>;
};

export function startProcess(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Started {
  const child = spawn(command, args, {
    env: { ...servingEnvironment, PATH: process.env.PATH, HOME: process.env.HOME, ...env },
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

export type StartedBroker = Started & {
  urlOf(user: keyof Passwords): string;
  /** Its monitoring endpoint, for `/varz` and `/jsz`. */
  readonly monitoringUrl: string;
};

/** With the users and permissions of the embedded server. */
export async function startBroker(dir: string): Promise<StartedBroker> {
  const passwords = { filemill: "owner", account: "a", catalogue: "c", job: "j", conversion: "v", webhook: "w" };
  const version = parseServerVersion("v2.9.10");
  const file = join(dir, "server.conf");
  await writeFile(file, `${serverConfigText({ dir, port: -1, passwords, storeBytes: 2 ** 28, version })}\nhttp: "127.0.0.1:-1"\n`);
  const broker = startProcess("nats-server", ["--config", file]);
  for (;;) {
    const ports = (await readdir(dir)).find((name) => name.endsWith(".ports"));
    const told = ports === undefined ? "" : await readFile(join(dir, ports), "utf8");
    const [address, monitoringUrl] = [/"nats:\/\/([^"]+)"/, /"(http:\/\/[^"]+)"/].map((pattern) => pattern.exec(told)?.[1]);
    if (address !== undefined && monitoringUrl !== undefined)
      return { ...broker, monitoringUrl, urlOf: (user) => `nats://${user}:${passwords[user]}@${address}` };
    await sleep(20);
  }
}
