/** The capacity of an installation, from the cost of a job for each part: which part saturates first, by calculation and by simulation. */

/** Measured values. CPU time in ms; a job is one upload, one conversion and one download. */
export type Costs = {
  readonly gatewayMs: number;
  readonly catalogueMs: number;
  /** For the job service that created the job, and for each other one, which follows its record. */
  readonly jobMs: number;
  readonly followMs: number;
  readonly brokerMs: number;
  /** Of a worker, including engines: one element per measured job. */
  readonly workerMs: readonly number[];
  /** Through the broker, in and out, with one job service. */
  readonly brokerBytes: number;
  /** Memory that a retained job takes in each job service. */
  readonly recordBytes: number;
  /** Cost of an idle worker, per second. */
  readonly idle: { readonly brokerMs: number; readonly brokerBytes: number; readonly jobMs: number; readonly catalogueMs: number };
};

export type Site = {
  readonly gateways: number;
  readonly catalogues: number;
  readonly jobServices: number;
  readonly workers: number;
  readonly coresOfWorker: number;
  /** Copies of each record: the leader forwards what it receives to the others. */
  readonly copies: number;
  /** Of a host's network, in each direction. */
  readonly networkBytes: number;
  readonly fileBytes: number;
  readonly keptSeconds: number;
  readonly memoryBytes: number;
};

export type Part =
  | "gateways"
  | "catalogue"
  | "job services"
  | "broker"
  | "broker's network"
  | "workers"
  | "uploads"
  | "job services' memory";

/** Jobs per second that each part sustains; 0 if idle workers alone saturate it. */
export function capacityOf(costs: Costs, site: Site): Readonly<Record<Part, number>> {
  const { gateways, catalogues, jobServices, workers } = site;
  const { idle } = costs;
  // Node has one thread for this work, and so does a stream's leader.
  const left = (idleMs: number) => Math.max(0, 1000 - workers * idleMs);
  const follow = (costs.followMs * (jobServices - 1)) / jobServices;
  const brokerBytes = costs.brokerBytes * (1 + (site.copies - 1) / 2);
  return {
    gateways: (gateways * 1000) / costs.gatewayMs,
    catalogue: left(idle.catalogueMs) / (costs.catalogueMs / catalogues),
    "job services": left(idle.jobMs) / (costs.jobMs / jobServices + follow),
    broker: left(idle.brokerMs) / costs.brokerMs,
    "broker's network": Math.max(0, 2 * site.networkBytes - workers * idle.brokerBytes) / brokerBytes,
    workers: (workers * site.coresOfWorker * 1000) / meanOf(costs.workerMs),
    // In from the client and out to the store, and the result in the other direction.
    uploads: (gateways * site.networkBytes) / (2 * site.fileBytes),
    "job services' memory": site.memoryBytes / costs.recordBytes / site.keptSeconds,
  };
}

/** The part that saturates first. */
export function firstFull(costs: Costs, site: Site): { readonly part: Part; readonly perSecond: number } {
  const [[part, perSecond] = ["workers", 0] as const] = entriesOf(capacityOf(costs, site)).sort(([, a], [, b]) => a - b);
  return { part, perSecond };
}

function entriesOf(capacity: Readonly<Record<Part, number>>): [Part, number][] {
  return Object.entries(capacity) as [Part, number][];
}

export type Stage = { readonly part: Part; readonly servers: number; serviceMs(): number };

/** The stages that a job passes through, in order. Following other jobs and idle work slow a part down. */
export function stagesOf(costs: Costs, site: Site, random: () => number): readonly Stage[] {
  const capacity = capacityOf(costs, site);
  const steady = (part: Part, servers: number): Stage => ({ part, servers, serviceMs: () => (servers * 1000) / capacity[part] });
  return [
    steady("gateways", site.gateways),
    steady("catalogue", site.catalogues),
    steady("job services", site.jobServices),
    steady("broker", 1),
    {
      part: "workers",
      servers: site.workers * site.coresOfWorker,
      serviceMs: () => costs.workerMs[Math.floor(random() * costs.workerMs.length)] ?? 0,
    },
  ];
}

export type Simulated = {
  /** Share of the jobs finished when the last one arrived. */
  readonly done: number;
  /** The part with the longest waits, and their mean over the last tenth of jobs. */
  readonly part: Part;
  readonly waitMs: number;
};

/** Jobs arrive as a Poisson process, and each part handles them in order of arrival. */
export function simulate(stages: readonly Stage[], perSecond: number, jobs: number, random: () => number): Simulated {
  let times = Array.from({ length: jobs }, () => 0);
  let now = 0;
  for (const [index] of times.entries()) {
    now += (-Math.log(1 - random()) * 1000) / perSecond;
    times[index] = now;
  }
  let worst: Pick<Simulated, "part" | "waitMs"> = { part: "gateways", waitMs: 0 };
  for (const stage of stages) {
    const { ends, waits } = passed(stage, times);
    const waitMs = meanOf(waits.slice(Math.floor(jobs * 0.9)));
    if (waitMs > worst.waitMs) worst = { part: stage.part, waitMs };
    times = ends.sort((a, b) => a - b);
  }
  return { done: times.filter((time) => time <= now).length / jobs, ...worst };
}

function passed({ servers, serviceMs }: Stage, arrivals: readonly number[]): { readonly ends: number[]; readonly waits: number[] } {
  const free = new Earliest(servers);
  const [ends, waits]: [number[], number[]] = [[], []];
  for (const arrival of arrivals) {
    const begin = Math.max(arrival, free.first);
    const end = begin + serviceMs();
    free.replaceFirst(end);
    ends.push(end);
    waits.push(begin - arrival);
  }
  return { ends, waits };
}

/** When each of many servers is free again, earliest first: a binary heap. */
class Earliest {
  readonly #times: number[];
  constructor(servers: number) {
    this.#times = Array.from({ length: servers }, () => 0);
  }
  get first(): number {
    return this.#times[0] ?? 0;
  }
  replaceFirst(time: number): void {
    const times = this.#times;
    let place = 0;
    for (;;) {
      const [left, right] = [2 * place + 1, 2 * place + 2];
      const child = (times[right] ?? Infinity) < (times[left] ?? Infinity) ? right : left;
      const earliest = times[child];
      if (earliest === undefined || earliest >= time) break;
      times[place] = earliest;
      place = child;
    }
    times[place] = time;
  }
}

export function meanOf(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Deterministic for a seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}
