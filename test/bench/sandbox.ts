import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import sharp from "sharp";
import { openLog } from "#kit/log.ts";
import type { Sandbox } from "#services/conversion/domain/sandbox.ts";
import { sharpCommandOf } from "#services/conversion/engines/pictures/sharp-children.ts";
import { openSandbox } from "#services/conversion/sandbox/index.ts";
import { compare, type Pair } from "./measure.ts";

const firstUid = 63_000;
const rounds = 60;

/** Cost of the sandbox: a tool run that does nothing, and a picture by a warm child, each inside and outside. */
export async function benchSandbox(): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "filemill-bench-"));
  try {
    const settings = { mode: "required" as const, firstUid, memoryBytes: 2 ** 31, log: openLog("warn") };
    await using sandbox = await openSandbox({ ...settings, scratchDir: join(folder, "scratch") });
    return [line("a run", await oneShot(sandbox), 10), line("a picture by a warm child", await persistent(sandbox, folder), 1)];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function line(what: string, { ours, bare }: Pair, budgetMs: number): string {
  return `sandbox: ${what} takes ${ours.toFixed(1)} ms inside, ${bare.toFixed(1)} ms outside: ${(ours - bare).toFixed(1)} ms more (budget ${budgetMs})`;
}

async function oneShot(sandbox: Sandbox): Promise<Pair> {
  await using scratch = await sandbox.openScratch();
  const inside = (): Promise<unknown> => sandbox.run({ program: "/usr/bin/true", args: [], folder: scratch.path });
  return await compare(rounds, inside, () => promisify(execFile)("/usr/bin/true"));
}

async function persistent(sandbox: Sandbox, folder: string): Promise<Pair> {
  const command = sharpCommandOf("1");
  const limits = { wallMs: 0, cpuSeconds: 3600, addressSpace: false };
  await using inside = await sandbox.spawn({ ...command, limits });
  const hostPath = (path: string): string =>
    Object.entries(command.readOnly).reduce((text, [host, place]) => text.replace(place, host), path);
  const outside = spawn(hostPath(command.program), command.args.map(hostPath), {
    cwd: folder,
    env: command.env,
    stdio: ["pipe", "pipe", "ignore"],
  });
  try {
    const lines = createInterface(outside.stdout);
    const ask = async (message: unknown): Promise<unknown> => {
      const answer = once(lines, "line");
      outside.stdin.write(`${JSON.stringify(message)}\n`);
      return (await answer)[0];
    };
    const picture = await sharp({ create: { width: 128, height: 128, channels: 3, background: "teal" } })
      .png()
      .toBuffer();
    const question = { from: "png", to: "webp", options: {}, data: picture.toString("base64") };
    const options = { timeoutMs: 30_000 };
    await Promise.all([inside.request({ ready: true }, options), ask({ ready: true })]);
    return await compare(
      rounds,
      () => inside.request(question, options),
      () => ask(question),
    );
  } finally {
    outside.kill("SIGKILL");
  }
}
