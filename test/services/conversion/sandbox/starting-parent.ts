/** Keeps starting sandboxed programs and waits to be killed. Arguments: the owner's name, the mode. */
import { openLog } from "#kit/log.ts";
import { openDegradedSandbox, openSandbox } from "#services/conversion/sandbox/index.ts";

const [owner = "", mode, scratchDir = ""] = process.argv.slice(2);
const settings = { scratchDir, owner, firstUid: 61_800, memoryBytes: 512 * 2 ** 20, log: openLog("error") };
const sandbox = mode === "full" ? await openSandbox({ ...settings, mode: "required" }) : await openDegradedSandbox(settings);
process.stdout.write("ready");
const start = async (): Promise<void> => {
  for (;;) await sandbox.run({ program: "/bin/sleep", args: ["0.02"], limits: { wallMs: 0 } });
};
await Promise.all(Array.from({ length: 6 }, start));
