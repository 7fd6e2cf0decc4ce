/** Clients send requests while processes are killed and paused, at every crash point and at random; then the invariants are checked. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Moment } from "#kit/moments.ts";
import { createDice, type Dice } from "#test/fuzz/mutate.ts";
import { strikeAt } from "./crash-points.ts";
import type { Deployment } from "./deployment.ts";
import type { Verdict } from "./invariants.ts";
import type { Ledger } from "./ledger.ts";
import { openScene } from "./scene.ts";
import { type Role, roles, victimOf } from "./victims.ts";

type Signal = "SIGKILL" | "SIGSTOP";

export type Weather = {
  readonly seed: number;
  readonly clients: number;
  /** Crash points, each with both signals. */
  readonly moments: readonly Moment[];
  readonly signals: readonly Signal[];
  /** Number of random hits after that. */
  readonly blows: number;
};

export type Outcome = Verdict & {
  readonly requests: number;
  readonly kills: number;
  /** How often each hit was attempted and successful. */
  readonly rows: ReadonlyMap<string, number>;
};

/** Longer than the 3 s lease, after which a job is taken from a paused worker. */
const pausedMs = 4500;
const strikeMs = 20_000;
const aloneMs = 1500;

export async function storm(deployment: Deployment, weather: Weather, say: (line: string) => void): Promise<Outcome> {
  const { seed, clients } = weather;
  await using scene = await openScene(deployment, { seed, clients });
  const blows = openBlows(deployment, scene.ledger, say);
  const dice = createDice(seed);
  try {
    await sleep(aloneMs);
    for (const moment of weather.moments) for (const signal of weather.signals) await blows.at(moment, signal);
    for (let blow = 0; blow < weather.blows; blow += 1) {
      await blows.random(dice);
      await sleep(200 + dice.below(1500));
    }
  } finally {
    blows.release();
  }
  return { ...(await scene.end()), kills: blows.count(), rows: blows.rows };
}

type Blows = {
  at(moment: Moment, signal: Signal): Promise<void>;
  random(dice: Dice): Promise<void>;
  /** Resumes processes that are still paused. */
  release(): void;
  count(): number;
  readonly rows: ReadonlyMap<string, number>;
};

function openBlows(deployment: Deployment, ledger: Ledger, say: (line: string) => void): Blows {
  const rows = new Map<string, number>();
  const paused = new Set<number>();
  const note = (row: string, hit: boolean): void => {
    rows.set(row, (rows.get(row) ?? 0) + (hit ? 1 : 0));
    say(`${row}${hit ? "" : ": nobody was there"}`);
  };
  const go = (pid: number): void => {
    paused.delete(pid);
    strike(pid, "SIGCONT");
  };
  return {
    rows,
    count: () => [...rows.values()].reduce((sum, hits) => sum + hits, 0),
    async at(moment, signal) {
      // Jobs are taken back only from dead workers.
      const provoke = moment === "job taken back" ? () => strike(deployment.worker.pid, "SIGKILL") : undefined;
      const pid = await strikeAt(deployment.faultsDir, moment, signal, strikeMs, provoke);
      note(`${signal} at "${moment}"`, pid !== undefined);
      if (pid === undefined || signal === "SIGKILL") return sleep(aloneMs);
      paused.add(pid);
      await sleep(pausedMs);
      go(pid);
    },
    async random(dice) {
      const role: Role = dice.pick(roles);
      const signal: Signal = dice.below(3) > 0 ? "SIGKILL" : "SIGSTOP";
      const pid = await soonOf(() => victimOf(deployment, role, dice));
      if (role === "broker") ledger.brokerHits.push(performance.now());
      strike(pid, signal);
      note(`${signal} of ${role}`, pid !== undefined);
      if (pid === undefined || signal === "SIGKILL") return;
      paused.add(pid);
      // Others are hit in the meantime.
      setTimeout(() => go(pid), pausedMs).unref();
    },
    release() {
      for (const pid of paused) go(pid);
    },
  };
}

/** Ignores a process that has already ended. */
export function strike(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(pid, signal);
  } catch {
    // It has already ended.
  }
}

/** Engines come and go, and there are none while the worker starts. */
async function soonOf<T>(look: () => Promise<T | undefined>): Promise<T | undefined> {
  for (let again = 0; again < 100; again += 1) {
    const found = await look();
    if (found !== undefined) return found;
    await sleep(50);
  }
  return undefined;
}
