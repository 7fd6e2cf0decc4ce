/** CPU time in the last hour by payer. It is derived from the records, so it is the same after a restart, except for deleted jobs. */
export type Spending = {
  add(payer: string, ms: number, atMs: number): void;
  /** Within the hour before `nowMs`. */
  spentMs(payer: string, nowMs: number): number;
  /** How long until the CPU time within the hour is below the limit. */
  untilBelowMs(payer: string, limitMs: number, nowMs: number): number;
};

const hourMs = 3600_000;
const minuteMs = 60_000;

/** Summed per minute, which limits the memory per payer. */
type Minute = { readonly minute: number; ms: number };

export function createSpending(): Spending {
  /** In the order of last use. */
  const payers = new Map<string, Minute[]>();

  const recentOf = (payer: string, nowMs: number): readonly Minute[] =>
    (payers.get(payer) ?? []).filter(({ minute }) => minute * minuteMs > nowMs - hourMs);

  function forgetOld(nowMs: number): void {
    for (const [payer, minutes] of payers) {
      if (minutes.some(({ minute }) => minute * minuteMs > nowMs - hourMs)) return;
      payers.delete(payer);
    }
  }

  return {
    add(payer, ms, atMs) {
      if (ms <= 0) return;
      const minute = Math.floor(atMs / minuteMs);
      const minutes = payers.get(payer) ?? [];
      const same = minutes.find((each) => each.minute === minute);
      if (same === undefined) minutes.push({ minute, ms });
      else same.ms += ms;
      payers.delete(payer);
      payers.set(
        payer,
        minutes.filter((each) => (each.minute + 1) * minuteMs > atMs - hourMs),
      );
      forgetOld(atMs);
    },
    spentMs: (payer, nowMs) => recentOf(payer, nowMs).reduce((sum, { ms }) => sum + ms, 0),
    untilBelowMs(payer, limitMs, nowMs) {
      const minutes = recentOf(payer, nowMs).toSorted((a, b) => a.minute - b.minute);
      let left = minutes.reduce((sum, { ms }) => sum + ms, 0);
      for (const { minute, ms } of minutes) {
        if (left < limitMs) break;
        left -= ms;
        if (left < limitMs) return minute * minuteMs + hourMs - nowMs;
      }
      return 0;
    },
  };
}
