import { planJsonOf } from "#gateway/account/views.ts";
import { callerOf, type Handlers, type RestContext, sendJson } from "#gateway/exchange/exchange.ts";
import type { Manifest, Route } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";

export const houseHandlers = {
  /** GET /web/v1/operator/house. */
  async operatorHouse(context, request, reply) {
    return sendJson(reply, 200, await houseOf(context, callerOf(request).account.id));
  },
  /** GET /web/v1/operator/engines. */
  async operatorEngines({ deps }, _request, reply) {
    const [{ manifests }, { routes }] = await Promise.all([deps.catalogue.listManifests({}), deps.catalogue.getCatalogue({})]);
    return sendJson(reply, 200, { engines: enginesOf(manifests, routes) });
  },
} satisfies Handlers;

/** State of the deployment for the operator's page, collected from readiness, metrics and services. */
export async function houseOf({ deps, settings, views }: RestContext, accountId: string) {
  const [readiness, load, { plans }, { open }, catalogue, disk] = await Promise.all([
    deps.readiness(),
    deps.jobs.getLoad({ accountId }),
    deps.accounts.listPlans({}),
    deps.signIn.getSignUp({}),
    views.current(),
    diskOf(deps),
  ]);
  return {
    notReady: readiness.ready ? [] : readiness.parts,
    sandbox: readiness.sandbox ?? "full",
    proving: readiness.proving ?? null,
    unproven: readiness.unproven ?? [],
    counts: catalogue.counts,
    disk: { ...disk, accountsBytes: Number(load.accountsStoredBytes), guestsBytes: Number(load.guestsStoredBytes) },
    queue: { unfinished: load.totalUnfinished, running: load.totalRunning, limit: load.maxUnfinished },
    plans: plans.map(planJsonOf),
    door: { signUpOpen: open, guests: settings.GUESTS === "on", publicUrl: settings.PUBLIC_URL ?? null },
  };
}

/** Disk space of this gateway's host, from the metric behind `/metrics`. */
async function diskOf({ metrics }: RestContext["deps"]): Promise<{ freeBytes: number | null; sizeBytes: number | null }> {
  const measured = await metrics.getSingleMetric("filemill_disk_bytes")?.get();
  const of = (name: string): number | null => measured?.values.find(({ labels }) => labels.of === name)?.value ?? null;
  return { freeBytes: of("free"), sizeBytes: of("size") };
}

/** All announced engines, each with the number of listed conversions that use it. */
export function enginesOf(manifests: readonly Manifest[], routes: readonly Route[]) {
  const listed = new Map<string, number>();
  for (const { engines } of routes) for (const id of new Set(engines)) listed.set(id, (listed.get(id) ?? 0) + 1);
  const announced = manifests.flatMap(({ node, engines }) => engines.map((engine) => ({ node, engine })));
  return [...Map.groupBy(announced, ({ engine }) => engine.id)]
    .map(([id, same]) => ({
      id,
      label: same[0]?.engine.label ?? id,
      versions: [...new Set(same.map(({ engine }) => engine.version))],
      nodes: new Set(same.map(({ node }) => node)).size,
      conversions: listed.get(id) ?? 0,
    }))
    .toSorted((a, b) => a.label.localeCompare(b.label, "en"));
}
