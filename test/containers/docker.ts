/** Docker through its command, which connects to the daemon by DOCKER_HOST. */
import { execFile } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

/** Rejects with the command's output. */
export async function docker(...args: readonly string[]): Promise<string> {
  const env = { ...process.env, DOCKER_BUILDKIT: "1" };
  const { stdout, stderr } = await promisify(execFile)("docker", [...args], { env, maxBuffer: 2 ** 28 });
  return stdout + stderr;
}

export type Container = AsyncDisposable & {
  readonly id: string;
  log(): Promise<string>;
  /** Undefined while it runs. */
  exitCode(): Promise<number | undefined>;
};

/** @param args - Arguments of `docker run` before the image, and the image. */
export async function startContainer(...args: readonly string[]): Promise<Container> {
  const id = (await docker("run", "--detach", ...args)).trim();
  return {
    id,
    log: () => docker("logs", id),
    async exitCode() {
      const [running, code] = (await docker("inspect", "--format", "{{.State.Running}} {{.State.ExitCode}}", id)).trim().split(" ");
      return running === "true" ? undefined : Number(code);
    },
    async [Symbol.asyncDispose]() {
      await docker("rm", "--force", "--volumes", id);
    },
  };
}

export type Ready = { readonly seconds: number; readonly url: string; readonly key: string | undefined };

/** Resolves once it reports readiness. Rejects with its last lines if it ended. */
export async function untilReady(container: Container): Promise<Ready> {
  const began = performance.now();
  for (;;) {
    const log = await container.log();
    if (log.includes("Filemill is ready")) {
      const address = (await docker("port", container.id, "8080/tcp")).trim().split("\n")[0] ?? "";
      const key = /^ {2}(fm_\S+)$/m.exec(log)?.[1];
      return { seconds: Math.round((performance.now() - began) / 100) / 10, url: `http://${address.replace("0.0.0.0", "127.0.0.1")}`, key };
    }
    if ((await container.exitCode()) !== undefined) throw new Error(`The container ended:\n${log.split("\n").slice(-8).join("\n")}`);
    await sleep(200);
  }
}
