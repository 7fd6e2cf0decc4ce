import type { Probe } from "./probe.ts";
import type { Readiness, Service } from "./service.ts";

/** Combines what services report with round trips through their parts and through `shared` ones. */
export async function readinessOf(services: readonly Service[], shared: readonly Probe[]): Promise<Readiness> {
  const states = services.map((service) => service.readiness());
  const probes = [...shared, ...services.flatMap((service) => service.probes?.() ?? [])];
  const isWell = await Promise.all(probes.map((probe) => probe.isWell()));
  const broken = probes.filter((_, at) => isWell[at] === false).map(({ part }) => part);
  const [part, ...more] = new Set([...states.flatMap((state) => (state.ready ? [] : state.parts)), ...broken]);
  const isDegraded = states.some(({ sandbox }) => sandbox === "degraded");
  const [unproven = []] = states.flatMap((state) => (state.unproven === undefined ? [] : [state.unproven]));
  const [proving] = states.flatMap((state) => state.proving ?? []);
  return {
    ...(part === undefined ? { ready: true } : notReady(part, ...more)),
    ...(isDegraded ? { sandbox: "degraded" } : {}),
    ...(unproven.length === 0 ? {} : { unproven }),
    ...(proving === undefined ? {} : { proving }),
  };
}

export function notReady(part: string, ...more: readonly string[]): Readiness & { readonly ready: false } {
  return { ready: false, part, parts: [part, ...more] };
}
