import { FilemillError } from "#contract/errors.ts";
import type { BrokerUser } from "#contract/grants.ts";
import { parseSettings, SettingError } from "./config.ts";
import { openDataDir } from "./data-dir.ts";
import { type Floor, openFloor } from "./floor.ts";
import { startHangWatch } from "./hang-watch/hang-watch.ts";
import { closeInherited } from "./inherited-descriptors.ts";
import { openLog } from "./log.ts";
import type { Broker } from "./nats/ports.ts";
import { readinessOf } from "./readiness.ts";
import { openServicesServer } from "./rpc/services-server.ts";
import type { Service } from "./service.ts";
import { settingTable } from "./settings.ts";
import { cannotRunCode, exitOnSignal, type ProcessEvents } from "./shutdown.ts";

type Process = ProcessEvents & {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stderr: { write(text: string): unknown };
};

/** The body of a service's main.ts: runs one service in its own process, with its peers at their addresses. */
export async function runAlone(
  process: Process,
  name: BrokerUser,
  create: (floor: Floor & { readonly broker: Broker }) => Service,
): Promise<void> {
  closeInherited();
  try {
    const settings = parseSettings(settingTable, process.env);
    const log = openLog(settings.LOG_LEVEL);
    startHangWatch(settings, log, process.env.FILEMILL_KEEPER);
    await openDataDir(settings.DATA_DIR);
    const stack = new AsyncDisposableStack();
    const floor = stack.use(await openFloor(settings, log, [name]));
    const service = stack.use(create({ ...floor, broker: floor.brokerOf(name) }));
    const rpc = stack.use(await openServicesServer(floor, [service], () => readinessOf([service], floor.probes), false));
    exitOnSignal(process, settings.DRAIN_MS + 10_000, async () => {
      await service.drain(AbortSignal.timeout(settings.DRAIN_MS));
      await stack.disposeAsync();
    });
    await service.start();
    floor.log.info("service.ready", { service: service.name, url: rpc.url });
  } catch (error) {
    if (!(error instanceof SettingError || error instanceof FilemillError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(cannotRunCode);
  }
}
