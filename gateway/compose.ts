/**
 * The composition root: it decides which part gets what. Only this file and library.ts import a service's index.
 *
 *   floor (broker, blobs, metrics) ─ catalogue ─ job ─ account ─ conversion ─ gateway
 *
 * Each arrow to a peer is a generated Connect client, over the in-process transport or to the peer's address.
 */
import { hkdfSync } from "node:crypto";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "@connectrpc/connect";
import { type BrokerUser, brokerUsers } from "#contract/grants.ts";
import { AccountService } from "#gen/filemill/account/v1/account_pb.ts";
import { SignInService } from "#gen/filemill/account/v1/sign_in_pb.ts";
import { CatalogueService } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import { ConversionService } from "#gen/filemill/conversion/v1/conversion_pb.ts";
import { JobService, LeaseService } from "#gen/filemill/job/v1/job_pb.ts";
import { WebhookService } from "#gen/filemill/webhook/v1/webhook_pb.ts";
import { type Floor, openFloor } from "#kit/floor.ts";
import { measureProbes, measureProving } from "#kit/floor-metrics.ts";
import type { Log } from "#kit/log.ts";
import { readinessOf } from "#kit/readiness.ts";
import { openServicesServer } from "#kit/rpc/services-server.ts";
import { transportFor } from "#kit/rpc/transport.ts";
import { ensureSecret } from "#kit/secret-file.ts";
import type { Readiness, Service } from "#kit/service.ts";
import type { Settings } from "#kit/settings.ts";
import {
  createAccountService,
  ensureFirstAccount,
  type FirstAccount,
  jobsOfAccounts,
  webhooksOfAccounts,
} from "#services/account/index.ts";
import { createCatalogueService, openProofs } from "#services/catalogue/index.ts";
import { createConversionService } from "#services/conversion/index.ts";
import { createJobService } from "#services/job/index.ts";
import { createWebhookService } from "#services/webhook/index.ts";
import type { GatewayDeps } from "./context.ts";
import { createGateway, type Gateway } from "./server.ts";
import { openWaitingRoom } from "./waiting-room.ts";

/** A running Filemill: its addresses, its readiness, and how to stop it. */
export type Supervisor = AsyncDisposable & {
  readonly restUrl: string;
  readonly rpcUrl: string;
  /**
   * Creates the local account if the store is empty, and resolves with its API key and one-time sign-in link. Resolves with undefined on
   * every later start. Call it last, when nothing can fail any more: both are shown only once.
   */
  createFirstAccount(): Promise<FirstAccount | undefined>;
  readiness(): Promise<Readiness>;
  /** Resolves when conversions are accepted. Rejects if an engine node refuses to start. */
  readonly started: Promise<void>;
  /** Accepts no new work and waits for running work, for at most DRAIN_MS. */
  drain(): Promise<void>;
};

/** How long the start waits for readiness. The service starts without engines too; `/readyz` then says what is missing. */
const readyLimitMs = 2000;

type Clients = Pick<GatewayDeps, "accounts" | "signIn" | "catalogue" | "jobs" | "conversion" | "webhooks">;

