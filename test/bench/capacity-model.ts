/** What an installation carries, from what one job costs each of its parts: which part is full first, by reckoning and by simulation. */

/** Measured. Processor time in ms; a job is one upload, one conversion and one download. */
export type Costs = {
  readonly gatewayMs: number;
  readonly catalogueMs: number;
  /** Of the job service that the job was made at, and of each other one, which follows its record. */
  readonly jobMs: number;
  readonly followMs: number;
  readonly brokerMs: number;
  /** Of a worker, engines included: one element a measured job. */
  readonly workerMs: readonly number[];
  /** Through the broker, in and out, with one job service. */
  readonly brokerBytes: number;
  /** What a job that is kept takes in the memory of each job service. */
  readonly recordBytes: number;
  /** What a worker costs that has nothing to do, a second. */
  readonly idle: { readonly brokerMs: number; readonly brokerBytes: number; readonly jobMs: number; readonly catalogueMs: number };
};

export type Site = {
  readonly gateways: number;
  readonly catalogues: number;
  readonly jobServices: number;
  readonly workers: number;
  readonly coresOfWorker: number;
  /** Copies of each record: what the leader receives it sends to the others. */
  readonly copies: number;
  /** Of a host's network, each way. */
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

/** Jobs a second that each part carries by itself; 0 where workers at rest already fill it. */
export function capacityOf(costs: Costs, site: Site): Readonly<Record<Part, number>> {
  const { gateways, catalogues, jobServices, workers } = site;
  const { idle } = costs;
  // Node has one thread for this work, and the leader of a stream one too.
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
    // In from the client and out to the store, and the result the other way.
    uploads: (gateways * site.networkBytes) / (2 * site.fileBytes),
    "job services' memory": site.memoryBytes / costs.recordBytes / site.keptSeconds,
  };
}

/** The part that is full first. */
export function firstFull(costs: Costs, site: Site): { readonly part: Part; readonly perSecond: number } {
  const [[part, perSecond] = ["workers", 0] as const] = entriesOf(capacityOf(costs, site)).sort(([, a], [, b]) => a - b);
  return { part, perSecond };
}

function entriesOf(capacity: Readonly<Record<Part, number>>): [Part, number][] {
  return Object.entries(capacity) as [Part, number][];
}

export type Stage = { readonly part: Part; readonly servers: number; serviceMs(): number };

/** The processors that a job passes, in this order. What only follows jobs, or is at rest, slows its part down. */
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
  /** Of what came, the share that was done by the time that the last one came. */
  readonly done: number;
  /** Where the most time was waited, and how long by the last tenth of jobs on average. */
  readonly part: Part;
  readonly waitMs: number;
};

/** Jobs come by chance (a Poisson process) and each part takes them as they come. */
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

/** When each of many servers is free again, the first one first: a binary heap. */
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

/** The same numbers from the same seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}
