/** `npm start`: the gateway and every local service in one supervisor process. */
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { FilemillError } from "#contract/errors.ts";
import { parseSettings, SettingError } from "#kit/config.ts";
import { openDataDir } from "#kit/data-dir.ts";
import { startHangWatch } from "#kit/hang-watch/hang-watch.ts";
import { closeInherited } from "#kit/inherited-descriptors.ts";
import { openLog } from "#kit/log.ts";
import { settingTable } from "#kit/settings.ts";
import { cannotRunCode, exitOnSignal } from "#kit/shutdown.ts";
import { compose } from "./compose.ts";
import { proveBeside } from "./setup/prove-beside.mjs";
import { welcomeText } from "./welcome.ts";

// All modules are loaded at this point, so their compiled code is cached (setup/compiled-code.mjs).
if (process.argv.includes("--compile")) process.exit();

closeInherited();
try {
  const settings = parseSettings(settingTable, process.env);
  const log = openLog(settings.LOG_LEVEL);
  startHangWatch(settings, log, process.env.FILEMILL_KEEPER);
  const dataDir = await openDataDir(settings.DATA_DIR);
  const supervisor = await compose(settings, log);
  const runFile = join(dataDir, "run.json");
  exitOnSignal(process, settings.DRAIN_MS + 10_000, async () => {
    await supervisor.drain();
    await supervisor[Symbol.asyncDispose]();
    await rm(runFile, { force: true });
  });
  await supervisor.started;
  await writeFile(runFile, JSON.stringify({ restUrl: supervisor.restUrl, rpcUrl: supervisor.rpcUrl, pid: process.pid }));
  const { unproven, proving } = await supervisor.readiness();
  if (settings.PROVING === "on" && (unproven ?? proving) !== undefined) proveBeside((event, fields) => log.info(event, fields));
  const first = await supervisor.createFirstAccount();
  console.log(welcomeText({ ...supervisor, first }, settings.PUBLIC_URL));
} catch (error) {
  if (!(error instanceof SettingError || error instanceof FilemillError)) throw error;
  console.error(error.message);
  process.exit(cannotRunCode);
}