/** Starts the gateway and every service whose address is `local`. */
export async function compose(settings: Settings, log: Log): Promise<Supervisor> {
  await using stack = new AsyncDisposableStack();
  const floor = stack.use(await openFloorMeanwhileAnswering(settings, log));
  const { services, clients } = composeServices(floor);
  for (const service of services) stack.use(service);

  const early = services.filter((service) => service.name !== "conversion");
  await Promise.all(early.map((service) => service.start()));

  const readiness = (): Promise<Readiness> => readinessOf(services, floor.probes);
  // Conversion starts in parallel with opening the ports, because its engines take the longest.
  const late = services.filter((service) => service.name === "conversion");
  const started = Promise.all(late.map((service) => service.start())).then(() => untilReady(readiness));
  started.catch(() => undefined);
  measureProbes(floor.metrics, () => [...floor.probes, ...services.flatMap((service) => service.probes?.() ?? [])]);
  measureProving(floor.metrics, services);
  const rpc = stack.use(await openServicesServer(floor, services, readiness, true));
  const { blobs, metrics } = floor;
  const counts = floor.openCounts();
  const deviceKey = await deviceKeyOf(settings);
  const gateway = stack.use(await createGateway({ ...clients, blobs, counts, deviceKey, log, metrics, readiness }, settings));
  const { url: restUrl } = await gateway.listen();

  const owned = stack.move();
  return {
    restUrl,
    rpcUrl: rpc.url,
    createFirstAccount: async () =>
      settings.ACCOUNT_ADDRESS === "local" ? ensureFirstAccount({ settings, broker: floor.brokerOf("account") }) : undefined,
    readiness,
    started,
    drain: () => drainAll(gateway, services, settings.DRAIN_MS),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** An external broker may start later than this process. Until it can be reached, the waiting room answers at the gateway's address. */
async function openFloorMeanwhileAnswering(settings: Settings, log: Log): Promise<Floor> {
  const services = localServices(settings);
  if (settings.NATS_URL === undefined || services.length === 0) return openFloor(settings, log, services);
  await using _room = await openWaitingRoom(settings);
  return await openFloor(settings, log, services);
}

/**
 * The key of this installation. Gateways on several hosts derive the same one from RPC_TOKEN, so that each accepts what another signed and
 * all count guests alike.
 */
async function deviceKeyOf({ RPC_TOKEN, DATA_DIR }: Settings): Promise<string> {
  if (RPC_TOKEN === undefined) return ensureSecret(join(resolve(DATA_DIR), "device-key"));
  return Buffer.from(hkdfSync("sha256", RPC_TOKEN, "", "filemill device key", 32)).toString("base64url");
}

function localServices(settings: Settings): readonly BrokerUser[] {
  const addresses: Readonly<Record<BrokerUser, string>> = {
    account: settings.ACCOUNT_ADDRESS,
    catalogue: settings.CATALOGUE_ADDRESS,
    job: settings.JOB_ADDRESS,
    conversion: settings.CONVERSION_ADDRESS,
    webhook: settings.WEBHOOK_ADDRESS,
  };
  return brokerUsers.filter((service) => addresses[service] === "local");
}

function composeServices(floor: Floor): { services: readonly Service[]; clients: Clients } {
  const { settings, log } = floor;
  const services: Service[] = [];
  const local = <S extends Service>(address: string, create: () => S): S | undefined => {
    if (address !== "local") return undefined;
    const service = create();
    services.push(service);
    return service;
  };
  const deps = (part: BrokerUser) => ({
    broker: floor.brokerOf(part),
    blobs: floor.blobs,
    metrics: floor.metrics,
    log: log.with({ part }),
  });

  const catalogueService = local(settings.CATALOGUE_ADDRESS, () =>
    createCatalogueService({ ...deps("catalogue"), proofs: openProofs(settings) }),
  );
  const catalogue = createClient(CatalogueService, transportFor("CATALOGUE_ADDRESS", settings, catalogueService, log));
  const job = local(settings.JOB_ADDRESS, () => createJobService({ ...deps("job"), catalogue }, settings));
  const jobTransport = transportFor("JOB_ADDRESS", settings, job, log);
  const jobs = createClient(JobService, jobTransport);
  const leases = createClient(LeaseService, jobTransport);
  const webhook = local(settings.WEBHOOK_ADDRESS, () => createWebhookService({ ...deps("webhook"), jobs }, settings));
  const webhooks = createClient(WebhookService, transportFor("WEBHOOK_ADDRESS", settings, webhook, log));
  // Deleting an account also deletes what it owns in other services.
  const belongings = [jobsOfAccounts(jobs), webhooksOfAccounts(webhooks)];
  const account = local(settings.ACCOUNT_ADDRESS, () => createAccountService({ ...deps("account"), belongings }, settings));
  const accountTransport = transportFor("ACCOUNT_ADDRESS", settings, account, log);
  const accounts = createClient(AccountService, accountTransport);
  const signIn = createClient(SignInService, accountTransport);
  const converter = local(settings.CONVERSION_ADDRESS, () =>
    createConversionService({ ...deps("conversion"), jobs, leases, catalogue }, settings),
  );
  const conversion = createClient(ConversionService, transportFor("CONVERSION_ADDRESS", settings, converter, log));
  return { services, clients: { accounts, signIn, catalogue, jobs, conversion, webhooks } };
}

/** The catalogue learns of engines a moment after they are announced. */
async function untilReady(readiness: () => Promise<Readiness>): Promise<void> {
  const limit = AbortSignal.timeout(readyLimitMs);
  while (!(await readiness()).ready && !limit.aborted) await sleep(5);
}

/** Drains the gateway first, then the services behind it. */
async function drainAll(gateway: Gateway, services: readonly Service[], limitMs: number): Promise<void> {
  const signal = AbortSignal.timeout(limitMs);
  await gateway.drain(signal);
  await Promise.all(services.map((service) => service.drain(signal)));
}
