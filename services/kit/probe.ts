/**
 * Round trips through a part of the service, to check its readiness. They are rare enough to cost nothing, however often readiness is
 * requested.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "./log.ts";

export type Probe = {
  /** Name of the part, for operators. */
  readonly part: string;
  /** Whether the last round trip succeeded. Starts a new one if it was a few seconds ago. Never rejects. */
  isWell(): Promise<boolean>;
};

export type ProbeOptions = {
  /** When a round trip counts as failed. The next one starts only when it is over. */
  readonly limitMs: number;
  /** How long a successful round trip is valid. */
  readonly freshMs?: number;
};

const answerMs = 2500;
const usualFreshMs = 3000;
/** Short, so that a repaired part is noticed soon. */
const illMs = 500;

/** @param tryOut - Rejects, or resolves with false, if the part does not work. */
export function createProbe(
  part: string,
  tryOut: () => Promise<unknown>,
  log: Log,
  { limitMs, freshMs = usualFreshMs }: ProbeOptions,
): Probe {
  let isWell = true;
  let endedAt = Number.NEGATIVE_INFINITY;
  let trip: { readonly ended: Promise<void>; readonly startedAt: number } | undefined;

  function note(well: boolean, fields: Readonly<Record<string, unknown>>): void {
    if (isWell && !well) log.warn("probe.failed", { failed: part, ...fields });
    isWell = well;
  }

  async function travel(): Promise<void> {
    try {
      note((await tryOut()) !== false, {});
    } catch (error) {
      note(false, { err: error });
    } finally {
      trip = undefined;
      endedAt = performance.now();
    }
  }

  return {
    part,
    async isWell() {
      if (trip === undefined) {
        if (performance.now() - endedAt < (isWell ? freshMs : illMs)) return isWell;
        trip = { startedAt: performance.now(), ended: travel() };
      }
      const { ended, startedAt } = trip;
      const timer = new AbortController();
      await Promise.race([ended, sleep(answerMs, undefined, { signal: timer.signal }).catch(() => undefined)]);
      timer.abort();
      // A round trip that is merely slow, as on a busy machine, proves nothing yet.
      if (trip !== undefined && performance.now() - startedAt >= limitMs) note(false, { limitMs });
      return isWell;
    },
  };
}
