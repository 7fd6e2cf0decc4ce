/** The raw engines that Filemill is compared with, driven as directly as possible. */
import { execFile, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A fresh, unsandboxed process for each file; `IN` and `OUT` stand for the paths. */
export function command(program: string, ...args: readonly string[]) {
  return (from: string, to: string): Promise<unknown> =>
    run(
      program,
      args.map((arg) => arg.replace("IN", from).replace("OUT", to)),
      { maxBuffer: 64e6 },
    );
}

export type WarmOffice = AsyncDisposable & {
  /** Converts one file at a time; rejects if LibreOffice does. */
  convert(from: string, to: string, filter: string): Promise<unknown>;
};

/** A LibreOffice that stays open and accepts documents over UNO. */
export async function openWarmOffice(folder: string): Promise<WarmOffice> {
  const driver = spawn("/usr/bin/python3", ["test/bench/warm-office.py", join(folder, "profile")], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: driver.stdout })[Symbol.asyncIterator]();
  await lines.next();
  return {
    async convert(from, to, filter) {
      driver.stdin.write(`${from} ${to} ${filter}\n`);
      const { value } = await lines.next();
      if (value !== "done") throw new Error("LibreOffice gave no result");
    },
    async [Symbol.asyncDispose]() {
      driver.stdin.end();
      await new Promise((resolve) => driver.once("close", resolve));
    },
  };
}
